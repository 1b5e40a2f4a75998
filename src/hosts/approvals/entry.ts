/** Parses one allowlist entry or deny rule. */
import { ExactNumber, JsonObject, type JsonValue } from '../../text/json/value.ts';
import type { AllowlistEntry } from '../../wire/policy.ts';

/** Members that restrict or test a rule. Ignoring an invalid one would make the rule wider than intended. */
const TEXTS = ['pattern', 'argPattern', 'reason', 'cwd'] as const;
const LISTS = ['args', 'match', 'notMatch', 'argv'] as const;
const TIMES = ['expiresAt'] as const;
/** Members that only describe the rule; an invalid one is ignored and preserved in the file. */
const NOTES = {
  id: 'string',
  source: 'string',
  lastUsedAt: 'number',
  lastUsedCommand: 'string',
  lastResolvedPath: 'string',
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
    } else if (Object.hasOwn(NOTES, key)) {
      const note = value instanceof ExactNumber ? Number(value.text) : value;
      if (typeof note === NOTES[key as keyof typeof NOTES]) entry[key] = note;
    }
  }
  if (typeof entry['pattern'] !== 'string' || entry['pattern'].trim() === '') return { problem: 'it has no pattern' };
  return { entry: entry as unknown as AllowlistEntry };
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
  return [...TEXTS, ...LISTS]
    .filter((key) => key !== 'reason' && key !== 'match' && key !== 'notMatch')
    .every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function isOneOf(key: string, names: readonly string[]): boolean {
  return names.includes(key);
}
