import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../src/text/lines/position.ts';
import { applySplices } from '../../../src/text/lines/splice.ts';
import { cleanEdit } from '../../../src/text/edit/clean-edit.ts';
import { Finder } from '../../../src/text/edit/find.ts';
import { fold } from '../../../src/text/edit/fold.ts';
import { LEVELS } from '../../../src/text/edit/levels.ts';
import { planEdits } from '../../../src/text/edit/plan.ts';
import { decodeFile } from '../../../src/text/edit/decoded-file.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';

const word = fc.constantFrom(
  'alpha',
  'beta',
  'if (a) {',
  '}',
  'x = “q”;',
  'caf\u0065\u0301',
  'a  b',
  'é',
  '\uDCE9z',
  '😀',
  '-',
  '–',
  '',
);
const line = fc.tuple(
  fc.constantFrom('', '', '  ', '    ', '\t', '\t\t'),
  word,
  fc.constantFrom('', '', ' ', '\t '),
  fc.constantFrom('\n', '\n', '\r\n'),
);
/** Lines that all differ, so that one of them is never taken for another. */
const document = fc
  .record({ lines: fc.array(line, { minLength: 1, maxLength: 12 }), open: fc.boolean(), tag: fc.nat(1_000_000) })
  .map(({ lines, open, tag }) => {
    const text = lines.map(([indent, words, tail, eol], i) => `${indent}${words}#${tag}.${i};${tail}${eol}`).join('');
    return open ? text.replace(/\r?\n$/u, '') : text;
  });

/** How models spoil what they copy. */
const spoilers: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('\r\n', '\n'),
  (text) => text.replaceAll(/[ \t]+$/gmu, ''),
  (text) => text.replaceAll(/[“”]/gu, '"').replaceAll('–', '-').normalize('NFC'),
  (text) => text.replaceAll(/^(?=[^\r\n])/gmu, '  '),
  (text) => text.replaceAll(/^\t+/gmu, (tabs) => '    '.repeat(tabs.length)),
  (text) => text.replaceAll(/(\S)[ \t]+(\S)/gu, '$1 $2'),
];
const spoiler = fc.constantFrom(...spoilers);

/** A document, some whole lines of it, and what a model makes of them. */
const asked = fc
  .record({
    text: document,
    from: fc.nat(11),
    count: fc.integer({ min: 1, max: 4 }),
    spoil: spoiler,
    newText: document,
  })
  .map(({ text, from, count, spoil, newText }) => {
    const lines = linesOf(text);
    const first = from % lines.length;
    const start = lines.slice(0, first).join('').length;
    const old = lines.slice(first, first + count).join('');
    return { text, start, end: start + old.length, oldText: spoil(old), newText };
  });

