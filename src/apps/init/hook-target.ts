/** Pincer's hook in a client's file: its own group in the list of an event, for every tool of the client. */
import { Fault } from '../../base/fault.ts';
import type { Client, ClientHooks } from './clients.ts';
import type { PlacedHook } from './codex-trust.ts';
import { isBlank } from './editor.ts';
import { jsonEditor } from './json-editor.ts';
import { shellLine } from './launch.ts';
import { addedToHook, OR_BLOCK } from './own-entries.ts';
import type { InitRecord } from './record.ts';
import { type FileTarget, json5 } from './targets.ts';

/** The hook itself distinguishes the tools, so that new tools of a client are judged too. */
const EVERY_TOOL = '*';

interface Group {
  readonly matcher?: unknown;
  readonly hooks?: unknown;
}

/** `launch` is the command line that starts this program. */
export async function hookTarget(
  client: Client,
  hooks: ClientHooks,
  path: string,
  launch: readonly string[],
): Promise<FileTarget> {
  const hookWith = (added: readonly string[]) => ({
    type: 'command',
    command: `${shellLine([...launch, 'hook', client.name, ...added])}${OR_BLOCK}`,
    ...hooks.options,
  });
  const isOnlyHook = (list: readonly unknown[], group: number): boolean => hooksIn(list[group]).length === 1;
  /** The whole group, or only the hook if the group has other hooks. */
  const pathOf = (list: readonly unknown[], [group, hook]: HookPlace): readonly string[] =>
    isOnlyHook(list, group) ? [String(group)] : [String(group), 'hooks', String(hook)];
  const target = {
    at: ['hooks', hooks.event],
    value: { matcher: EVERY_TOOL, hooks: [hookWith([])] },
    inList: {
      find: (list: readonly unknown[]) => {
        const [first] = placesIn(list, client);
        return first === undefined ? undefined : [String(first[0]), 'hooks', String(first[1])];
      },
      renew: (list: readonly unknown[]) => {
        const [first] = placesIn(list, client);
        if (first === undefined) return undefined;
        if (!isOnlyHook(list, first[0])) refuseOtherMatcher(list[first[0]] as Group, path);
        return pathOf(list, first);
      },
      over: (present: unknown) => {
        const [only] = hooksIn(present);
        const renewed = (hook: unknown) => ({ ...(hook as object), ...hookWith(addedToHook(hook, client.name) ?? []) });
        return only === undefined ? renewed(present) : { matcher: EVERY_TOOL, hooks: [renewed(only)] };
      },
      remove: (list: readonly unknown[]) => {
        const last = placesIn(list, client).at(-1);
        return last === undefined ? undefined : pathOf(list, last);
      },
    },
  };
  const parse = await json5();
  const editor = jsonEditor({ path, format: 'jsonc', target, parse });
  /** Calls the editor first, because it reports syntax errors. */
  const countIn = (text: string): number =>
    editor.find(text) === undefined ? 0 : placesIn(listIn(text, hooks, parse), client).length;
  /** Removes pincer's hooks, the last ones first, until at most `most` are left. */
  const reduced = (text: string, most: number, made: InitRecord['made'] | undefined): string => {
    let left = text;
    while (countIn(left) > most) left = editor.take(left, made);
    return left;
  };
  return {
    path,
    part: 'hook',
    editor: {
      ...editor,
      put: (text) => editor.put(reduced(text, 1, [])),
      take: (text, made) => reduced(text, 0, made),
    },
  };
}

export async function placedHook(client: Client, hooks: ClientHooks, text: string): Promise<PlacedHook | undefined> {
  const list = listIn(text, hooks, await json5());
  const [first] = placesIn(list, client);
  if (first === undefined) return undefined;
  const [group, index] = first;
  const { matcher } = list[group] as Group;
  return { group, index, matcher, hook: hooksIn(list[group])[index] as PlacedHook['hook'] };
}

/** The groups of the event; empty if the file is blank or has another structure. */
function listIn(text: string, { event }: ClientHooks, parse: (text: string) => unknown): readonly unknown[] {
  if (isBlank(text)) return [];
  const file = parse(text) as { readonly hooks?: Readonly<Record<string, unknown>> } | null;
  const list = file?.hooks?.[event];
  return Array.isArray(list) ? list : [];
}

type HookPlace = readonly [group: number, hook: number];

/** All hooks of pincer; an earlier version or a person may have added more than one. */
function placesIn(list: readonly unknown[], client: Client): readonly HookPlace[] {
  return list.flatMap((group, i) =>
    hooksIn(group).flatMap((hook, j) => (addedToHook(hook, client.name) === undefined ? [] : [[i, j] as const])),
  );
}

/** Whether clients run the hooks of a group with this matcher for every tool. */
export function isForEveryTool(matcher: unknown): boolean {
  return matcher === EVERY_TOOL || matcher === '' || matcher === undefined;
}

/** Init does not change a group with other hooks, and a narrower matcher would leave tools unjudged. */
function refuseOtherMatcher({ matcher }: Group, path: string): void {
  if (isForEveryTool(matcher)) return;
  throw new Fault(
    'CONFIG_CLIENT_CONFLICT',
    `${path}: the hook of pincer shares a group for ${JSON.stringify(matcher)} with another hook`,
    {
      hint: 'move the other hook into a separate group; nothing was written',
      details: { path },
    },
  );
}

function hooksIn(group: unknown): readonly unknown[] {
  const hooks = (group as Group | null)?.hooks;
  return Array.isArray(hooks) ? hooks : [];
}
