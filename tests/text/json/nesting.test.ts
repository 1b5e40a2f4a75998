import { expect, it, test } from 'vitest';
import { isNestedTooDeep, MOST_NESTING } from '../../../src/text/json/nesting.ts';
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

it('takes every value that is not deep', () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => !isNestedTooDeep(JSON.stringify(value))));
});
