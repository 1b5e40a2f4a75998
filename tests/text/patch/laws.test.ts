import { describe, expect, it } from 'vitest';
import { applySplices } from '../../../src/text/lines/splice.ts';
import { foldLine, isBlank, type FuzzLevel } from '../../../src/text/patch/fold.ts';
import { LineIndex } from '../../../src/text/patch/line-index.ts';
import { parsePatch } from '../../../src/text/patch/parse.ts';
import { planFile } from '../../../src/text/patch/plan.ts';
import { Seeker } from '../../../src/text/patch/seeker.ts';
import { lineAt, lineTableOf } from '../../../src/text/patch/line-table.ts';
import { fc, runs } from '../../support/property.ts';
import { hunksOf } from './patched.ts';

const word = fc.constantFrom('a', 'b', 'c', 'if (x) {', '}', '', '  a', '-', '+', '*** x', 'ä', '日本');
const lines = fc.array(word, { maxLength: 24 });

/** A text as old lines with what happens to each: kept, removed, or kept with lines added before it. */
const edits = fc.array(
  fc.record({
    line: word,
    fate: fc.constantFrom('keep', 'keep', 'keep', 'remove', 'add'),
    added: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 24 },
);
const endings = fc.constantFrom('\n', '\r\n', '\r');

describe('a patch made from an edit', () => {
  it('reproduces the edit, with the line endings of the file', () => {
    fc.assert(
      fc.property(edits, endings, fc.boolean(), (steps, eol, ended) => {
        const body: string[] = [];
        const after: string[] = [];
        for (const { line, fate, added } of steps) {
          if (fate === 'add') {
            for (const text of added) body.push(`+${text}`);
            after.push(...added);
          }
          body.push(`${fate === 'remove' ? '-' : ' '}${line}`);
          if (fate !== 'remove') after.push(line);
        }
        const old = steps.map(({ line }) => line);
        // One line without an ending does not tell which ending it would have.
        fc.pre(ended || old.length > 1 || eol === '\n');
        // A text whose last line is empty and unended is a text that ends with a newline.
        fc.pre(ended || (old.at(-1) !== '' && after.at(-1) !== ''));
        const textOf = (all: readonly string[]) => all.join(eol) + (ended && all.length > 0 ? eol : '');
        const plan = planFile(textOf(old), hunksOf('@@', ...body));
        expect(plan.ok && applySplices(textOf(old), plan.splices)).toBe(textOf(after));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('changes no character outside of removed and added lines, at any level of leniency', () => {
    fc.assert(
      fc.property(
        lines,
        fc.nat(),
        fc.constantFrom('', ' ', '\t'),
        fc.constantFrom('', '  '),
        (all, seed, after, before) => {
          fc.pre(all.length > 0);
          const at = seed % all.length;
          const text = all.map((line) => `${before}${line}${after}\n`).join('');
          const body = all.map((line, i) => `${i === at ? '-' : ' '}${line}`);
          const plan = planFile(text, hunksOf('@@', ...body.slice(0, at + 1), '+NEW', ...body.slice(at + 1)));
          const expected = all.map((line, i) => (i === at ? 'NEW\n' : `${before}${line}${after}\n`)).join('');
          expect(plan.ok && applySplices(text, plan.splices)).toBe(expected);
        },
      ),
    );
  });

  it('is refused or applied, and never anything else, for any two texts', () => {
    fc.assert(
      fc.property(lines, lines, (file, patch) => {
        const text = ['*** Begin Patch', '*** Update File: f', '@@', '-a', ...patch, '*** End Patch'].join('\n');
        let hunks: ReturnType<typeof hunksOf>;
        try {
          const [operation] = parsePatch(text).operations;
          hunks = operation?.kind === 'update' ? operation.hunks : [];
        } catch {
          return; // a text that is no patch has a law of its own
        }
        const before = file.map((line) => `${line}\n`).join('');
        const plan = planFile(before, hunks);
        if (plan.ok) expect(typeof applySplices(before, plan.splices)).toBe('string');
        else expect(['mismatch', 'ambiguous', 'overlap']).toContain(plan.reason);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('the index of lines', () => {
  const naive = (all: readonly string[], run: readonly string[], from: number) =>
    all.flatMap((_, i) => (i >= from && run.every((line, j) => all[i + j] === line) ? [i] : []));

  it('finds what a comparison of every place finds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b'), { maxLength: 40 }),
        fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 5 }),
        fc.nat(8),
        (all, run, from) => {
          const index = new LineIndex(lineTableOf(all.map((line) => `${line}\n`).join(''), false));
          expect(index.find(run, from, 1000)).toEqual(naive(all, run, from));
        },
      ),
    );
  });

  it('finds every run that there is, and no other, among long lines that differ in one unit each', () => {
    // Two of the units are apart from those that a sample looks at.
    const line = fc.tuple(fc.nat(47), fc.constantFrom('x', 'y')).map(([at, unit]) => {
      const units = Array.from({ length: 48 }, (_, i): string => (i % 7 === 0 ? ' ' : '.'));
      units[at] = unit;
      return units.join('');
    });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 40, maxLength: 120 }),
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        (all, seed, size) => {
          const start = seed % all.length;
          const run = all.slice(start, start + size);
          const index = new LineIndex(lineTableOf(all.map((each) => `${each}\n`).join(''), false));
          expect(index.find(run, 0, 1000)).toEqual(naive(all, run, 0));
          expect(index.find([...run, 'nowhere'], 0, 1000)).toEqual([]);
        },
      ),
    );
  });

  it('distinguishes thousands of lines with equal sample hashes', () => {
    const all = Array.from(
      { length: 20_000 },
      (_, i) => `${'.'.repeat(9)}${String(i).padStart(6, '0')}${'.'.repeat(105)}`,
    );
    const index = new LineIndex(lineTableOf(all.map((each) => `${each}\n`).join(''), false));
    const found = Array.from({ length: 2000 }, (_, i) => index.find([all[i * 10]!], 0, 10));
    expect(found).toEqual(Array.from({ length: 2000 }, (_, i) => [i * 10]));
  });

  it('finds long runs of equal lines in time that grows with their sum', () => {
    const text = 'a\n'.repeat(200_000);
    const run = [...Array.from({ length: 20_000 }, () => 'a'), 'b'];
    const index = new LineIndex(lineTableOf(`${text}b\n`, false));
    expect(index.find(run, 0, 1000)).toEqual([180_000]);
  });

  it.each([1, 2, 3, 4] as const)('sees lines as folding does, at level %i', (level: FuzzLevel) => {
    const unit = fc.constantFrom(
      ' ',
      '\t',
      '\u00A0',
      '\u3000',
      '\u2003',
      '\uFEFF',
      '\u200B',
      'a',
      '…',
      '“',
      '—',
      'e\u0301',
      'é',
      '\u0085',
    );
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
        fc.nat(),
        (all, seed) => {
          const table = lineTableOf(
            all
              .map((line) => `x${line}\n`)
              .join('')
              .replaceAll(/^x/gmu, ''),
            false,
          );
          const wanted = lineAt(table, seed % table.count);
          const folded = Array.from({ length: table.count }, (_, i) => foldLine(lineAt(table, i), level));
          expect(new Seeker(table, 100).find([wanted], level, 0)).toEqual(naive(folded, [foldLine(wanted, level)], 0));
        },
      ),
    );
  });

  it('finds in the text itself what it finds in the index', () => {
    const filler = 'some longer line of text\n'.repeat(20_000);
    const text = `top\nab\n${filler}ab\nb\n${filler}xab\nabx\nb`;
    for (const run of [['ab'], ['ab', 'b'], ['b'], ['top', 'ab'], ['abx', 'b'], ['nothing'], ['b', '']]) {
      const few = new Seeker(lineTableOf(text, false), 1).find(run, 0, 0);
      expect(few).toEqual(new Seeker(lineTableOf(text, false), 1000).find(run, 0, 0));
    }
  });

  it('treats exactly the units that trim removes as blanks', () => {
    const wrong = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
      (unit) => isBlank(unit) !== (String.fromCharCode(unit).trim() === ''),
    );
    expect(wrong).toEqual([]);
  });
});
