/** The longest delay of `setTimeout`. */
export const LONGEST_TIMER = 0x7fff_ffff;

/** Calls `onTimeout` after `ms` on a monotonic clock; returns a function that cancels it. */
export function deadline(ms: number, onTimeout: () => void, monotonic: () => number): () => void {
  const due = monotonic() + ms;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = due - monotonic();
    if (left <= 0) onTimeout();
    else timer = setTimeout(arm, Math.min(Math.ceil(left), LONGEST_TIMER));
  };
  timer = setTimeout(arm, Math.min(ms, LONGEST_TIMER));
  return () => clearTimeout(timer);
}
