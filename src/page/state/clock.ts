/** Time comes from the server: countdowns and ages are computed from it, never pushed. */
import { signal } from '@preact/signals';

/** Server time minus the time of this machine. */
const offset = signal(0);
/** Changes once a second, so that what shows a time is drawn again. */
const tick = signal(Date.now());

export function setServerTime(serverNow: number): void {
  offset.value = serverNow - Date.now();
}

/** The time of the server. A component that calls it is drawn again every second. */
export function serverNow(): number {
  return Math.max(tick.value, Date.now()) + offset.value;
}

/** The time of the server, for a single use. */
export function peekServerNow(): number {
  return Date.now() + offset.peek();
}

export function startClock(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') tick.value = Date.now();
  }, 1000);
  document.addEventListener('visibilitychange', () => {
    tick.value = Date.now();
  });
}
