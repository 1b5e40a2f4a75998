import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { lineSplices } from '../../../src/text/lines/compare.ts';
import { applySplices, type Splice } from '../../../src/text/lines/splice.ts';
import { unifiedDiff } from '../../../src/text/lines/unified.ts';
import { fc, runs } from '../../support/property.ts';

const line = fc.constantFrom('a', 'b', 'c', '', 'long line', '  indented');
const document = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, closed]) => lines.join('\n') + (closed && lines.length > 0 ? '\n' : ''));

/** Splices that do not overlap, from pairs of offsets. */
const splicesOf = (text: string) =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.nat(text.length), fc.constantFrom('', 'x', 'x\n', '\nx', '\n')), {
      maxLength: 4,
    })
    .map((triples) => {
      const offsets = triples.map(([a]) => a).concat(triples.map(([, b]) => b));
      offsets.sort((a, b) => a - b);
      return triples.map(
        ([, , inserted], i): Splice => ({ start: offsets[2 * i]!, end: offsets[2 * i + 1]!, text: inserted }),
      );
    });

describe('unifiedDiff', () => {
  it('is a patch that makes the new text of the old one', () => {
    fc.assert(
      fc.property(
        document.chain((text) => fc.tuple(fc.constant(text), splicesOf(text))),
        ([text, splices]) => {
          const after = applySplices(text, splices);
          const diff = unifiedDiff('/ws/file', text, splices);
          if (after === text) expect(diff).toBe('');
          else expect(applyPatch(text, diff)).toBe(after);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('is empty when the splices cancel each other out', () => {
    const splices = [
      { start: 0, end: 1, text: '' },
      { start: 2, end: 2, text: '\n' },
    ];
    expect(unifiedDiff('f', '\n\n', splices)).toBe('');
  });

  it('names the file twice, counts every hunk, and keeps far changes in hunks of their own', () => {
    const text = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');
    const at = (needle: string) => text.indexOf(needle);
    const splices = [
      { start: at('line 2\n'), end: at('line 2\n') + 6, text: 'LINE 2' },
      { start: at('line 18'), end: at('line 19'), text: '' },
    ];
    expect(unifiedDiff('/ws/f', text, splices)).toBe(
      [
        '--- /ws/f',
        '+++ /ws/f',
        '@@ -1,5 +1,5 @@',
        ' line 1',
        '-line 2',
        '+LINE 2',
        ' line 3',
        ' line 4',
        ' line 5',
        '@@ -15,6 +15,5 @@',
        ' line 15',
        ' line 16',
        ' line 17',
        '-line 18',
        ' line 19',
        ' line 20',
        '',
      ].join('\n'),
    );
  });

  it('marks a missing final newline and keeps carriage returns', () => {
    expect(unifiedDiff('f', 'a\r\nb', [{ start: 0, end: 1, text: 'x' }])).toBe(
      '--- f\n+++ f\n@@ -1,2 +1,2 @@\n-a\r\n+x\r\n b\n\\ No newline at end of file\n',
    );
  });
});

describe('lineSplices', () => {
  it('make the one text of the other', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        expect(applySplices(before, lineSplices(before, after))).toBe(after);
      }),
    );
  });
});

it('a name with a line feed is quoted, so that it does not look like further lines', () => {
  const diff = unifiedDiff('a\n+++ b', 'x\n', [{ start: 0, end: 1, text: 'y' }]);
  expect(diff).toBe('--- "a\\n+++ b"\n+++ "a\\n+++ b"\n@@ -1,1 +1,1 @@\n-x\n+y\n');
});
