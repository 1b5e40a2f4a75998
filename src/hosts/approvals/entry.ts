/** Parses one allowlist entry or deny rule. */
import { ExactNumber, JsonObject, type JsonValue, writeJson } from '../../text/json/value.ts';
import { Mismatch } from '../../wire/mismatch.ts';
import type { AllowlistEntry, BoundText } from '../../wire/policy.ts';
import { CALL_CLASSES } from '../../wire/profile.ts';
import { type Shape, shape } from '../../wire/rules/shape.ts';
import { array, check } from '../../wire/schema.ts';

/** Members that restrict or test a rule. Ignoring an invalid one would make the rule wider than intended. */
const TEXTS = ['pattern', 'argPattern', 'reason', 'cwd', 'below'] as const;
const LISTS = ['args', 'match', 'notMatch', 'argv', 'words'] as const;
const TIMES = ['expiresAt'] as const;
const CHOICES = { where: ['sandbox', 'gateway'], access: ['read', 'write'], arguments: ['any'] } as const;
/** Members that only version 2 of the file has. A program that knows version 1 would ignore them. */
export const SINCE_2 = ['words', 'below', 'where', 'bound', 'access', 'arguments', 'shapes'] as const;
/** Members that only describe the rule; an invalid one is ignored and preserved in the file. */
const NOTES = {
  id: 'string',
  source: 'string',
  lastUsedAt: 'number',
  lastUsedCommand: 'string',
  lastResolvedPath: 'string',
  class: 'string',
  said: 'string',
  at: 'number',
  by: 'string',
};

/** A bare string is the pattern. */
export function readEntry(json: JsonValue): { readonly entry: AllowlistEntry } | { readonly problem: string } {
  if (typeof json === 'string') return readEntry(new JsonObject([['pattern', json]]));
  if (!(json instanceof JsonObject)) return { problem: 'an entry must be a pattern or an object with a pattern' };
  const entry: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [key, value] of json.entries) {
    if (seen.has(key)) return { problem: `it contains ${JSON.stringify(key)} twice` };
    seen.add(key);
    if (isOneOf(key, TEXTS)) {
      if (typeof value !== 'string') return { problem: `${key} must be a string` };
      entry[key] = value;
    } else if (isOneOf(key, LISTS)) {
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        return { problem: `${key} must be a list of strings` };
      entry[key] = value;
    } else if (isOneOf(key, TIMES)) {
      const time = value instanceof ExactNumber ? Number(value.text) : value;
      if (typeof time !== 'number' || !Number.isFinite(time))
        return { problem: `${key} must be a time in milliseconds since 1970` };
      entry[key] = time;
    } else if (Object.hasOwn(CHOICES, key)) {
      const choices: readonly string[] = CHOICES[key as keyof typeof CHOICES];
      if (typeof value !== 'string' || !choices.includes(value))
        return { problem: `${key} must be ${choices.join(' or ')}` };
      entry[key] = value;
    } else if (key === 'bound') {
      const bound = boundIn(value);
      if (bound === undefined)
        return { problem: 'bound must be a list of objects with file, sha256 and, optionally, at and text' };
      entry[key] = bound;
    } else if (key === 'shapes') {
      const read = readShapes(value);
      if ('problem' in read) return read;
      entry[key] = read.shapes;
    } else if (Object.hasOwn(NOTES, key)) {
      const note = value instanceof ExactNumber ? Number(value.text) : value;
      const isKnown = key !== 'class' || CALL_CLASSES.some((one) => one === note);
      if (typeof note === NOTES[key as keyof typeof NOTES] && isKnown) entry[key] = note;
    }
  }
  if (typeof entry['pattern'] !== 'string' || entry['pattern'].trim() === '') return { problem: 'it has no pattern' };
  const read = entry as unknown as AllowlistEntry;
  const problem = contradictionIn(read);
  return problem === undefined ? { entry: read } : { problem };
}

/** The members of an entry that need version 2 of the file. */
export function membersSince2(entry: AllowlistEntry): readonly string[] {
  return SINCE_2.filter((key) => entry[key] !== undefined);
}

/** A member that has no effect beside another one. */
function contradictionIn({
  pattern,
  words,
  args,
  argv,
  argPattern,
  access,
  arguments: any,
  below,
  shapes,
}: AllowlistEntry): string | undefined {
  const limits = Object.entries({ words, args, argv, argPattern, shapes }).filter(([, value]) => value !== undefined);
  const names = limits.map(([name]) => name).join(' and ');
  if (words !== undefined && limits.length > 1) return `${names} exclude each other`;
  if (words?.slice(0, -1).includes('*') === true) return 'only the last of words may be *';
  if (any !== undefined && limits.length > 0) return `arguments and ${names} exclude each other`;
  if (access !== undefined && (any !== undefined || limits.length > 0))
    return 'an entry with access is about a folder and has no arguments';
  if (access !== undefined && /[*?]/u.test(pattern))
    return 'the pattern of an entry with access is a folder without wildcards';
  return below === undefined || /^[/~]/u.test(below) ? undefined : 'below must be an absolute path';
}

const SHA256 = /^(?:[0-9a-f]{64}|absent)$/u;

function boundIn(json: JsonValue): readonly BoundText[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const found = json.map((item) => {
    if (!(item instanceof JsonObject)) return undefined;
    const members = new Map(item.entries);
    const [file, sha256, at, text] = ['file', 'sha256', 'at', 'text'].map((name) => members.get(name));
    const isValid =
      members.size === item.entries.length &&
      typeof file === 'string' &&
      typeof sha256 === 'string' &&
      SHA256.test(sha256) &&
      [at, text].every((one) => one === undefined || typeof one === 'string');
    if (!isValid) return undefined;
    const more = { ...(typeof at === 'string' ? { at } : {}), ...(typeof text === 'string' ? { text } : {}) };
    return { file, sha256, ...more };
  });
  return found.every((one) => one !== undefined) ? found : undefined;
}

function readShapes(json: JsonValue): { readonly shapes: readonly Shape[] } | { readonly problem: string } {
  try {
    return { shapes: check(array(shape), JSON.parse(writeJson(json, { indent: '' })), 'shapes') };
  } catch (error) {
    if (error instanceof Mismatch) return { problem: error.message };
    throw error;
  }
}

/** Whether two entries allow the same; descriptive members are ignored. */
export function allowsTheSame(a: AllowlistEntry, b: AllowlistEntry): boolean {
  return a.expiresAt === b.expiresAt && coversTheSame(a, b);
}

/** Whether an entry allows what another one allows, at least as long. */
export function allowsAsLong(entry: AllowlistEntry, other: AllowlistEntry): boolean {
  const { expiresAt: end = Number.POSITIVE_INFINITY } = entry;
  return coversTheSame(entry, other) && end >= (other.expiresAt ?? Number.POSITIVE_INFINITY);
}

function coversTheSame(a: AllowlistEntry, b: AllowlistEntry): boolean {
  return [...TEXTS, ...LISTS, ...SINCE_2]
    .filter((key) => key !== 'reason' && key !== 'match' && key !== 'notMatch')
    .every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

/** Whether two entries are about the same commands, whatever texts they are bound to and wherever they run. */
export function isAboutTheSame(a: AllowlistEntry, b: AllowlistEntry): boolean {
  const { bound: _, where: __, ...rest } = a;
  const { bound: ___, where: ____, ...other } = b;
  return coversTheSame(rest, other);
}

function isOneOf(key: string, names: readonly string[]): boolean {
  return names.includes(key);
}
