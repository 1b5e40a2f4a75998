import { expect, test } from 'vitest';
import { Drawing } from '../../../../../src/page/screens/sessions/terminal/drawing.ts';
import { MOST_REDRAWN, Replay } from '../../../../../src/page/screens/sessions/replay/replay.ts';
import { fc, runs } from '../../../../support/property.ts';
import { headlessScreen } from '../headless.ts';
import { castText, type CastStep, givenRecording } from './recorded.ts';

const SIZE = { cols: 20, rows: 5 };

/** The screen of a terminal that was fed with everything up to a moment. */
async function pictureAt(steps: readonly CastStep[], ms: number): Promise<unknown> {
  const screen = headlessScreen(SIZE);
  let at = 0;
  for (const [after, code, data] of steps) {
    at += after;
    if (at > ms) break;
    const [cols = 0, rows = 0] = data.split('x').map(Number);
    if (code === 'o') await screen.write(data);
    if (code === 'r') screen.resize({ cols, rows });
  }
  return screen.picture();
}

const output = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('\r\n', '\n', '\u001b[2J', '\u001b[H', '\u001b[3;4H', '\u001b[31m', '\u001b[?1049h', '\u001b[?1049l'),
  fc.constantFrom(
    '\u001b[2;4r',
    '\u001b[K',
    '\u001bM',
    '\u001b7',
    '\u001b8',
    '\u001b[?25l',
    '\u001b[?7l',
    '日本',
    '\t',
  ),
);
const step: fc.Arbitrary<CastStep> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.nat(50), fc.constant('o' as const), output) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(50), fc.constant('r' as const), fc.constantFrom('20x5', '31x7', '10x3', '80x24')),
  },
  { weight: 1, arbitrary: fc.tuple(fc.nat(5000), fc.constant('m' as const), fc.constant('input agent')) },
);

test('any moment, in any order, has the screen of a terminal that was fed up to it', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 40 }),
    fc.array(fc.nat(2000), { minLength: 1, maxLength: 6 }),
    fc.constantFrom(64, 200, 0x8_0000),
    async (steps, moments, pageBytes) => {
      const { recording } = givenRecording(castText(SIZE, steps), pageBytes);
      await recording.extend();
      const screen = headlessScreen({ cols: 7, rows: 2 });
      const replay = new Replay(recording, new Drawing(screen));
      for (const ms of moments) {
        await replay.seek(ms);
        expect(screen.picture()).toEqual(await pictureAt(steps, ms));
      }
    },
  );
  await fc.assert(property, { numRuns: runs(60) });
});

test('a later wish replaces the one that is being drawn', async () => {
  const steps = Array.from({ length: 500 }, (_, i): CastStep => [10, 'o', `line ${i} ${'x'.repeat(500)}\r\n`]);
  const { recording } = givenRecording(castText(SIZE, steps), 20_000);
  await recording.extend();
  const screen = headlessScreen(SIZE);
  const replay = new Replay(recording, new Drawing(screen));
  void replay.seek(5_000);
  await replay.seek(45);
  expect(replay.ms).toBe(45);
  expect(screen.picture()).toEqual(await pictureAt(steps, 45));
});

test('a moment far from the start is drawn from the output shortly before it', async () => {
  const steps = Array.from({ length: 600 }, (_, i): CastStep => [10, 'o', `${'x'.repeat(10_000)}\r\nline ${i}`]);
  const given = givenRecording(castText(SIZE, steps));
  await given.recording.extend();
  const screen = headlessScreen(SIZE);
  let drawn = 0;
  const write = (text: string): Promise<void> => {
    drawn += text.length;
    return screen.write(text);
  };
  const counted = { ...screen, size: SIZE, write };
  const replay = new Replay(given.recording, new Drawing(counted));
  await replay.seek(6_000);
  expect(replay.isFromStart).toBe(false);
  expect(drawn).toBeLessThan(MOST_REDRAWN + (1 << 20));
  expect(screen.picture()).toMatchObject({ lines: expect.arrayContaining([expect.stringMatching(/^line 599/u)]) });
  await replay.seek(10);
  expect(replay.isFromStart).toBe(true);
  expect(screen.picture()).toEqual(await pictureAt(steps, 10));
});
