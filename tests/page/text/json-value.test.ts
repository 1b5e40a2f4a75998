import { expect, it } from 'vitest';
import { jsonText, valueIn } from '../../../src/page/text/json-value.ts';

it.each(['on-miss', 'a\u202eb', '\u{e0041}', 5, true, null, ['x', { y: 'z\u200b' }]])(
  'a value stays the same in a field: %j',
  (value) => {
    const text = jsonText(value);
    expect(text).toMatch(/^[\x20-\x7e]*$/u);
    expect(valueIn(text)).toEqual(value);
  },
);

it('a word that is not JSON is a string', () => {
  expect(valueIn(' always ')).toBe('always');
});
