import { expect, it } from 'vitest';
import { argvText } from '../../../src/page/text/argv.ts';
import { shortened } from '../../../src/page/text/shortened.ts';
import { ageText, bytesText, countdownText } from '../../../src/page/text/times.ts';

it('quotes arguments whose ends would not be visible', () => {
  expect(argvText(['git', 'commit', '-m', 'a b', ''])).toBe('git commit -m "a b" ""');
  expect(argvText(['a', 'b'])).not.toBe(argvText(['a b']));
});

it('cuts a text between characters, never within one', () => {
  expect([shortened('ab😀', 3), shortened('ab😀', 4)]).toEqual(['ab', 'ab😀']);
});

it.each([
  [0, '0:00'],
  [-5_000, '0:00'],
  [58_900, '0:58'],
  [1_761_000, '29:21'],
  [3_723_000, '1:02:03'],
])('shows %i ms left as %s', (ms, text) => {
  expect(countdownText(ms)).toBe(text);
});

it.each([
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [200_000_000, '2 d'],
])('shows an age of %i ms as %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});

it.each([
  [1023, '1023 B'],
  [1536, '1.5 KB'],
  [5 * 1024 * 1024, '5.0 MB'],
])('shows %i bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
