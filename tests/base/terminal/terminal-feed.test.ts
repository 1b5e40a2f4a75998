/** What reaches the terminal model: the same picture, with a bound on the work. */
import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { MOST_PIECES, TerminalFeed } from '../../../src/base/terminal/terminal-feed.ts';
import { runs } from '../../support/budget.ts';
import { fc } from '../../support/property.ts';

const SIZE = { cols: 20, rows: 6 };

async function drawn(writes: readonly (string | Uint8Array)[]): Promise<unknown> {
  const terminal = new xterm.Terminal({ ...SIZE, scrollback: 0, allowProposedApi: true, logLevel: 'off' });
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  for (const write of writes) await new Promise<void>((resolve) => terminal.write(write, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: SIZE.rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString());
  const picture = { lines, cursor: [active.cursorX, active.cursorY], type: active.type, titles, modes: terminal.modes };
  terminal.dispose();
  return picture;
}

function fed(chunks: readonly Uint8Array[], size = SIZE): string[] {
  const feed = new TerminalFeed(() => size);
  return chunks.flatMap((chunk) => [...(feed.take(chunk) ?? ['too costly'])]);
}

const count = fc.oneof(fc.constant(''), fc.integer({ min: 0, max: 6 }).map(String));
const sequence = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '\r\n',
    '\n',
    '\t',
    '\b',
    '\r',
    'ä',
    '日本',
    '\u001b7',
    '\u001b8',
    '\u001bM',
    '\u001b(0',
    '\u001b(B',
    '\u001bc',
  ),
  fc
    .tuple(fc.constantFrom(...'@ABCDEFGHIJKLMPSTXZ`adefr'), count, count)
    .map(([final, a, b]) => `\u001b[${a};${b}${final}`),
  fc.tuple(fc.constantFrom('x', '日'), count).map(([text, n]) => `${text}\u001b[${n}b`),
  fc.constantFrom(
    '\u001b[1;31m',
    '\u001b[38;2;255;0;128m',
    '\u001b[?1049h',
    '\u001b[?1049l',
    '\u001b[?2004h',
    '\u001b[?1h',
    '\u009b2J',
  ),
  fc.constantFrom('\u001b]0;a title\u0007', '\u001b]2;another\u001b\\', '\u001b_ignored\u001b\\', '\u001bP$qm\u001b\\'),
);

test('produces the same screen as the unfiltered output, wherever reads split it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sequence, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), async (parts, step) => {
      const bytes = Buffer.from(parts.join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) =>
        bytes.subarray(i * step, (i + 1) * step),
      );
      expect(await drawn(fed(chunks))).toEqual(await drawn([bytes]));
    }),
    { numRuns: runs(300) },
  );
});

test.each(Array.from({ length: 0x7e - 0x40 + 1 }, (_, i) => String.fromCharCode(0x40 + i)))(
  'S-4: hands over no count that is larger than the screen or a mode: final %s',
  (final) => {
    for (const spelled of [
      '2147483647',
      '0002147483647',
      '1;2147483647',
      '?2147483647',
      '2147483647 ',
      '9'.repeat(200),
    ]) {
      const text = fed([Buffer.from(`a\u001b[${spelled}${final}`), Buffer.from(`a\u009b${spelled}${final}`)]).join('');
      const numbers = text.match(/\d+/gu)?.map(Number) ?? [];
      expect(Math.max(0, ...numbers)).toBeLessThanOrEqual('chlmnpqtu'.includes(final) ? 9999 : SIZE.cols);
      expect(text.length).toBeLessThan(1000);
    }
  },
);

test.each([
  ['lines inserted', '\u001b[6L'],
  ['characters repeated', 'a\u001b[999999999b'],
  ['screens erased', '\u001b[2J'],
  ['screens switched', '\u001b[?1049;1049;1049h'],
  ['resets', '\u001bc'],
])('S-4: does not draw a read whose sequences cost too much: %s', (_, text) => {
  const feed = new TerminalFeed(() => ({ cols: 1000, rows: 1000 }));
  expect(feed.take(Buffer.from(text))?.length ?? MOST_PIECES).toBeLessThanOrEqual(MOST_PIECES);
  expect(feed.take(Buffer.from(text.repeat(5000)))).toBeUndefined();
});

test('draws an ordinary log in one piece', () => {
  const line = '\u001b[32m[INFO]\u001b[0m a line of a log that has a usual length\r\n';
  expect(fed([Buffer.from(line.repeat(500))], { cols: 120, rows: 40 })).toHaveLength(1);
});

test('limits combining characters per character, and repeats none of them', () => {
  expect(fed([Buffer.from(`e${'\u0301'.repeat(1000)}\u001b[5bf`)])).toEqual([`e${'\u0301'.repeat(16)}f`]);
  expect(fed([Buffer.from(`e\u001b[H${'\u0301'.repeat(1000)}`)])).toEqual(['e\u001b[H']);
});

test('drops a title that is too long, and nothing after it', () => {
  expect(fed([Buffer.from(`\u001b]0;${'x'.repeat(1e5)}`), Buffer.from('y\u0007shown')])).toEqual(['shown']);
});
