/** The files of a client that init changes, with the editor for each. */
import { existsSync } from 'node:fs';
import { readClientFile } from './client-file.ts';
import { type Client, type Entry, type Scope, SERVER_NAME, type Surroundings } from './clients.ts';
import type { Editor } from './editor.ts';
import { jsonEditor } from './json-editor.ts';
import { isPincerServer } from './own-entries.ts';
import { tomlEditor } from './toml-editor.ts';

export interface FileTarget {
  readonly path: string;
  readonly part: 'server' | 'hook' | 'server-and-hook';
  readonly editor: Editor;
}

/** The file for the entry: one that has an entry of that name, else the last existing one, else the first. */
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

export async function serverTarget(client: Client, path: string, entry: Entry): Promise<FileTarget> {
  const editor = await entryEditor(client, path, { name: SERVER_NAME, entry, isOurs: isPincerServer });
  return { path, part: 'server', editor };
}

/** The server entry with this name, pincer's or not. */
export async function entryNamed(client: Client, path: string, name: string): Promise<unknown> {
  const editor = await entryEditor(client, path, { name, entry: {}, isOurs: () => true });
  const text = readClientFile(path);
  return editor.isTaken(text) ? editor.find(text) : undefined;
}

interface NamedEntry {
  readonly name: string;
  readonly entry: Entry;
  readonly isOurs: (present: unknown) => boolean;
}

async function entryEditor(client: Client, path: string, { name, entry, isOurs }: NamedEntry): Promise<Editor> {
  const at = [...client.at, name];
  const owned = writtenBy(client);
  if (client.format === 'toml') return tomlEditor({ path, at, entry, isOurs, owned });
  return jsonEditor({ path, format: client.format, target: { at, value: entry, isOurs, owned }, parse: await json5() });
}

/** All members that init writes, for both transports. */
function writtenBy(client: Client): readonly string[] {
  const stdio = client.entry({ transport: 'stdio', command: '', args: [] });
  return Object.keys({ ...stdio, ...client.entry({ transport: 'http', url: '' }) });
}

/** The parser of JSON5, which accepts JSON and JSONC too. */
export async function json5(): Promise<(text: string) => unknown> {
  return (await import('json5')).default.parse;
}

/** Merges targets with the same path, so that each file is written once. */
export function mergeByFile(targets: readonly FileTarget[]): readonly FileTarget[] {
  const paths = [...new Set(targets.map(({ path }) => path))];
  return paths.map((path) => {
    const [first, ...rest] = targets.filter((target) => target.path === path);
    return rest.reduce(mergeTargets, first!);
  });
}

function mergeTargets(server: FileTarget, hook: FileTarget): FileTarget {
  return {
    path: server.path,
    part: 'server-and-hook',
    editor: {
      find: (text) => server.editor.find(text) ?? hook.editor.find(text),
      isTaken: (text) => server.editor.isTaken(text) || hook.editor.isTaken(text),
      put(text) {
        const first = server.editor.put(text);
        const second = hook.editor.put(first.text);
        return { text: second.text, made: [...first.made, ...second.made] };
      },
      take: (text, made) => server.editor.take(hook.editor.take(text, made), made),
    },
  };
}
