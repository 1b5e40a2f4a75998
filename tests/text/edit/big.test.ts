import { describe, expect, it } from 'vitest';
import { describeBigPlan, planBigFile } from '../../../src/text/edit/big-file.ts';
import { boundedDiff, firstDifference } from '../../../src/text/edit/diff.ts';
import { isDamagedSource } from '../../../src/text/edit/encoding.ts';
import { planEdits } from '../../../src/text/edit/plan.ts';
import { decodeFile } from '../../../src/text/edit/decoded-file.ts';
import { searchBytes } from '../../../src/text/edit/search.ts';
import { sameBytes, splicedSource } from '../../../src/text/edit/spliced-source.ts';
import { positionAt } from '../../../src/text/lines/position.ts';
import { bytesSource, readRange } from '../../../src/text/scan/source.ts';
import { fc, runs } from '../../support/property.ts';
import { processorMs } from '../../support/patience.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), maxLength: 60 });

describe('a search in windows', () => {
  const places = (text: string, needle: string, step: number) => {
    const found: number[] = [];
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + step)) found.push(at);
    return found;
  };

  it('finds what a search in memory finds', () => {
    const needle = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(letters, needle, fc.boolean(), (text, wanted, overlapping) => {
        const step = overlapping ? 1 : wanted.length;
        const found = places(text, wanted, step);
        expect(searchBytes(bytesSource(encode(text)), encode(wanted), step, 1000)).toEqual({
          places: found,
          lines: found.map((at) => positionAt(text, at).line),
        });
      }),
    );
  });

  it.each([1, 2, 3, 17, 5000, 1_500_000])(
    'finds a needle of %i bytes that lies across the edge of a window',
    (length) => {
      for (const at of [(1 << 20) - length, (1 << 20) - 1, 1 << 20, (1 << 20) + 1].filter((place) => place >= 0)) {
        const text = new Uint8Array(3 << 20).fill(0x61);
        const needle = new Uint8Array(length).fill(0x62);
        text.set(needle, at);
        expect(searchBytes(bytesSource(text), needle, length, 10).places).toEqual([at]);
      }
    },
  );

  it.each([
    ['a beginning that never goes on', `b${'a'.repeat(20_000)}`],
    ['an end that never comes', `${'a'.repeat(20_000)}b`],
    ['a middle that is never there', `${'a'.repeat(10_000)}b${'a'.repeat(10_000)}`],
  ])('is not slowed down by %s', (_, needle) => {
    const began = processorMs();
    expect(searchBytes(bytesSource(new Uint8Array(4 << 20).fill(0x61)), encode(needle), 1, 10)).toEqual({
      places: [],
      lines: [],
    });
    expect(processorMs() - began).toBeLessThan(10_000);
  });
});

describe('a search in a text that repeats itself', () => {
  it.each([
    ['a needle that nearly stands everywhere', 'ab', `${'ab'.repeat(3000)}aab`],
    ['a needle longer than the scanner takes', 'ab', `${'ab'.repeat(30_000)}aab`],
    ['a needle of one letter', 'a', `${'a'.repeat(5000)}ba`],
  ])('finds %s', (_, unit, needle) => {
    const text = `${unit.repeat(700_000)}${needle}${unit.repeat(10)}${needle}`;
    const began = processorMs();
    expect(searchBytes(bytesSource(encode(text)), encode(needle), 1, 10).places).toEqual([
      text.indexOf(needle),
      text.lastIndexOf(needle),
    ]);
    expect(processorMs() - began).toBeLessThan(10_000);
  });
});

