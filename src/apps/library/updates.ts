import type { ToolResult } from '../../wire/tool.ts';

/** Yields the partial results of a call, then its result. A slow consumer misses partial results, never the last one. */
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
  // Awaited below. If the consumer stops earlier, a rejection must not end the process.
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
