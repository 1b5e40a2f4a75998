import type { SharedKey } from '../../wire/nodes/fleet.ts';

/** New keys of a node in a day. */
export const MOST_NEW_KEYS = 8;
const DAY_MS = 86_400_000;

/** Each key that ends is recorded for the time of a token, and revoked at NATS: a node must not fill these lists. */
export function hasTooManyNewKeys(keys: readonly SharedKey[], now: number): boolean {
  // The clock may have been set back.
  const recent = keys.filter(({ endedAt }) => endedAt !== undefined && Math.abs(now - endedAt) < DAY_MS);
  return recent.length >= MOST_NEW_KEYS;
}