describe('a large file', () => {
  it('is edited as a small one is, where both can', () => {
    const edit = fc.record({
      oldText: fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), minLength: 1, maxLength: 6 }),
      newText: fc.string({ unit: fc.constantFrom('a', 'x', '\n'), maxLength: 6 }),
      replaceAll: fc.boolean(),
    });
    fc.assert(
      fc.property(
        letters,
        fc.array(edit, { minLength: 1, maxLength: 2 }),
        fc.constantFrom('\n', '\r\n'),
        (raw, edits, eol) => {
          const text = raw.replaceAll('\r\n', '\n').replaceAll('\n', eol);
          const bytes = encode(text);
          const big = planBigFile(bytesSource(bytes), edits);
          if (big === undefined) return;
          const small = planEdits(text, edits);
          if (!small.ok) expect(big).toEqual(small);
          else {
            const meant = splicedSource(bytesSource(bytes), decodeFile(bytes).byteSplices(small.splices));
            expect(big).toMatchObject({ ok: true, levels: small.found.map(({ level }) => level) });
            if (big.ok) expect(sameBytes(splicedSource(bytesSource(bytes), big.splices), meant)).toBe(true);
          }
        },
      ),
      { numRuns: runs(800) },
    );
  });

  it('shows the same diff as a small one', () => {
    const lines = Array.from({ length: 4000 }, (_, i) => `line ${i} é\n`).join('');
    const edits = [
      { oldText: 'line 3 ', newText: 'LINE 3\nand a half ' },
      { oldText: 'line 6 é\n', newText: '' },
      { oldText: 'line 3500 ', newText: 'line 3.5k ' },
    ];
    const bytes = encode(lines);
    const source = bytesSource(bytes);
    const small = planEdits(lines, edits);
    const big = planBigFile(source, edits);
    if (!small.ok || big?.ok !== true) throw new Error('both can');
    expect(describeBigPlan('a', source, big)).toEqual({
      diff: boundedDiff('a', lines, small.splices),
      firstChangedLine: positionAt(lines, firstDifference(lines, small.splices)!).line,
    });
  });

  it.each([
    ['the mark of the file stays', '\uFEFFa\n', ['exact'], [{ start: 3, end: 4 }]],
    ['one inside is a character', '\uFEFFx\n\uFEFFa\n', ['exact'], [{ start: 5, end: 9 }]],
    ['both are two places', '\uFEFFa\n\uFEFFa\n', undefined, undefined],
  ])('handles U+FEFF before an old text like a small file: %s', (_, text, levels, splices) => {
    const plan = planBigFile(bytesSource(encode(text)), [{ oldText: '\uFEFFa', newText: 'b' }]);
    expect(plan).toMatchObject(
      splices === undefined ? { ok: false, reason: 'ambiguous', lines: [1, 2] } : { ok: true, levels, splices },
    );
  });

  it('shows no byte order mark', () => {
    const source = bytesSource(encode('\uFEFFa\nb\n'));
    const plan = planBigFile(source, [{ oldText: 'b', newText: 'c' }]);
    expect(plan?.ok === true && describeBigPlan('f', source, plan)).toEqual({
      diff: '--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n',
      firstChangedLine: 2,
    });
  });

  it.each([
    ['the ending of each place', 'a\r\na\n', 'a', 'a\nb', 'a\r\nb\r\na\nb\n'],
    ['places of both endings', 'a\r\nb\r\nXX\na\nb\n', 'a\nb', 'c\nd', 'c\r\nd\r\nXX\nc\nd\n'],
    ['an ending in front only once', 'x\r\na\nx\na\r\n', '\na', '\nb', 'x\r\nb\nx\nb\r\n'],
  ])('replaces everywhere with %s', (_, text, oldText, newText, expected) => {
    const source = bytesSource(encode(text));
    const plan = planBigFile(source, [{ oldText, newText, replaceAll: true }]);
    if (plan?.ok !== true) throw new Error('it stands there');
    const after = splicedSource(source, plan.splices);
    expect(new TextDecoder().decode(readRange(after, 0, after.size))).toBe(expected);
  });

  it('counts places of both endings together', () => {
    const source = bytesSource(encode('a\r\nb\r\nc|a\nb\nc'));
    expect(planBigFile(source, [{ oldText: 'a\r\nb\nc', newText: 'x' }])).toEqual({
      ok: false,
      edit: 0,
      reason: 'ambiguous',
      level: 'line-endings',
      lines: [1, 3],
      more: false,
    });
  });

  it.each([
    ['a character on the edge of a window', [...new Uint8Array((1 << 20) - 1).fill(0x61), 0xc3, 0xa9, 0x61], false],
    ['a byte of its own on that edge', [...new Uint8Array((1 << 20) - 1).fill(0x61), 0xe9, 0x61, 0x61], true],
    ['half of a character at the end', [0x61, 0xc3], true],
    ['nothing', [], false],
  ])('is known to be damaged or not, with %s', (_, bytes, damaged) => {
    expect(isDamagedSource(bytesSource(Uint8Array.from(bytes)))).toBe(damaged);
  });

  it('is read with splices applied', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 50 }),
        fc.array(fc.tuple(fc.nat(50), fc.nat(5), fc.uint8Array({ maxLength: 5 })), { maxLength: 4 }),
        (bytes, raw) => {
          let at = 0;
          const splices = raw.map(([gap, length, put]) => {
            const start = Math.min(bytes.length, at + (gap % 9));
            at = Math.min(bytes.length, start + length);
            return { start, end: at, bytes: put };
          });
          let copied = 0;
          const meant: number[] = [];
          for (const { start, end, bytes: put } of splices) {
            meant.push(...bytes.subarray(copied, start), ...put);
            copied = end;
          }
          meant.push(...bytes.subarray(copied));
          const source = splicedSource(bytesSource(bytes), splices);
          expect([...readRange(source, 0, source.size)]).toEqual(meant);
          expect(readRange(source, 0, source.size)).toEqual(Uint8Array.from(meant));
        },
      ),
    );
  });
});
