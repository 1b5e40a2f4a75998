const LOG_MS = 60_000;
const MOST_LINES = 20;

/** For lines that other machines cause: at most 20 in a minute, and the number of the others. */
export function limitedLog(log: (text: string) => void, now: () => number = Date.now): (text: string) => void {
  let since = Number.NEGATIVE_INFINITY;
  let lines = 0;
  return (text) => {
    // The clock may have been set back.
    if (Math.abs(now() - since) >= LOG_MS) {
      if (lines > MOST_LINES) log(`${lines - MOST_LINES} more lines about connections of nodes were left out`);
      since = now();
      lines = 0;
    }
    lines++;
    if (lines <= MOST_LINES) log(text);
  };
}
