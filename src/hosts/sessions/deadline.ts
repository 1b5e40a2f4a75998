/** A timer of the platform takes no more than 2^31 - 1 ms. */
const LONGEST_TIMER = 0x7fff_ffff;

/** Calls `late` once so many milliseconds have passed on a clock that never jumps; the answer calls it off. */
export function deadline(ms: number, late: () => void, monotonic: () => number): () => void {
  const due = monotonic() + ms;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = due - monotonic();
    if (left <= 0) late();
    else timer = setTimeout(arm, Math.min(Math.ceil(left), LONGEST_TIMER));
  };
  timer = setTimeout(arm, Math.min(ms, LONGEST_TIMER));
  return () => clearTimeout(timer);
}
