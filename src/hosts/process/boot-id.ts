import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
/** Clocks are set by some seconds; a machine does not start twice in this time. */
const ROUNDING_MS = 60_000;

/** Identifies the start of this machine, in 16 letters and digits. Outside of Linux it may change when the clock is set. */
export function bootId(): string {
  const boot = existsSync(BOOT_ID_FILE)
    ? readFileSync(BOOT_ID_FILE, 'latin1').trim()
    : String(Math.round((Date.now() - uptime() * 1000) / ROUNDING_MS));
  return createHash('sha256').update(boot).digest('hex').slice(0, 16);
}
