/** Parses the approvals file. Anything that is not understood is a reason to deny, never to allow. */
import { ExactNumber, JsonObject, readJson, type JsonValue } from '../../text/json/value.ts';
import { type AllowlistEntry, type Ask, ASKS, type Rule, SECURITIES, type Security } from '../../wire/policy.ts';
import { membersSince2, readEntry, SINCE_2 } from './entry.ts';
import type { ApprovalRules, CheckRules } from './shape.ts';

const SECTION_KEYS: readonly string[] = ['security', 'ask', 'askFallback', 'allowlist', 'deny'];
const FILE_KEYS: readonly string[] = ['version', 'socket', 'defaults', 'agents', 'deny'];
const ENTRY_KEYS: readonly string[] =
  'id pattern argPattern args argv cwd reason match notMatch expiresAt source lastUsedAt lastUsedCommand lastResolvedPath class said at by'.split(
    ' ',
  );
const ENTRY_KEYS_2: readonly string[] = [...ENTRY_KEYS, ...SINCE_2];
export const VERSIONS = [1, 2] as const;
/** Keys of other programs, which have no effect here. */
const FOREIGN_KEYS: readonly string[] = ['autoAllowSkills', 'mcpTools'];

/** The rules of one section: for an agent, for all agents, or the defaults. */
export interface Section {
  readonly security?: Security;
  readonly ask?: Ask;
  readonly askFallback?: Security;
  readonly allowlist: readonly AllowlistEntry[];
  readonly deny: readonly Rule[];
}

export interface ApprovalsDocument {
  /** As parsed: unknown keys are preserved. */
  readonly json: JsonObject;
  readonly defaults: Section;
  readonly agents: ReadonlyMap<string, Section>;
  /** One sentence for each member without effect. They are preserved, but their author may expect an effect. */
  readonly remarks: readonly string[];
}

export interface DocumentOptions {
  readonly checkRules: CheckRules;
  /** The replacement for `~` in patterns; without it, such a pattern is not a path and never matches. */
  readonly home?: string | undefined;
}

/** Files from before agents had names call the main agent `default`. */
export function agentKey(agent: string): string {
  return agent === 'default' ? 'main' : agent;
}

/** Parses the file, or returns why and where it is invalid. */
export function readDocument(text: string, options: DocumentOptions): ApprovalsDocument | { readonly broken: string } {
  try {
    return read(text, options);
  } catch (error) {
    if (error instanceof InvalidDocument) return { broken: error.message };
    throw error;
  }
}

/** The rules for one agent: its own values, then those of all agents, then the defaults; lists are combined. */
export function rulesForAgent(document: ApprovalsDocument | { readonly broken: string }, agent: string): ApprovalRules {
  if ('broken' in document)
    return { security: 'deny', askFallback: 'deny', allowlist: [], deny: [], broken: document.broken };
  const own = document.agents.get(agentKey(agent));
  const all = agent === '*' ? undefined : document.agents.get('*');
  const security = own?.security ?? all?.security ?? document.defaults.security;
  const ask = own?.ask ?? all?.ask ?? document.defaults.ask;
  const askFallback = own?.askFallback ?? all?.askFallback ?? document.defaults.askFallback;
  return {
    ...(security === undefined ? {} : { security }),
    ...(ask === undefined ? {} : { ask }),
    ...(askFallback === undefined ? {} : { askFallback }),
    allowlist: [...(own?.allowlist ?? []), ...(all?.allowlist ?? [])],
    deny: [...(own?.deny ?? []), ...(all?.deny ?? []), ...document.defaults.deny],
  };
}

class InvalidDocument extends Error {}

function read(text: string, options: DocumentOptions): ApprovalsDocument {
  const parsed = readJson(text);
  if ('error' in parsed) {
    const line = text.slice(0, parsed.error.offset).split('\n').length;
    throw new InvalidDocument(`it is not JSON: line ${line}: ${parsed.error.message}`);
  }
  const json = objectAt('the file', parsed.value);
  const version = member(json, 'version');
  const known = VERSIONS.find((one) => one === version);
  if (known === undefined)
    throw new InvalidDocument(`version must be ${VERSIONS.join(' or ')}, not ${valueText(version)}`);
  const reading = { ...options, version: known };
  const defaults = sectionAt('defaults', member(json, 'defaults'), reading);
  // A deny rule outside the sections applies to all agents.
  const deny = entriesAt('deny', member(json, 'deny'), 'deny', reading);
  const agents = new Map<string, Section>();
  for (const [name, value] of objectAt('agents', member(json, 'agents') ?? new JsonObject([])).entries) {
    const section = sectionAt(`agents.${name}`, value, reading);
    const other = agents.get(agentKey(name));
    agents.set(agentKey(name), other === undefined ? section : joined(section, other, name === 'default'));
  }
  return {
    json,
    defaults: { ...defaults, deny: [...defaults.deny, ...deny] },
    agents,
    remarks: remarksOn(json, known),
  };
}

interface Reading extends DocumentOptions {
  readonly version: (typeof VERSIONS)[number];
}

