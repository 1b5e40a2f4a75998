import { describe, expect, it } from 'vitest';
import { requireEncoding } from '../../../src/text/encoding/encoding.ts';
import { bytesSource } from '../../../src/text/scan/source.ts';
import type { InLine } from '../../../src/tools/read/cursor.ts';
import { formatCursor, readCursor } from '../../../src/tools/read/cursor.ts';
import { type PageOptions, takePage } from '../../../src/tools/read/page.ts';
import { linesFor, newlinesIn, startOfLine, type TextSource } from '../../../src/tools/read/text-source.ts';
import { encodeAs } from '../../text/encoding/legacy-bytes.ts';
import { fc, runs } from '../../support/property.ts';
import { reading, textIn } from './reading.ts';

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'gb18030', 'shift_jis', 'windows-1252'];
const letters: Readonly<Record<string, readonly string[]>> = {
  'utf-8': ['a', 'b', ' ', 'é', '中', '😀', '\ufeff'],
  'utf-16le': ['a', 'b', ' ', 'é', '中', '😀', 'Ċ'],
  'utf-16be': ['a', 'b', ' ', 'é', '中', '😀', '\u0a0d'],
  gb18030: ['a', '中', '文'],
  shift_jis: ['a', 'ア', '漢', 'ｱ'],
  'windows-1252': ['a', 'é', '€'],
};

const anyText = (name: string, endings: readonly string[]) =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...letters[name]!) }, fc.constantFrom(...endings)), {
      maxLength: 80,
    })
    .map((parts) => parts.join(''));

/** Reads from the first line to the end by following where each page says to go on. */
function readThrough(text: TextSource, options: PageOptions): string {
  let shown = '';
  const begin = startOfLine(text, 1);
  let at: InLine | undefined = begin === undefined ? undefined : { line: 1, lineStart: begin, offset: begin };
  for (let pages = 0; at !== undefined; pages++) {
    if (pages > 1000) throw new Error('the pages do not come to an end');
    const page = takePage(text, at, options);
    shown += page.text;
    if (page.ended === 'text') return shown;
    if (page.inLine !== undefined) at = readCursor(formatCursor(page.inLine), text);
    else {
      const offset = startOfLine(text, page.to + 1);
      if (offset === undefined) throw new Error(`the page says that line ${page.to + 1} follows, but there is none`);
      at = { line: page.to + 1, lineStart: offset, offset };
    }
  }
  return shown;
}

const limits = fc.record({
  lines: fc.integer({ min: 1, max: 5 }),
  bytes: fc.integer({ min: 1, max: 40 }),
  weight: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 40 })),
  numbered: fc.constant(false),
});

describe('pages', () => {
  it.each(ENCODINGS)('return exactly the text of %s, for any limits', (name) => {
    fc.assert(
      fc.property(anyText(name, ['\n', '\r\n', '\r']), limits, (content, options) => {
        const text: TextSource = {
          source: bytesSource(encodeAs(name, content)),
          encoding: requireEncoding(name),
          begin: 0,
          newline: 10,
        };
        expect(readThrough(text, options)).toBe(content.replaceAll('\r\n', '\n'));
      }),
      { numRuns: runs(500) },
    );
  });

  it('return exactly a text with carriage returns as line endings', () => {
    fc.assert(
      fc.property(anyText('utf-8', ['\r']), limits, (content, options) => {
        const text: TextSource = {
          source: bytesSource(encodeAs('utf-8', content)),
          encoding: requireEncoding('utf-8'),
          begin: 0,
          newline: 13,
        };
        expect(readThrough(text, options)).toBe(content.replaceAll('\r', '\n'));
      }),
    );
  });

  it('return exactly the decoded text of damaged bytes in one long line', () => {
    const byte = fc
      .oneof(fc.nat(255), fc.constantFrom(0x80, 0xe4, 0xf0, 0x41))
      .filter((value) => value !== 10 && value !== 13);
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 120 }), fc.integer({ min: 1, max: 20 }), (list, bytes) => {
        const source = bytesSource(Uint8Array.from(list));
        const text: TextSource = { source, encoding: requireEncoding('utf-8'), begin: 0, newline: 10 };
        const options = { lines: 3, bytes, weight: Number.POSITIVE_INFINITY, numbered: false };
        expect(readThrough(text, options)).toBe(text.encoding.decode(Uint8Array.from(list)));
      }),
      { numRuns: runs(500) },
    );
  });

  it('stay within the limits, except for a single larger character', () => {
    fc.assert(
      fc.property(anyText('utf-8', ['\n', '\r\n']), limits, (content, options) => {
        const text: TextSource = {
          source: bytesSource(encodeAs('utf-8', content)),
          encoding: requireEncoding('utf-8'),
          begin: 0,
          newline: 10,
        };
        if (content === '') return;
        const page = takePage(text, { line: 1, lineStart: 0, offset: 0 }, options);
        const { length } = new TextEncoder().encode(page.text);
        expect(length <= options.bytes || [...page.text].length === 1).toBe(true);
        expect(page.to - page.from + 1).toBeLessThanOrEqual(options.lines);
      }),
    );
  });

  it.each(ENCODINGS)('count the lines of %s as they are split', (name) => {
    return fc.assert(
      fc.asyncProperty(anyText(name, ['\n', '\r\n']), async (content) => {
        const text: TextSource = {
          source: bytesSource(encodeAs(name, content)),
          encoding: requireEncoding(name),
          begin: 0,
          newline: 10,
        };
        const expected = content === '' ? 0 : content.replace(/\n$/u, '').split('\n').length;
        expect(linesFor(text, await newlinesIn(text, undefined))).toBe(expected);
        expect(startOfLine(text, expected + 1)).toBeUndefined();
      }),
    );
  });

  it.each(['utf-8', 'utf-16le'])('are not counted to the end of %s after an abort', async (name) => {
    let read = 0;
    const source = {
      size: 1 << 28,
      read: (_: number, into: Uint8Array) => {
        read += into.length;
        return into.length;
      },
    };
    const text: TextSource = { source, encoding: requireEncoding(name), begin: 0, newline: 10 };
    await expect(newlinesIn(text, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(read).toBe(1 << 26);
  });

  it.each([200, 1_000, 20_000, undefined])(
    'of the tool give back the file, by their last lines only, with %s tokens',
    async (tokens) => {
      const lines = Array.from({ length: 300 }, (_, i) => `${i} ${'é中x'.repeat((i * 37) % 90)}`);
      lines[7] = '😀'.repeat(30_000);
      lines[200] = 'y'.repeat(51_199);
      const content = `${lines.join('\r\n')}\r\nend`;
      const { read } = reading({ f: content }, tokens === undefined ? {} : { modelContextWindowTokens: tokens });
      let shown = '';
      let next: Readonly<Record<string, unknown>> | undefined = {};
      while (next !== undefined) {
        const text = textIn(await read({ path: 'f', ...next }));
        const hint: RegExpExecArray | null =
          /\n\[Showing [^\n]* Use (?:offset=(\d+)|cursor="([^"]+)") to continue\.\]$/u.exec(text);
        shown += hint === null ? text : text.slice(0, hint.index);
        next = hint === null ? undefined : hint[1] === undefined ? { cursor: hint[2] } : { offset: Number(hint[1]) };
      }
      expect(shown).toBe(content.replaceAll('\r\n', '\n'));
    },
  );
});
