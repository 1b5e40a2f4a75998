/** When a rule expires. */
import { type CommandShape, usage } from '../arguments.ts';

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };

/** `12h`, `7d`, `2w`, `tomorrow` (24 hours from now), or a date in ISO 8601, in milliseconds since 1970. */
export function expiryOf(shape: CommandShape, text: string, now: number): number {
  if (text === 'tomorrow') return now + 24 * HOUR;
  const [, count, unit] = /^(\d{1,4})([hdw])$/u.exec(text) ?? [];
  const time =
    count !== undefined && unit !== undefined
      ? now + Number(count) * UNITS[unit]!
      : /^\d{4}-\d\d-\d\d/u.test(text)
        ? Date.parse(text)
        : Number.NaN;
  if (!Number.isFinite(time))
    throw usage(
      shape,
      `--until ${JSON.stringify(text)} is not a time`,
      'write 12h, 7d, tomorrow, or a date such as 2030-01-31',
    );
  if (time <= now) throw usage(shape, `--until ${JSON.stringify(text)} is in the past`);
  return time;
}
