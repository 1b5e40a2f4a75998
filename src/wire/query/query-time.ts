/** Times in a search: `2026-01-31`, `2026-01-31T10:00Z`, or a duration before now, such as `24h`. */

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const DURATION = /^(\d{1,6})([smhdw])$/u;
const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/u;

/** Milliseconds of a duration such as `90s`, `30m`, `24h`, `7d` or `2w`; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit]!;
}

/** Milliseconds since 1970; undefined for anything else. A time without a zone is UTC. */
export function timeOf(text: string, now: number): number | undefined {
  const before = durationMs(text);
  if (before !== undefined) return now - before;
  const [, date, time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(milliseconds)) return undefined;
  // The parser of dates takes February 30 for March 2.
  return new Date(`${date}T00:00Z`).toISOString().startsWith(date) ? milliseconds : undefined;
}
