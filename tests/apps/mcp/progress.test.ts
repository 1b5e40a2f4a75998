import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { progressOf } from '../../../src/apps/mcp/progress.ts';
import type { ToolResult } from '../../../src/wire/tool.ts';

const partial = (text: string): ToolResult => ({ content: [{ type: 'text', text }], details: {} });

/** A request whose client asked for progress, on a fake clock. */
function request() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: unknown[] = [];
  const notify = async ({ params }: { params: { progress: number; message: string } }) =>
    void told.push([params.progress, params.message]);
  const context = { mcpReq: { _meta: { progressToken: 't' }, notify } } as unknown as ServerContext;
  return { told, progress: progressOf(context, () => undefined)! };
}

it('sends the newest line once a second, or the duration without one', async () => {
  const { told, progress } = request();
  progress.update(partial('one\ntwo\n'));
  progress.update(partial('one\ntwo\nthree\n'));
  await vi.advanceTimersByTimeAsync(999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await vi.advanceTimersByTimeAsync(1_000);
  progress.waitFor('waiting for approval a1');
  await vi.advanceTimersByTimeAsync(1_000);
  progress.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told).toEqual([
    [1, 'three'],
    [2, 'running for 2 s'],
    [3, 'waiting for approval a1'],
  ]);
});

it('is not sent to a client that did not request it', () => {
  const context = { mcpReq: {} } as ServerContext;
  expect(progressOf(context, () => undefined)).toBeUndefined();
});
