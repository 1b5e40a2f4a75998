/** One entry of an allowlist or of the deny rules, from its JSON. */
import { ExactNumber, JsonObject, type JsonValue } from '../../text/json/value.ts';
import type { AllowlistEntry } from '../../wire/policy.ts';

/** Members that narrow a rule or prove it: one that cannot be read would leave the rule wider than it was meant. */
const TEXTS = ['pattern', 'argPattern', 'reason', 'cwd'] as const;
const LISTS = ['args', 'match', 'notMatch', 'argv'] as const;
/** Members that only tell of the rule; one that cannot be read is passed over, and kept in the file. */
const NOTES = {
  id: 'string',
  source: 'string',
  lastUsedAt: 'number',
  lastUsedCommand: 'string',
  lastResolvedPath: 'string',
};

/** Reads an entry; a bare string is its pattern. */
export function readEntry(json: JsonValue): { readonly entry: AllowlistEntry } | { readonly problem: string } {
  if (typeof json === 'string') return readEntry(new JsonObject([['pattern', json]]));
  if (!(json instanceof JsonObject)) return { problem: 'an entry is a pattern or an object with one' };
  const entry: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [key, value] of json.entries) {
    if (seen.has(key)) return { problem: `it says ${JSON.stringify(key)} twice` };
    seen.add(key);
    if (isOneOf(key, TEXTS)) {
      if (typeof value !== 'string') return { problem: `${key} must be a text` };
      entry[key] = value;
    } else if (isOneOf(key, LISTS)) {
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        return { problem: `${key} must be a list of texts` };
      entry[key] = value;
    } else if (Object.hasOwn(NOTES, key)) {
      const note = value instanceof ExactNumber ? Number(value.text) : value;
      if (typeof note === NOTES[key as keyof typeof NOTES]) entry[key] = note;
    }
  }
  if (typeof entry['pattern'] !== 'string' || entry['pattern'].trim() === '') return { problem: 'it has no pattern' };
  return { entry: entry as unknown as AllowlistEntry };
}

/** Whether two entries allow the same: what only tells of them does not count. */
export function allowsTheSame(a: AllowlistEntry, b: AllowlistEntry): boolean {
  return [...TEXTS, ...LISTS]
    .filter((key) => key !== 'reason' && key !== 'match' && key !== 'notMatch')
    .every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function isOneOf(key: string, names: readonly string[]): boolean {
  return names.includes(key);
}
