import { expect, test } from 'vitest';
import { Playback } from '../../../../../src/page/screens/sessions/replay/playback.ts';
import { Replay } from '../../../../../src/page/screens/sessions/replay/replay.ts';
import { Drawing } from '../../../../../src/page/screens/sessions/terminal/drawing.ts';
import { eventLoopTurns, until } from '../../../../support/patience.ts';
import { headlessScreen } from '../headless.ts';
import { castText, givenRecording } from './recorded.ts';

const SIZE = { cols: 20, rows: 3 };

/** Plays with a clock that the test moves, one frame at a time. */
async function startPlayback(seek?: (replay: Replay, ms: number) => Promise<void>) {
  const { recording } = givenRecording(
    castText(SIZE, [
      [1_000, 'o', 'one '],
      [60_000, 'o', 'two '],
      [1_000, 'o', 'three'],
    ]),
  );
  await recording.extend();
  const screen = headlessScreen(SIZE);
  let now = 0;
  let frame: (() => void) | undefined;
  const replay = new Replay(recording, new Drawing(screen));
  let frames = 0;
  const drawn =
    seek === undefined
      ? replay
      : Object.assign(Object.create(replay) as Replay, {
          seek: (ms: number) => seek(replay, ms),
          nextEventMs: () => replay.nextEventMs(),
        });
  const playback = new Playback(recording, drawn, {
    now: () => now,
    nextFrame: (run) => {
      frames++;
      frame = run;
    },
  });
  return {
    playback,
    screen,
    /** How many frames were asked for. */
    frames: () => frames,
    /** The next frame, this much later. */
    advance: async (ms: number): Promise<void> => {
      await until(() => frame !== undefined, 'a frame');
      const run = frame!;
      frame = undefined;
      now += ms;
      run();
      await until(() => frame !== undefined || !playback.isPlaying.value, 'the next frame');
    },
  };
}

test('time passes with the chosen speed', async () => {
  const { playback, advance, screen } = await startPlayback();
  playback.toggle();
  await advance(500);
  expect(playback.ms.value).toBe(500);
  playback.speed.value = 8;
  await advance(100);
  expect(playback.ms.value).toBe(1300);
  expect(screen.picture()).toMatchObject({
    lines: [expect.stringMatching(/^one {17}$/u), expect.anything(), expect.anything()],
  });
  playback.toggle();
  await advance(1000);
  expect(playback.ms.value).toBe(1300);
});

test('a long pause is skipped on request, up to a moment before the next output', async () => {
  const { playback, advance } = await startPlayback();
  playback.skipsIdle.value = true;
  playback.toggle();
  await advance(1_000);
  expect(playback.ms.value).toBe(1_000);
  await advance(16);
  expect(playback.ms.value).toBe(60_700);
});

test('it stops at the end, and plays from the start after that', async () => {
  const { playback, advance, screen } = await startPlayback();
  await playback.seek(61_500);
  playback.toggle();
  await advance(10_000);
  expect([playback.ms.value, playback.isPlaying.value]).toEqual([62_000, false]);
  expect(screen.picture()).toMatchObject({ cursor: [13, 0] });
  playback.toggle();
  await advance(0);
  expect(playback.ms.value).toBe(0);
});

test('a pause and a play during a slow seek leave one loop', async () => {
  let finish: () => void = () => undefined;
  let isSlow = true;
  const { playback, advance, frames } = await startPlayback((replay, ms) =>
    isSlow ? new Promise((resolve) => (finish = resolve)) : replay.seek(ms),
  );
  playback.toggle();
  await until(() => frames() === 1, 'the first frame');
  void advance(100);
  await until(() => playback.ms.value === 100, 'the slow seek');
  playback.toggle();
  playback.toggle();
  await until(() => frames() === 2, 'the frame of the second loop');
  isSlow = false;
  finish();
  await eventLoopTurns();
  expect([frames(), playback.isPlaying.value]).toEqual([2, true]);
});

test('a moment that could be drawn ends the problem of an earlier one', async () => {
  let isLive = false;
  const { playback } = await startPlayback((replay, ms) =>
    isLive ? replay.seek(ms) : Promise.reject(new Error('no link')),
  );
  await playback.seek(1_000);
  expect(String(playback.problem.value)).toBe('Error: no link');
  isLive = true;
  await playback.seek(1_000);
  expect(playback.problem.value).toBeUndefined();
});
