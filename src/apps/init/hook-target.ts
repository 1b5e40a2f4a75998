/** The hook in a client's file: a group of its own in the list of an event, for every tool of the client. */
import { Fault } from '../../base/fault.ts';
import type { Client, ClientHooks } from './clients.ts';
import type { PlacedHook } from './codex-trust.ts';
import { isBlank } from './edited.ts';
import { jsonEditor } from './json-editor.ts';
import { shellLine } from './launch.ts';
import { addedToHook, OR_BLOCK } from './ours.ts';
import type { InitRecord } from './record.ts';
import { type FileTarget, json5 } from './targets.ts';

/** The tools are told apart by the hook itself, so that no new tool of a client passes it by. */
const EVERY_TOOL = '*';

interface Group {
  readonly matcher?: unknown;
  readonly hooks?: unknown;
}

/** The file of hooks with ours in it; `launch` are the words that start this program. */
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
  const isAlone = (list: readonly unknown[], group: number): boolean => hooksIn(list[group]).length === 1;
  /** The whole group, unless somebody put another hook into it. */
  const pathOf = (list: readonly unknown[], [group, hook]: HookPlace): readonly string[] =>
    isAlone(list, group) ? [String(group)] : [String(group), 'hooks', String(hook)];
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
        if (!isAlone(list, first[0])) refuseOtherMatcher(list[first[0]] as Group, path);
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
  /** Of a file that is not understood the editor tells first. */
  const countIn = (text: string): number =>
    editor.find(text) === undefined ? 0 : placesIn(listIn(text, hooks, parse), client).length;
  /** The text with at most so many hooks of ours; the last ones go first. */
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

/** Our hook in the text of a file; undefined where there is none. */
export async function placedHook(client: Client, hooks: ClientHooks, text: string): Promise<PlacedHook | undefined> {
  const list = listIn(text, hooks, await json5());
  const [first] = placesIn(list, client);
  if (first === undefined) return undefined;
  const [group, index] = first;
  const { matcher } = list[group] as Group;
  return { group, index, matcher, hook: hooksIn(list[group])[index] as PlacedHook['hook'] };
}

/** The groups of the event in the text of a file; none where it is blank or has another form. */
function listIn(text: string, { event }: ClientHooks, parse: (text: string) => unknown): readonly unknown[] {
  if (isBlank(text)) return [];
  const file = parse(text) as { readonly hooks?: Readonly<Record<string, unknown>> } | null;
  const list = file?.hooks?.[event];
  return Array.isArray(list) ? list : [];
}

type HookPlace = readonly [group: number, hook: number];

/** All hooks of ours; an earlier version or a person may have left more than one. */
function placesIn(list: readonly unknown[], client: Client): readonly HookPlace[] {
  return list.flatMap((group, i) =>
    hooksIn(group).flatMap((hook, j) => (addedToHook(hook, client.name) === undefined ? [] : [[i, j] as const])),
  );
}

/** Whether clients start the hooks of a group with this matcher for each of their tools. */
export function isForEveryTool(matcher: unknown): boolean {
  return matcher === EVERY_TOOL || matcher === '' || matcher === undefined;
}

/** A group that another hook shares is not ours to change, and with another matcher it would leave tools unjudged. */
function refuseOtherMatcher({ matcher }: Group, path: string): void {
  if (isForEveryTool(matcher)) return;
  throw new Fault(
    'CONFIG_CLIENT_CONFLICT',
    `${path}: the hook of pincer shares a group for ${JSON.stringify(matcher)} with another hook`,
    {
      hint: 'move the other hook into a group of its own; nothing was written',
      details: { path },
    },
  );
}

function hooksIn(group: unknown): readonly unknown[] {
  const hooks = (group as Group | null)?.hooks;
  return Array.isArray(hooks) ? hooks : [];
}
