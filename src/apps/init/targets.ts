/** Which files of a client are changed, and what becomes ours in each. */
import { existsSync } from 'node:fs';
import { readClientFile } from './client-file.ts';
import { type Client, type Entry, type Scope, SERVER_NAME, type Surroundings } from './clients.ts';
import type { Editor } from './edited.ts';
import { jsonEditor } from './json-editor.ts';
import { shellLine } from './launch.ts';
import { addedToHook, isOurServer } from './ours.ts';
import { tomlEditor } from './toml-editor.ts';

/** One file, and the editor for what is ours in it. */
export interface FileTarget {
  readonly path: string;
  readonly part: 'server' | 'hook';
  readonly editor: Editor;
}

/** The file for our entry: the one that has one of that name, else one that is there, the last of several, else the first. */
export async function fileOf(client: Client, scope: Scope, at: Surroundings): Promise<string> {
  const files = client.files(scope, at);
  const present = files.filter((path) => existsSync(path));
  if (present.length > 1)
    for (const path of present) {
      const { editor } = await serverTarget(client, path, {});
      if (editor.isTaken(readClientFile(path))) return path;
    }
  return present.at(-1) ?? files[0];
}

/** The entry among the client's servers. */
export async function serverTarget(client: Client, path: string, entry: Entry): Promise<FileTarget> {
  const at = [...client.at, SERVER_NAME];
  const owned = writtenBy(client);
  if (client.format === 'toml') return { path, part: 'server', editor: tomlEditor({ path, at, entry, owned }) };
  const target = { at, value: entry, isOurs: isOurServer, owned };
  return { path, part: 'server', editor: jsonEditor({ path, format: client.format, target, parse: await json5() }) };
}

/** The members of an entry that init writes, whichever way the client reaches us. */
function writtenBy(client: Client): readonly string[] {
  const stdio = client.entry({ transport: 'stdio', command: '', args: [] });
  return Object.keys({ ...stdio, ...client.entry({ transport: 'http', url: '' }) });
}

/** Seconds: the hook takes a fraction of one; a machine under load may need more. */
const HOOK_TIMEOUT = 30;

/** The hook in front of Claude Code's own Bash. */
export async function hookTarget(path: string, launch: readonly string[]): Promise<FileTarget> {
  const command = (added: readonly string[]): string => shellLine([...launch, 'hook', 'claude-code', ...added]);
  // A hook that cannot start must not mean yes: Claude Code from 2.1.295 on knows onFailure, older ones pass over it.
  const hook = { type: 'command', command: command([]), timeout: HOOK_TIMEOUT, onFailure: 'block' };
  const find = (list: readonly unknown[]): readonly string[] | undefined => {
    for (const [i, group] of list.entries()) {
      const j = hooksIn(group).findIndex((one) => addedToHook(one) !== undefined);
      if (j >= 0) return [String(i), 'hooks', String(j)];
    }
    return undefined;
  };
  const target = {
    at: ['hooks', 'PreToolUse'],
    value: { matcher: 'Bash', hooks: [hook] },
    inList: {
      find,
      over: (present: unknown) => ({ ...hook, command: command(addedToHook(present) ?? []) }),
      remove: (list: readonly unknown[]) => {
        const found = find(list);
        // The whole group, unless somebody put another hook into it.
        return found !== undefined && hooksIn(list[Number(found[0])]).length === 1 ? found.slice(0, 1) : found;
      },
    },
  };
  return { path, part: 'hook', editor: jsonEditor({ path, format: 'jsonc', target, parse: await json5() }) };
}

function hooksIn(group: unknown): readonly unknown[] {
  const hooks = (group as { readonly hooks?: unknown } | null)?.hooks;
  return Array.isArray(hooks) ? hooks : [];
}

async function json5(): Promise<(text: string) => unknown> {
  return (await import('json5')).default.parse;
}
