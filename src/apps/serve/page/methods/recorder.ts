/** Writes the audit rows of what pages do, where the daemon does not. */
import { createHash } from 'node:crypto';
import type { ConnectionOptions } from '../connection.ts';

/** Frequent actions, such as typing into a session, have one row in this time. */
const ONCE_MS = 60_000;
const MOST_REMEMBERED = 1_000;

export function recorder(now: () => number = () => performance.now()): ConnectionOptions['record'] {
  /** When a frequent action was last recorded. */
  const recorded = new Map<string, number>();
  return async (method, params, { gateway, by }) => {
    const details = method.recorded?.(params);
    if (details === undefined) return;
    // Its size does not depend on what the page sent.
    const key = createHash('sha256')
      .update(JSON.stringify([by, details]))
      .digest('base64');
    const before = recorded.get(key);
    if (method.recordedOnce === true && before !== undefined && now() - before < ONCE_MS) return;
    await gateway.call('login.record', { by, details });
    if (method.recordedOnce !== true) return;
    // Only after the row is stored: otherwise a failed write would leave the next actions without one.
    recorded.delete(key);
    recorded.set(key, now());
    const [oldest] = recorded.keys();
    if (recorded.size > MOST_REMEMBERED && oldest !== undefined) recorded.delete(oldest);
  };
}
