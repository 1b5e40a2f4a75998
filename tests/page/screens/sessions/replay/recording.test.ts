import { expect, test } from 'vitest';
import { readCastPage, CAST_START } from '../../../../../src/page/screens/sessions/replay/cast-reader.ts';
import { markSummary, scrubberMarks } from '../../../../../src/page/screens/sessions/replay/marks.ts';
import { castText, type CastStep, givenRecording } from './recorded.ts';

const SIZE = { cols: 100, rows: 30 };

test('every kind of event is read, and unknown ones are left out', () => {
  const text = castText(SIZE, [
    [1500, 'o', 'a\u001b[1m'],
    [500, 'r', '90x20'],
    [0, 'm', 'input page'],
    [0, 'm', 'gap 4096 bytes'],
    [0, 'm', 'invented by a program'],
    [1, 'x', '143'],
  ]);
  expect(readCastPage(`${text}[1.0, "i", "typed"]\n# comment\n`, CAST_START, true)).toEqual({
    start: { ms: 0, size: SIZE },
    events: [
      { ms: 1500, kind: 'output', text: 'a\u001b[1m' },
      { ms: 2000, kind: 'resize', size: { cols: 90, rows: 20 } },
      { ms: 2000, kind: 'mark', mark: { kind: 'input', source: 'page' } },
      { ms: 2000, kind: 'mark', mark: { kind: 'gap', bytes: 4096 } },
      { ms: 2001, kind: 'exit', status: 143 },
    ],
    end: { ms: 3001, size: { cols: 90, rows: 20 } },
  });
});

test.each([
  ['{"version":2,"width":80,"height":24}\n', 'is not asciicast v3'],
  ['', 'is not asciicast v3'],
  ['nonsense\n', 'not an event'],
  ['{"version":3,"term":{"cols":1,"rows":1}}\n[-1,"o","x"]\n', 'not an event'],
  ['{"version":3,"term":{"cols":1,"rows":1}}\n[1,"o"]\n', 'not an event'],
])('%j is refused', (text, message) => {
  expect(() => readCastPage(text, CAST_START, true)).toThrow(message);
});

test('a size that no browser can draw is limited', () => {
  const text = castText({ cols: 5000, rows: 5000 }, [[0, 'r', '9999x9999']]);
  const { start, end } = readCastPage(text, CAST_START, true);
  expect([start.size, end.size]).toEqual([
    { cols: 1000, rows: 500 },
    { cols: 1000, rows: 500 },
  ]);
});

test('a recording is read once, in pages, and continues while the session runs', async () => {
  const steps = Array.from({ length: 50 }, (_, i): CastStep => [100, 'o', `line ${i}`]);
  const given = givenRecording(castText(SIZE, steps), 200, false);
  await given.recording.extend();
  const { recording } = given;
  expect(recording.durationMs).toBe(5000);
  expect(recording.isDone).toBe(false);
  expect(recording.pages.length).toBeGreaterThan(5);
  const calls = given.calls.length;
  expect((await recording.events(3)).length).toBeGreaterThan(0);
  expect(given.calls.length).toBe(calls); // from memory
  given.append('[0.5, "m", "ended SIGTERM"]\n', true);
  await recording.extend();
  expect(recording).toMatchObject({ durationMs: 5500, isDone: true });
});

test('memory has the pages that were used last', async () => {
  const steps = Array.from({ length: 300 }, (_, i): CastStep => [10, 'o', `${i}${'x'.repeat(60_000)}`]);
  const given = givenRecording(castText(SIZE, steps));
  await given.recording.extend();
  const calls = given.calls.length;
  const [first] = await given.recording.events(0);
  expect(first).toMatchObject({ kind: 'output', ms: 10 });
  expect(given.calls.slice(calls)).toEqual([0]); // it was dropped, and is read again
  await given.recording.events(given.recording.pages.length - 1);
  expect(given.calls.length).toBe(calls + 1);
});

test('marks that cannot be told apart are one, and gaps are always shown', async () => {
  const steps: CastStep[] = [
    [0, 'm', 'input agent'],
    [1, 'm', 'input agent'],
    [1, 'm', 'gap 1024 bytes'],
    [0, 'm', 'gap 2048 bytes'],
    [998, 'r', '80x24'],
    [9_000, 'x', '0'],
  ];
  const { recording } = givenRecording(castText(SIZE, steps));
  await recording.extend();
  expect(scrubberMarks(recording.marks, recording.durationMs)).toEqual([
    { kind: 'input', share: 0, text: '0:00.0 input of the agent' },
    { kind: 'gap', share: 0.0002, text: '0:00.0 gap of 1.0 KB' },
    { kind: 'gap', share: 0.0002, text: '0:00.0 gap of 2.0 KB' },
    { kind: 'resize', share: 0.1, text: '0:01.0 resized' },
  ]);
  expect(markSummary(recording)).toBe('2 inputs, 1 resize, 2 gaps of 3.0 KB');
});
