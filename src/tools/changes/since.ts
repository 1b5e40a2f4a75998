import { Fault } from '../../base/fault.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses an ISO time or an age (`90s`, `10m`, `2h`, `1d`, `1w`) to milliseconds. `caller` is the tool or command in messages. */
export function parseSince(caller: string, text: string, now: number = Date.now()): number {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  const time = /^\d{4}-\d\d-\d\d/u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new Fault('PARAM_INVALID', `${caller}: ${JSON.stringify(text)} is not a time`, {
    hint: 'write an ISO time (2026-05-01T12:00) or an age: 90s, 10m, 2h, 1d',
    details: { parameter: 'since' },
  });
}
