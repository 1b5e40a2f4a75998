import { describe, expect, it } from 'vitest';
import { readPredicate, satisfies } from '../../../src/text/address/predicate.ts';

describe('readPredicate', () => {
  it.each([
    ['k=a=b', { key: 'k', op: '=', value: 'a=b' }],
    ['k!=v', { key: 'k', op: '!=', value: 'v' }],
    ['k<=1', { key: 'k', op: '<=', value: '1' }],
    ['usage.in>100', { key: 'usage.in', op: '>', value: '100' }],
    ['=a=b', { key: '=a', op: '=', value: 'b' }],
    ['frontmatter', undefined],
    ['a!b', undefined],
    ['', 'malformed'],
    ['=v', 'malformed'],
    ['k=', 'malformed'],
  ])('reads %j', (body, expected) => {
    expect(readPredicate(body)).toEqual(expected);
  });
});

describe('satisfies', () => {
  it.each([
    ['5', 'number', '=', '5', true],
    ['5.0', 'number', '=', '5', true],
    ['5.0', 'string', '=', '5', false],
    ['5', 'string', '=', '5', true],
    ['12345678901234567890', 'number', '=', '12345678901234567891', false],
    ['12345678901234567890', 'number', '=', '12345678901234567890', true],
    ['12345678901234567891', 'number', '>', '12345678901234567890', true],
    ['10', 'string', '>', '9', true],
    ['128000', 'number', '>=', '128000', true],
    ['abc', 'string', '>', '5', false],
    ['7', 'number', '>', 'foo', false],
    ['', 'string', '<', '1', false],
    ['null', 'null', '=', 'null', true],
    ['true', 'boolean', '!=', 'false', true],
    ['a.*', 'string', '=', 'a.*', true],
    ['abc', 'string', '=', 'a.*', false],
  ] as const)('%j (%s) %s %j is %s', (valueText, leafType, op, value, expected) => {
    expect(satisfies({ valueText, leafType }, { key: 'k', op, value })).toBe(expected);
  });
});
