/** The search for private keys takes time in proportion to the text, whatever is in it. */
import { describe, expect, it } from 'vitest';
import { privateKeySpans } from '../../../src/text/secrets/private-keys.ts';
import { processorMs } from '../../support/patience.ts';

const BEGIN = '-----BEGIN PRIVATE KEY-----';
const END = '-----END PRIVATE KEY-----';

/** Eight times the text takes eight times as long where the search is linear, and 64 times where it is quadratic. */
const MOST_RATIO = 24;
const SMALL = 1 << 17;

function workOf(text: string): number {
  const start = processorMs();
  privateKeySpans(text);
  return processorMs() - start;
}

describe('the search for private keys is linear in', () => {
  it.each([
    ['first lines without a last one', (size: number) => `${BEGIN}\nA\n!\n`.repeat(size / 32)],
    [
      'first lines with one last line far behind them',
      (size: number) => `${`${BEGIN}\nA\n!\n`.repeat(size / 32)}${END}`,
    ],
    ['line ends behind a first line', (size: number) => `${BEGIN}${'\r\n'.repeat(size / 2)}!`],
    ['blanks behind a first line', (size: number) => `${BEGIN}\nA\n${' '.repeat(size)}!`],
    ['blanks and marks', (size: number) => `${BEGIN}\nA\n${' '.repeat(size / 2)}#${' '.repeat(size / 2)}!`],
    ['letters without a line end', (size: number) => `${BEGIN}\n${'A'.repeat(size)}!`],
  ])('%s', (_, text) => {
    workOf(text(SMALL));
    const small = Math.max(workOf(text(SMALL)), 5); // below it the clock says nothing
    expect(workOf(text(8 * SMALL)) / small).toBeLessThan(MOST_RATIO);
  });
});

describe('a private key', () => {
  it('ends at the next last line, and a later key at its own last line', () => {
    const text = `a ${BEGIN}\nAAAA\n${END} b\n${BEGIN}\r\n\r\nBBBB\r\n${END} c`;
    expect(privateKeySpans(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      `${BEGIN}\nAAAA\n${END}`,
      `${BEGIN}\r\n\r\nBBBB\r\n${END}`,
    ]);
  });

  it('without a last line extends as far as its lines look like one', () => {
    const key = `${BEGIN}\nProc-Type: 4,ENCRYPTED\n  AAAABBBBCCCCDDDDEEEE  \n\n# AAAABBBBCCCCDDDD\n`;
    expect(privateKeySpans(`${key}no key!`)).toEqual([{ start: 0, end: key.length }]);
  });
});
