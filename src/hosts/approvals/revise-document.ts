/** Changes to the approvals document. Each returns a new document and preserves unknown members. */
import { toJson } from '../../text/json/data.ts';
import { JsonObject, type JsonValue } from '../../text/json/value.ts';
import type { AllowlistEntry } from '../../wire/policy.ts';
import { agentKey } from './document.ts';
import { allowsAsLong, allowsTheSame, isAboutTheSame, membersSince2, readEntry } from './entry.ts';

export const EMPTY_DOCUMENT = new JsonObject([
  ['version', 1],
  ['defaults', new JsonObject([])],
  ['agents', new JsonObject([])],
]);

/** Migrates the document: `agents.default` becomes `main`, entries become objects with ids. */
export function migrateDocument(document: JsonObject): JsonObject {
  return replaceMember(document, 'agents', (agents) => {
    const sections = objectOf(agents).entries;
    const old = sections.find(([name]) => name === 'default')?.[1];
    const rest = new JsonObject(sections.filter(([name]) => name !== 'default'));
    const moved =
      old === undefined ? rest : replaceMember(rest, 'main', (main) => joined(objectOf(main), objectOf(old)));
    return new JsonObject(moved.entries.map(([name, section]) => [name, withIds(objectOf(section))] as const));
  });
}

function joined(main: JsonObject, old: JsonObject): JsonObject {
  let result = main;
  for (const [key, value] of old.entries)
    result = replaceMember(result, key, (own) => {
      if (own === undefined) return value;
      return Array.isArray(own) && Array.isArray(value) ? [...own, ...value] : own;
    });
  return result;
}

function withIds(section: JsonObject): JsonObject {
  if (!section.entries.some(([key]) => key === 'allowlist')) return section;
  return replaceMember(section, 'allowlist', (list) =>
    listOf(list).map((item) => {
      const entry = typeof item === 'string' ? new JsonObject([['pattern', item]]) : objectOf(item);
      return entry.entries.some(([key]) => key === 'id') ? entry : new JsonObject([['id', newId()], ...entry.entries]);
    }),
  );
}

/** Adds entries for an agent. An existing entry that allows the same as long is returned instead of being added again. */
export function withEntries(
  document: JsonObject,
  agent: string,
  entries: readonly AllowlistEntry[],
): { readonly document: JsonObject; readonly stored: readonly AllowlistEntry[] } {
  const stored: AllowlistEntry[] = [];
  const changed = changeAllowlist(document, agent, (list) => {
    const result = [...list];
    for (const entry of entries) {
      const known = result.map(entryOf).find((one) => one !== undefined && allowsAsLong(one, entry));
      const { id, ...rest } = entry;
      const added = known ?? { id: id ?? newId(), ...rest };
      stored.push(added);
      if (known !== undefined) continue;
      // A person accepted other texts for the same commands, so the old ones are no longer accepted.
      const at = result.findIndex((one) => isReplacedBy(entryOf(one), entry));
      if (at >= 0) result.splice(at, 1);
      result.push(toJson(added));
    }
    return result;
  });
  return { document: inVersionOf(changed, stored), stored };
}

function isReplacedBy(known: AllowlistEntry | undefined, entry: AllowlistEntry): boolean {
  return known !== undefined && membersSince2(entry).length > 0 && isAboutTheSame(known, entry);
}

/** A file gets version 2 with the first entry that needs it: programs that know version 1 then refuse the file. */
function inVersionOf(document: JsonObject, entries: readonly AllowlistEntry[]): JsonObject {
  if (!entries.some((entry) => membersSince2(entry).length > 0) || memberOf(document, 'version') === 2) return document;
  return replaceMember(document, 'version', () => 2);
}

/** Removes one entry of an agent, by id, or by pattern if that is unique. */
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

export interface Use {
  readonly agent: string;
  readonly entry: AllowlistEntry;
  readonly at: number;
  readonly command: string;
  readonly resolvedPath: string;
}

/** Records a use in the agent's own entry, or in that of all agents. */
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
        return Object.entries(notes).reduce(
          (json, [key, value]) => replaceMember(json, key, () => value),
          objectOf(item),
        );
      }),
    );
  return result;
}

function isSame(known: AllowlistEntry, entry: AllowlistEntry): boolean {
  return entry.id === undefined ? allowsTheSame(known, entry) : known.id === entry.id;
}

/** Changes the list of an agent; if nothing changes, the agent is not created either. */
function changeAllowlist(
  document: JsonObject,
  agent: string,
  work: (list: readonly JsonValue[]) => readonly JsonValue[],
): JsonObject {
  const section = objectOf(memberOf(objectOf(memberOf(document, 'agents')), agentKey(agent)));
  const before = listOf(memberOf(section, 'allowlist'));
  const after = [...work(before)];
  if (after.length === before.length && after.every((item, at) => item === before[at])) return document;
  return replaceMember(document, 'agents', (agents) =>
    replaceMember(objectOf(agents), agentKey(agent), (one) => replaceMember(objectOf(one), 'allowlist', () => after)),
  );
}

function entryOf(json: JsonValue): AllowlistEntry | undefined {
  const read = readEntry(json);
  return 'entry' in read ? read.entry : undefined;
}

/** Replaces one member in place; a new one is added last. */
export function replaceMember(
  json: JsonObject,
  name: string,
  work: (value: JsonValue | undefined) => JsonValue,
): JsonObject {
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

/** Loaded on demand: readers of the rules create no ids. */
function newId(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}
