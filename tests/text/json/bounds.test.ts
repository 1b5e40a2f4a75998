import { expect, it, test } from 'vitest';
import { hasTooManyMembers, isNestedTooDeep, MOST_MEMBERS, MOST_NESTING } from '../../../src/text/json/bounds.ts';
import { fc } from '../../support/property.ts';

const nested = (levels: number, inner = '1'): string => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

test.each([
  [nested(MOST_NESTING), false],
  [nested(MOST_NESTING + 1), true],
  ['{"a":'.repeat(MOST_NESTING + 1), true],
  [JSON.stringify('['.repeat(1000)), false],
  [JSON.stringify(`\\"${'['.repeat(1000)}`), false],
  [`"\\\\"${nested(MOST_NESTING + 1)}`, true],
  ['"open'.repeat(3), false],
  [`[${'[],'.repeat(1000)}[]]`, false],
])('%# is judged', (text, expected) => {
  expect(isNestedTooDeep(text)).toBe(expected);
});

it('accepts every value that is not deep', () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => !isNestedTooDeep(JSON.stringify(value))));
});

test.each([
  [`[${'1,'.repeat(MOST_MEMBERS - 1)}1]`, false],
  [`[${'1,'.repeat(MOST_MEMBERS)}1]`, true],
  [`[${'{"a":1},'.repeat(MOST_MEMBERS)}1]`, true],
  [JSON.stringify({ text: ','.repeat(MOST_MEMBERS + 1) }), false],
  [JSON.stringify({ text: `\\"${','.repeat(MOST_MEMBERS + 1)}` }), false],
])('S-6: members are counted, and commas in texts are not, %#', (text, expected) => {
  expect(hasTooManyMembers(text)).toBe(expected);
});
