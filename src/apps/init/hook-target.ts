/** The hook in a client's file: a group of its own in the list of an event, for every tool of the client. */
import { Fault } from '../../base/fault.ts';
import type { Client, ClientHooks } from './clients.ts';
import type { PlacedHook } from './codex-trust.ts';
import { jsonEditor } from './json-editor.ts';
import { shellLine } from './launch.ts';
import { addedToHook, OR_BLOCK } from './ours.ts';
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
  const find = (list: readonly unknown[]) => placeIn(list, client);
  const isAlone = (list: readonly unknown[], group: number): boolean => hooksIn(list[group]).length === 1;
  const target = {
    at: ['hooks', hooks.event],
    value: { matcher: EVERY_TOOL, hooks: [hookWith([])] },
    inList: {
      find: (list: readonly unknown[]) => {
        const found = find(list);
        return found === undefined ? undefined : [String(found[0]), 'hooks', String(found[1])];
      },
      renew: (list: readonly unknown[]) => {
        const found = find(list);
        if (found === undefined) return undefined;
        const [group, hook] = found;
        if (isAlone(list, group)) return [String(group)];
        refuseOtherMatcher(list[group] as Group, path);
        return [String(group), 'hooks', String(hook)];
      },
      over: (present: unknown) => {
        const [only] = hooksIn(present);
        const renewed = (hook: unknown) => ({ ...(hook as object), ...hookWith(addedToHook(hook, client.name) ?? []) });
        return only === undefined ? renewed(present) : { matcher: EVERY_TOOL, hooks: [renewed(only)] };
      },
      remove: (list: readonly unknown[]) => {
        const found = find(list);
        if (found === undefined) return undefined;
        // The whole group, unless somebody put another hook into it.
        return isAlone(list, found[0]) ? [String(found[0])] : [String(found[0]), 'hooks', String(found[1])];
      },
    },
  };
  return { path, part: 'hook', editor: jsonEditor({ path, format: 'jsonc', target, parse: await json5() }) };
}

/** Our hook in the text of a file; undefined where there is none. */
export async function placedHook(
  client: Client,
  { event }: ClientHooks,
  text: string,
): Promise<PlacedHook | undefined> {
  const parse = await json5();
  const file = (text.trim() === '' ? {} : parse(text)) as { readonly hooks?: Readonly<Record<string, unknown>> } | null;
  const list = file?.hooks?.[event];
  const found = Array.isArray(list) ? placeIn(list, client) : undefined;
  if (found === undefined) return undefined;
  const [group, index] = found;
  const { matcher } = (list as readonly Group[])[group]!;
  return { group, index, matcher, hook: hooksIn((list as readonly unknown[])[group])[index] as PlacedHook['hook'] };
}

function placeIn(list: readonly unknown[], client: Client): readonly [group: number, hook: number] | undefined {
  for (const [i, group] of list.entries()) {
    const j = hooksIn(group).findIndex((one) => addedToHook(one, client.name) !== undefined);
    if (j >= 0) return [i, j];
  }
  return undefined;
}

/** A group that another hook shares is not ours to change, and with another matcher it would leave tools unjudged. */
function refuseOtherMatcher({ matcher }: Group, path: string): void {
  if (matcher === EVERY_TOOL || matcher === '' || matcher === undefined) return;
  throw new Fault(
    'CONFIG_CLIENT_CONFLICT',
    `${path}: our hook shares a group for ${JSON.stringify(matcher)} with another`,
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
