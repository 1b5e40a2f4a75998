import { expect, test } from 'vitest';
import { FAR_BEHIND, LiveOutput, TAIL_BYTES } from '../../../../../src/page/screens/sessions/live/live-output.ts';
import { CallError } from '../../../../../src/page/socket/calls.ts';
import type { OutputListener } from '../../../../../src/page/socket/subscriptions.ts';
import { eventLoopTurns, until } from '../../../../support/patience.ts';
import { sessionExample } from '../session-example.ts';

const MB = 1 << 20;

/** A log of which the test delivers parts, and a view that records what it shows. */
function start(logEnd: () => number | Promise<number>) {
  const events: string[] = [];
  const follows: { readonly after: number; readonly listener: OutputListener; isOpen: boolean }[] = [];
  let show: () => Promise<boolean> = async () => true;
  const output = new LiveOutput({
    follow(after, listener) {
      const follow = { after, listener, isOpen: true };
      follows.push(follow);
      return () => {
        follow.isOpen = false;
      };
    },
    logEnd: async () => logEnd(),
    view: {
      show: async (bytes) => {
        const isWhole = await show();
        events.push(`shown ${bytes.length}`);
        return isWhole;
      },
      gap: ({ why, bytes }) => events.push(`${why} ${bytes}`),
      end: ({ id }) => events.push(`end ${id}`),
      fail: (error) => events.push(`failed ${String(error)}`),
      followed: () => undefined,
    },
  });
  output.start();
  return {
    output,
    events,
    follows,
    slow: (next: () => Promise<boolean>): void => {
      show = next;
    },
    /** Resolves when the bytes are shown: then the server may send more. */
    deliver: async (start: number, length: number): Promise<void> => {
      await until(() => follows.length > 0, 'the subscription');
      await follows.at(-1)?.listener.output({ id: 1, start, stream: 'out', bytes: new Uint8Array(length) });
    },
  };
}

test('output is shown from the start, in order, and the end follows it', async () => {
  const { events, follows, deliver, slow } = start(() => 300);
  let release: (() => void) | undefined;
  slow(() => new Promise((resolve) => (release = () => resolve(true))));
  const first = deliver(0, 100);
  const second = deliver(100, 200);
  await until(() => follows.length > 0 && release !== undefined, 'the first bytes');
  follows[0]!.listener.gap(300, 50);
  follows[0]!.listener.end(sessionExample());
  expect(events).toEqual([]);
  release!();
  slow(async () => true);
  await Promise.all([first, second]);
  await until(() => events.length === 4, 'the end');
  expect(events).toEqual(['shown 100', 'shown 200', 'dropped 50', 'end brisk-otter']);
  expect(follows.map(({ after }) => after)).toEqual([0]);
});

test('a long log is shown from near its end, with the size of the rest', async () => {
  const { events, follows } = start(() => 50 * MB);
  await until(() => follows.length > 0, 'the subscription');
  expect(follows.map(({ after }) => after)).toEqual([50 * MB - TAIL_BYTES]);
  expect(events).toEqual([`skipped ${50 * MB - TAIL_BYTES}`]);
});

test('a view that cannot keep up skips to the end', async () => {
  let end = 0;
  const { events, follows, deliver } = start(() => end);
  await deliver(0, MB);
  end = 2 * MB + FAR_BEHIND + 1;
  await deliver(MB, MB);
  expect(follows.map(({ after, isOpen }) => [after, isOpen])).toEqual([
    [0, false],
    [end - TAIL_BYTES, true],
  ]);
  expect(events.at(-1)).toBe(`skipped ${end - TAIL_BYTES - 2 * MB}`);
  const late = follows[0]!.listener.output({ id: 1, start: 2 * MB, stream: 'out', bytes: new Uint8Array(10) });
  await late;
  expect(events.filter((event) => event === 'shown 10')).toEqual([]);
});

test('a hidden tab follows nothing, and continues from its position', async () => {
  const { output, events, follows, deliver } = start(() => 1000);
  await deliver(0, 400);
  output.stop();
  expect(follows[0]!.isOpen).toBe(false);
  output.start();
  await until(() => follows.length === 2, 'the second subscription');
  expect(follows[1]!.after).toBe(400);
  expect(events).toEqual(['shown 400']);
});

test('a view whose start failed can be started again', async () => {
  let isLive = false;
  const { output, events, follows, deliver } = start(() => {
    if (isLive) return 0;
    throw new Error('no link');
  });
  await until(() => events.length === 1, 'the failure');
  isLive = true;
  output.start();
  await deliver(0, 10);
  expect([events, follows.length]).toEqual([['failed Error: no link', 'shown 10'], 1]);
});

test('a view that was stopped before its start failed shows no failure', async () => {
  let fail: (error: Error) => void = () => undefined;
  const { output, events, follows } = start(() => new Promise<number>((_, reject) => (fail = reject)));
  output.stop();
  fail(new Error('the link was lost'));
  await eventLoopTurns();
  expect([events, follows]).toEqual([[], []]);
});

test('a subscription that failed can be followed again', async () => {
  const { output, events, follows } = start(() => 0);
  await until(() => follows.length === 1, 'the subscription');
  follows[0]!.listener.fail(new CallError({ code: 'PAGE_BUSY', message: 'busy' }));
  await until(() => events.length === 1, 'the failure');
  output.start();
  await until(() => follows.length === 2, 'the second subscription');
});

test('output that is too costly is a gap', async () => {
  const { events, deliver, slow } = start(() => 10);
  slow(async () => false);
  await deliver(0, 10);
  expect(events).toEqual(['shown 10', 'costly 10']);
});

test('a session that has ended is not followed again', async () => {
  const { output, follows, events } = start(() => 0);
  await until(() => follows.length > 0, 'the subscription');
  follows[0]!.listener.end(sessionExample());
  await until(() => events.length === 1, 'the end');
  output.stop();
  output.start();
  await Promise.resolve();
  expect(follows.length).toBe(1);
});
