import { expect, test } from 'vitest';
import { Drawing } from '../../../../../src/page/screens/sessions/terminal/drawing.ts';
import { DRAWING_SEQUENCES } from '../../../../../src/page/screens/sessions/terminal/drawing-sequences.ts';
import { headlessScreen } from '../headless.ts';

const SIZE = { cols: 40, rows: 6 };

/** Sequences to which a terminal answers, so that a program could type into another one through a watcher. */
const REQUESTS = [
  ['device attributes', '\u001b[c\u001b[0c\u001b[>c\u001b[=c\u001bZ'],
  ['device status and cursor position', '\u001b[5n\u001b[6n\u001b[?6n\u001b[?15n\u001b[?996n'],
  ['modes', '\u001b[4$p\u001b[?1$p\u001b[?2026$p'],
  ['settings', '\u001bP$qm\u001b\\\u001bP+q544e\u001b\\'],
  ['version and keyboard', '\u001b[>q\u001b[>0q\u001b[?u\u001b[x'],
  ['window', '\u001b[18t\u001b[21t\u001b[14t'],
  ['colours', '\u001b]10;?\u0007\u001b]11;?\u001b\\\u001b]4;1;?\u0007'],
  ['C1 controls', '\u009bc\u009b6n\u0090$qm\u009c\u009a'],
  ['enquiry', '\u0005'],
] as const;

test.each(REQUESTS)('nothing answers a request about %s', async (_, text) => {
  const screen = headlessScreen(SIZE);
  await new Drawing(screen).text(`${text}after`);
  expect(screen.sent).toEqual([]);
  expect(screen.picture()).toMatchObject({ lines: expect.arrayContaining([expect.stringMatching(/^after/u)]) });
});

test('titles, links and the clipboard are dropped, and the text around them stays', async () => {
  const screen = headlessScreen(SIZE);
  const hostile = '\u001b]0;Approved\u0007\u001b]2;Approved\u001b\\\u001b]52;c;cm0gLXJm\u0007';
  await new Drawing(screen).text(`a${hostile}b\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\c`);
  expect(screen.titles).toEqual([]);
  expect(screen.picture()).toMatchObject({ lines: expect.arrayContaining([expect.stringMatching(/^ablinkc/u)]) });
});

test('counts are limited to the screen, because the model executes them literally', async () => {
  const written: string[] = [];
  const screen = { ...headlessScreen(SIZE), size: SIZE, write: async (text: string) => void written.push(text) };
  await new Drawing(screen).text('\u001b[2147483647L\u001b[2147483647@x\u001b[2147483647b\u001b[2147483647S');
  expect(written.join('')).toBe(`\u001b[40L\u001b[40@x${'x'.repeat(240)}\u001b[40S`);
});

test('output that is too costly resets the screen, and the next output is drawn', async () => {
  const screen = headlessScreen({ cols: 400, rows: 200 });
  const drawing = new Drawing(screen);
  expect(await drawing.text('\u001b[200L'.repeat(5000))).toBe(false);
  expect(await drawing.text('after')).toBe(true);
  expect(screen.picture()).toMatchObject({ lines: expect.arrayContaining([expect.stringMatching(/^after/u)]) });
});

test('bytes of one character may arrive in two pieces', async () => {
  const screen = headlessScreen(SIZE);
  const drawing = new Drawing(screen);
  const bytes = new TextEncoder().encode('ä日');
  await drawing.bytes(bytes.subarray(0, 1));
  await drawing.bytes(bytes.subarray(1, 4));
  await drawing.bytes(bytes.subarray(4));
  expect(screen.picture()).toMatchObject({ lines: expect.arrayContaining([expect.stringMatching(/^ä日/u)]) });
});

test.each([
  ['', 'm', true],
  ['38;2;1;2;3', 'm', true],
  ['?1049', 'h', true],
  ['2 ', 'q', true],
  ['!', 'p', true],
  ['>4;2', 'm', false],
  ['?', 'u', false],
  ['?1', 'm', false],
  ['1$', 'x', false],
])('ESC [ %s %s is drawn: %s', (parameters, final, isDrawn) => {
  expect(DRAWING_SEQUENCES.control(parameters, final)).toBe(isDrawn);
});
