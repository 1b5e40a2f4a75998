import { describe, expect, it } from 'vitest';
import { planEdits } from '../../../src/text/edit/plan.ts';
import { processorMs } from '../../support/patience.ts';

const MB = 1 << 20;
const code = Array.from({ length: 100_000 }, (_, i) => `    const value${i} = compute(${i % 97}, "text ${i}");\n`).join(
  '',
);

/** Processor time: long enough for a slow machine, far below what anything quadratic would take. */
const MOST_MS = 20_000;

describe('planning stays quick', () => {
  it.each<[string, string, string]>([
    [
      '5,000 lines that differ in their last one',
      code,
      `${code.split('\n').slice(40_000, 45_000).join('\n')}\nno such line`,
    ],
    ['5,000 lines that are nowhere', code, 'some other line entirely\n'.repeat(5000)],
    ['a run of blanks', ' '.repeat(5 * MB), ` a${' '.repeat(1000)}b`],
    ['a run of blanks in the old text', 'a b\n'.repeat(MB), `a${' '.repeat(MB)}b`],
    ['one endless line', 'abc '.repeat(MB), 'abd abc'],
    ['one endless line of indentation', `${'\t'.repeat(4 * MB)}x`, '  x y'],
    ['accents on accents', `a${'\u0301'.repeat(MB)}`, 'a\u0301b'],
    ['carriage returns', '\r'.repeat(4 * MB), '\n\nx'],
    ['the same letter over and over', 'a'.repeat(5 * MB), `b${'a'.repeat(20_000)}`],
    ['the same line over and over', 'a \n'.repeat(MB), 'a\n'.repeat(3000)],
    ['ideographs', '漢字仮名交じり文。\n'.repeat(150_000), '漢字仮名交じり又。'],
    ['bytes that are no text', '\uDCE9\uDCFF\n'.repeat(MB), '\uFFFDx'],
    [
      'brackets at every depth',
      Array.from({ length: 20_000 }, (_, i) => `${' '.repeat(i % 200)}}\n`).join(''),
      '}\n'.repeat(300),
    ],
  ])('on %s', (_, text, oldText) => {
    const began = processorMs();
    const plan = planEdits(text, [{ oldText, newText: 'new' }]);
    expect(plan.ok).toBe(false);
    expect(processorMs() - began).toBeLessThan(MOST_MS);
  });

  it('when everything is to be replaced', () => {
    const began = processorMs();
    expect(planEdits('a'.repeat(5 * MB), [{ oldText: 'a', newText: 'b', replaceAll: true }])).toEqual({
      ok: false,
      edit: 0,
      reason: 'too-many',
      most: 200_000,
    });
    expect(processorMs() - began).toBeLessThan(MOST_MS);
  });

  it('and keeps its help short', () => {
    const plan = planEdits(`x${'y'.repeat(MB)}z\n`, [{ oldText: `x${'y'.repeat(MB)}w`, newText: '' }]);
    expect(!plan.ok && plan.reason === 'not-found' && (plan.nearest?.excerpt.length ?? 0)).toBeLessThan(2000);
  });
});
