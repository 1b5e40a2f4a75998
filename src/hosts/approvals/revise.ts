/** Changes to the document of the approvals file. Each gives a new document; what it does not know stays as it is. */
import { toJson } from '../../text/json/data.ts';
import { JsonObject, type JsonValue } from '../../text/json/value.ts';
import type { AllowlistEntry } from '../../wire/policy.ts';
import { agentKey } from './document.ts';
import { allowsTheSame, readEntry } from './entry.ts';

/** What an empty file says. */
export const EMPTY_DOCUMENT = new JsonObject([
  ['version', 1],
  ['defaults', new JsonObject([])],
  ['agents', new JsonObject([])],
]);

/** The document in today's form: `agents.default` is `main`, entries are objects and have ids. */
export function modern(document: JsonObject): JsonObject {
  return change(document, 'agents', (agents) => {
    const sections = objectOf(agents).entries;
    const old = sections.find(([name]) => name === 'default')?.[1];
    const rest = new JsonObject(sections.filter(([name]) => name !== 'default'));
    const moved = old === undefined ? rest : change(rest, 'main', (main) => joined(objectOf(main), objectOf(old)));
    return new JsonObject(moved.entries.map(([name, section]) => [name, withIds(objectOf(section))] as const));
  });
}

function joined(main: JsonObject, old: JsonObject): JsonObject {
  let result = main;
  for (const [key, value] of old.entries)
    result = change(result, key, (own) => {
      if (own === undefined) return value;
      return Array.isArray(own) && Array.isArray(value) ? [...own, ...value] : own;
    });
  return result;
}

function withIds(section: JsonObject): JsonObject {
  if (!section.entries.some(([key]) => key === 'allowlist')) return section;
  return change(section, 'allowlist', (list) =>
    listOf(list).map((item) => {
      const entry = typeof item === 'string' ? new JsonObject([['pattern', item]]) : objectOf(item);
      return entry.entries.some(([key]) => key === 'id') ? entry : new JsonObject([['id', newId()], ...entry.entries]);
    }),
  );
}

/** Adds entries for an agent. One that allows the same already is not added again, and is given in its place. */
export function withEntries(
  document: JsonObject,
  agent: string,
  entries: readonly AllowlistEntry[],
): { readonly document: JsonObject; readonly stored: readonly AllowlistEntry[] } {
  const stored: AllowlistEntry[] = [];
  const changed = changeAllowlist(document, agent, (list) => {
    const result = [...list];
    for (const entry of entries) {
      const known = result.map(entryOf).find((one) => one !== undefined && allowsTheSame(one, entry));
      const { id, ...rest } = entry;
      const added = known ?? { id: id ?? newId(), ...rest };
      if (known === undefined) result.push(toJson(added));
      stored.push(added);
    }
    return result;
  });
  return { document: changed, stored };
}

/** Takes one entry of an agent out, by its id or by its pattern when no other entry has the same. */
export function withoutEntry(
  document: JsonObject,
  agent: string,
  idOrPattern: string,
): { readonly document: JsonObject; readonly removed: AllowlistEntry | undefined } | 'ambiguous' {
  let removed: AllowlistEntry | undefined;
  let isAmbiguous = false;
  const changed = changeAllowlist(document, agent, (list) => {
    const entries = list.map(entryOf);
    const byId = entries.flatMap((entry, at) => (entry?.id === idOrPattern ? [at] : []));
    const found = byId.length > 0 ? byId : entries.flatMap((entry, at) => (entry?.pattern === idOrPattern ? [at] : []));
    isAmbiguous = found.length > 1;
    if (found.length !== 1) return list;
    removed = entries[found[0]!];
    return list.filter((_, at) => at !== found[0]);
  });
  return isAmbiguous ? 'ambiguous' : { document: changed, removed };
}

/** When an entry was used last, and for what. */
export interface Use {
  readonly agent: string;
  readonly entry: AllowlistEntry;
  readonly at: number;
  readonly command: string;
  readonly resolvedPath: string;
}

/** Notes a use in the agent's own entry, or in that of all agents. */
export function withUse(document: JsonObject, { agent, entry, at, command, resolvedPath }: Use): JsonObject {
  let isNoted = false;
  let result = document;
  for (const name of [agent, '*'])
    result = changeAllowlist(result, name, (list) =>
      list.map((item) => {
        const known = entryOf(item);
        if (isNoted || known === undefined || !isSame(known, entry)) return item;
        isNoted = true;
        const notes = { lastUsedAt: at, lastUsedCommand: command, lastResolvedPath: resolvedPath };
        return Object.entries(notes).reduce((json, [key, value]) => change(json, key, () => value), objectOf(item));
      }),
    );
  return result;
}

function isSame(known: AllowlistEntry, entry: AllowlistEntry): boolean {
  return entry.id === undefined ? allowsTheSame(known, entry) : known.id === entry.id;
}

/** The list of an agent, changed; without a change nothing is made, not even the agent. */
function changeAllowlist(
  document: JsonObject,
  agent: string,
  work: (list: readonly JsonValue[]) => readonly JsonValue[],
): JsonObject {
  const section = objectOf(memberOf(objectOf(memberOf(document, 'agents')), agentKey(agent)));
  const before = listOf(memberOf(section, 'allowlist'));
  const after = [...work(before)];
  if (after.length === before.length && after.every((item, at) => item === before[at])) return document;
  return change(document, 'agents', (agents) =>
    change(objectOf(agents), agentKey(agent), (one) => change(objectOf(one), 'allowlist', () => after)),
  );
}

function entryOf(json: JsonValue): AllowlistEntry | undefined {
  const read = readEntry(json);
  return 'entry' in read ? read.entry : undefined;
}

/** The object with one member made anew; it keeps its place, and a new one comes last. */
export function change(json: JsonObject, name: string, work: (value: JsonValue | undefined) => JsonValue): JsonObject {
  if (!json.entries.some(([key]) => key === name)) return new JsonObject([...json.entries, [name, work(undefined)]]);
  return new JsonObject(json.entries.map(([key, value]) => (key === name ? [key, work(value)] : [key, value])));
}

export function memberOf(json: JsonObject, name: string): JsonValue | undefined {
  return json.entries.find(([key]) => key === name)?.[1];
}

export function objectOf(json: JsonValue | undefined): JsonObject {
  return json instanceof JsonObject ? json : new JsonObject([]);
}

function listOf(json: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(json) ? json : [];
}

/** Loaded only here: whoever reads the rules makes no id. */
function newId(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}
