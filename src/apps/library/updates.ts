/** Answers that come bit by bit, for those who take them by asking for the next one. */
import type { ToolResult } from '../../wire/tool.ts';

/** What a call says so far, and its answer at the end. Whoever is slow misses what was said in between, never the answer. */
export async function* withUpdates(
  call: (onUpdate: (partial: ToolResult) => void) => Promise<ToolResult>,
): AsyncGenerator<ToolResult, void, undefined> {
  let latest: ToolResult | undefined;
  let wake = (): void => {};
  let ended = false;
  const answer = call((partial) => {
    latest = partial;
    wake();
  }).finally(() => {
    ended = true;
    wake();
  });
  // Heard below; whoever stops listening before must not bring the process down.
  answer.catch(() => {});
  while (!ended) {
    if (latest === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    const partial = latest;
    latest = undefined;
    yield partial;
  }
  yield await answer;
}