function remarksOn(json: JsonObject, version: Reading['version']): readonly string[] {
  const entryKeys = version === 1 ? ENTRY_KEYS : ENTRY_KEYS_2;
  const sections = [
    ['defaults', member(json, 'defaults')] as const,
    ...membersOf(member(json, 'agents')).map(([name, value]) => [`agents.${name}`, value] as const),
  ];
  const lists = [
    ['deny', member(json, 'deny')] as const,
    ...sections.flatMap(([place, section]) =>
      membersOf(section)
        .filter(([key]) => key === 'allowlist' || key === 'deny')
        .map(([key, list]) => [`${place}.${key}`, list] as const),
    ),
  ];
  const defaultsList = membersOf(member(json, 'defaults')).some(([key]) => key === 'allowlist');
  return [
    ...unknownKeys('', json, FILE_KEYS),
    ...sections.flatMap(([place, section]) => unknownKeys(place, section, SECTION_KEYS)),
    ...(defaultsList ? ['defaults.allowlist has no effect; write it under agents, as in agents["*"].allowlist'] : []),
    ...lists.flatMap(([place, list]) =>
      (Array.isArray(list) ? list : []).flatMap((entry, i) => unknownKeys(`${place}[${i}]`, entry, entryKeys)),
    ),
  ];
}

function unknownKeys(place: string, value: JsonValue | undefined, known: readonly string[]): readonly string[] {
  return membersOf(value)
    .filter(([key]) => !known.includes(key) && !FOREIGN_KEYS.includes(key))
    .map(([key]) => {
      const isMisplaced = place === '' && SECTION_KEYS.includes(key);
      const advice = isMisplaced ? 'write it under defaults or agents' : `known keys: ${known.join(', ')}`;
      return `${place === '' ? '' : `${place}.`}${key} has no effect; ${advice}`;
    });
}

function membersOf(value: JsonValue | undefined): JsonObject['entries'] {
  return value instanceof JsonObject ? value.entries : [];
}

/** The section of the main agent takes precedence over the one under its old name. */
function joined(section: Section, other: Section, isOldName: boolean): Section {
  const [first, second] = isOldName ? [other, section] : [section, other];
  return {
    ...second,
    ...first,
    allowlist: [...first.allowlist, ...second.allowlist],
    deny: [...first.deny, ...second.deny],
  };
}

function sectionAt(place: string, value: JsonValue | undefined, options: Reading): Section {
  if (value === undefined) return { allowlist: [], deny: [] };
  const json = objectAt(place, value);
  const security = wordAt(`${place}.security`, member(json, 'security'), SECURITIES);
  const ask = wordAt(`${place}.ask`, member(json, 'ask'), ASKS);
  const askFallback = wordAt(`${place}.askFallback`, member(json, 'askFallback'), SECURITIES);
  return {
    ...(security === undefined ? {} : { security }),
    ...(ask === undefined ? {} : { ask }),
    ...(askFallback === undefined ? {} : { askFallback }),
    allowlist: entriesAt(`${place}.allowlist`, member(json, 'allowlist'), 'allow', options),
    deny: entriesAt(`${place}.deny`, member(json, 'deny'), 'deny', options),
  };
}

function entriesAt(
  place: string,
  value: JsonValue | undefined,
  kind: 'allow' | 'deny',
  { checkRules, home, version }: Reading,
): readonly AllowlistEntry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new InvalidDocument(`${place} must be a list`);
  const entries = value.map((item, index) => {
    const read = readEntry(item);
    if ('problem' in read) throw new InvalidDocument(`${place}[${index}]: ${read.problem}`);
    const newer = membersSince2(read.entry);
    if (newer.length > 0 && version === 1)
      throw new InvalidDocument(
        `${place}[${index}]: ${newer.join(' and ')} ${newer.length === 1 ? 'needs' : 'need'} "version": 2`,
      );
    if (newer.length > 0 && kind === 'deny')
      throw new InvalidDocument(`${place}[${index}]: ${newer.join(' and ')} cannot limit a deny rule`);
    const { pattern, below } = read.entry;
    return {
      ...read.entry,
      pattern: withHome(pattern, home),
      ...(below === undefined ? {} : { below: withHome(below, home) }),
    };
  });
  // A bare name in the allowlist matches nothing, which is harmless and was always ignored. A deny rule that matches nothing is not harmless.
  const checked = entries
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => kind === 'deny' || entry.pattern.includes('/'));
  const [problem] = checkRules(
    checked.map(({ entry }) => entry),
    kind,
  );
  if (problem === undefined) return entries;
  throw new InvalidDocument(`${place}[${checked[problem.index]?.index}]: ${problem.message}`);
}

function withHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith('~/') ? home + path.slice(1) : path;
}

function objectAt(place: string, value: JsonValue): JsonObject {
  if (!(value instanceof JsonObject)) throw new InvalidDocument(`${place} must be an object`);
  const seen = new Set<string>();
  for (const [key] of value.entries) {
    // Two programs could each use a different one.
    if (seen.has(key)) throw new InvalidDocument(`${place} contains ${JSON.stringify(key)} twice`);
    seen.add(key);
  }
  return value;
}

function wordAt<T extends string>(place: string, value: JsonValue | undefined, allowed: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((word) => word === value);
  if (found === undefined)
    throw new InvalidDocument(`${place} must be ${allowed.join(' or ')}, not ${valueText(value)}`);
  return found;
}

function member(json: JsonObject, name: string): JsonValue | undefined {
  return json.entries.find(([key]) => key === name)?.[1];
}

/** A value for a message, shortened. */
function valueText(value: JsonValue | undefined): string {
  if (value === undefined) return 'missing';
  if (value instanceof ExactNumber) return value.text;
  return value instanceof JsonObject || Array.isArray(value) ? 'something else' : JSON.stringify(value).slice(0, 60);
}