describe('an edit', () => {
  it('changes nothing outside of the lines that it names', () => {
    fc.assert(
      fc.property(asked, ({ text, start, end, oldText, newText }) => {
        const plan = planEdits(text, [{ oldText, newText }]);
        if (!plan.ok) return;
        const after = applySplices(text, plan.splices);
        expect(after.startsWith(text.slice(0, start))).toBe(true);
        expect(after.endsWith(text.slice(end))).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('finds whatever a model spoils', () => {
    fc.assert(
      fc.property(asked, ({ text, oldText, newText }) => {
        const plan = planEdits(text, [{ oldText, newText }]);
        expect(plan.ok).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('to the text that was asked for changes nothing, however that was found', () => {
    fc.assert(
      fc.property(asked, ({ text, oldText }) => {
        const plan = planEdits(text, [{ oldText, newText: oldText }]);
        if (plan.ok) expect(plan.splices).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('and its inverse restore the original', () => {
    const marked = fc.constantFrom('<<new>>', '<<new>>\nsecond', '<<new>>\n\n  third\n');
    fc.assert(
      fc.property(asked, marked, fc.constantFrom('\n', '\r\n'), ({ text, oldText }, newText, eol) => {
        const uniform = text.replaceAll('\r\n', '\n').replaceAll('\n', eol);
        const old = oldText.replaceAll('\r\n', '\n').replaceAll('\n', eol);
        const plan = planEdits(uniform, [{ oldText: old, newText }]);
        if (!plan.ok || plan.found[0]!.level !== 'exact') return;
        const there = applySplices(uniform, plan.splices);
        const back = planEdits(there, [{ oldText: newText, newText: old }]);
        expect(back.ok && applySplices(there, back.splices)).toBe(uniform);
      }),
      { numRuns: runs(300) },
    );
  });

  it('has the same result in any order', () => {
    const several = fc.array(asked, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(several, fc.nat(), (list, turn) => {
        const text = list.map((one) => one.text).join('---\n');
        const edits = list.map(({ oldText, newText }) => ({ oldText, newText }));
        const split = turn % edits.length;
        const plan = planEdits(text, edits);
        const other = planEdits(text, [...edits.slice(split), ...edits.slice(0, split)].reverse());
        expect(other.ok).toBe(plan.ok);
        if (plan.ok && other.ok) expect(other.splices).toEqual(plan.splices);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('an edit of anything', () => {
  const pieces = [
    'a',
    'b',
    ' ',
    '  ',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '“',
    '"',
    '–',
    '-',
    '…',
    '...',
    'e\u0301',
    'é',
    '\u200B',
    '\uDCE9',
    '😀',
    '\uFEFF',
  ];
  const swaps: readonly (readonly [string, string])[] = [
    ['“', '"'],
    ['–', '-'],
    ['…', '...'],
    ['e\u0301', 'é'],
    ['\r\n', '\n'],
    ['\t', '    '],
    ['\u200B', ''],
    ['\uDCE9', '\uFFFD'],
  ];
  const anything = fc.string({ unit: fc.constantFrom(...pieces), minLength: 1, maxLength: 30 });
  const question = fc.record({
    text: anything,
    from: fc.nat(),
    length: fc.nat(),
    swapped: fc.subarray([...swaps]),
    newText: anything,
  });
  /** What is left when everything that a fold may overlook is taken away. */
  const squeezed = (text: string) =>
    swaps
      .reduce((so, [from, to]) => so.replaceAll(from, to), text)
      .normalize('NFC')
      .replaceAll(/[\s\uFEFF]/gu, '');

  it('puts the new text into the place of the old one and nothing anywhere else', () => {
    fc.assert(
      fc.property(question, ({ text, from, length, swapped, newText }) => {
        const start = from % text.length;
        const slice = text.slice(start, start + 1 + (length % (text.length - start)));
        const oldText = swapped.reduce((so, [a, b]) => so.replaceAll(a, b), slice);
        fc.pre(oldText !== '');
        const plan = planEdits(text, [{ oldText, newText }]);
        if (!plan.ok) return;
        const inside = (piece: string) => text.includes(piece) && !text.startsWith(oldText.slice(1));
        const clean = cleanEdit({ oldText, newText }, inside);
        const [match] = new Finder(text).find(clean.oldText);
        for (const splice of plan.splices) {
          expect(splice.start).toBeGreaterThanOrEqual(match!.start);
          expect(splice.end).toBeLessThanOrEqual(match!.end);
        }
        const after = applySplices(text, plan.splices);
        const put = after.slice(match!.start, after.length - (text.length - match!.end));
        expect(squeezed(put)).toBe(squeezed(clean.newText));
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('a fold', () => {
  it('maps back to the source at every place', () => {
    fc.assert(
      fc.property(
        fc.oneof(document, fc.string({ unit: anyCharacter, maxLength: 40 })),
        fc.constantFrom(...LEVELS),
        (text, level) => {
          const folded = fold(text, level, 'lines')!;
          const wrong: object[] = [];
          let last = 0;
          for (let at = 0; at < folded.text.length; at++) {
            const start = folded.sourceStart(at);
            const end = folded.sourceEnd(at + 1);
            if (start === undefined || end === undefined) continue;
            const isEmpty = fold(text.slice(start, end), level, 'inside')!.text.length === 0;
            if (start < last || end <= start || isEmpty || folded.foldedAt(start) !== at)
              wrong.push({ at, start, end });
            last = end;
          }
          expect(wrong).toEqual([]);
          expect(last).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

describe('a source', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => new TextEncoder().encode(text)),
    fc
      .tuple(fc.constantFrom([0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf]), fc.uint8Array({ maxLength: 40 }))
      .map(([bom, rest]) => Uint8Array.of(...bom, ...rest)),
  );

  it('preserves the bytes around any splice', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.nat(), (content, a, b) => {
        const source = decodeFile(content);
        const [start, end] = [a % (source.text.length + 1), b % (source.text.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const whole = source.byteSplices([{ start: 0, end: source.text.length, text: source.text }]);
        const [first] = whole;
        expect([...content.subarray(0, first!.start), ...first!.bytes, ...content.subarray(first!.end)]).toEqual([
          ...content,
        ]);
        fc.pre(
          (source.text.charCodeAt(start) & 0xfc00) !== 0xdc00 && (source.text.charCodeAt(end) & 0xfc00) !== 0xdc00,
        );
        const [splice] = source.byteSplices([{ start, end, text: 'new' }]);
        const after = decodeFile(
          Uint8Array.of(...content.subarray(0, splice!.start), ...splice!.bytes, ...content.subarray(splice!.end)),
        );
        expect(after.text).toBe(`${source.text.slice(0, start)}new${source.text.slice(end)}`);
      }),
      { numRuns: runs(300) },
    );
  });
});
