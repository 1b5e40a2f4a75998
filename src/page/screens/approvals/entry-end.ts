/** When an entry that an answer stores expires. */
export const ENDS = [
  { value: 'never', text: 'Never' },
  { value: 'tonight', text: 'Tonight' },
  { value: 'hour', text: 'In 1 hour' },
] as const;
export type End = (typeof ENDS)[number]['value'];

const HOUR_MS = 3_600_000;

/** Undefined for never. Tonight is the next midnight where the browser is. */
export function endTime(end: End, now: number): number | undefined {
  if (end === 'never') return undefined;
  if (end === 'hour') return now + HOUR_MS;
  const midnight = new Date(now);
  midnight.setHours(24, 0, 0, 0);
  return midnight.getTime();
}
