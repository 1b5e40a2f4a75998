import { describe, expect, expectTypeOf, it } from 'vitest';
import { jsonSchema } from '../../src/wire/json-schema.ts';
import { Mismatch } from '../../src/wire/mismatch.ts';
import {
  anyOf,
  array,
  boolean,
  bytes,
  check,
  closed,
  describe as described,
  type Infer,
  integer,
  json,
  literal,
  number,
  object,
  oneOf,
  orUndefined,
  record,
  refine,
  type Schema,
  string,
  union,
} from '../../src/wire/schema.ts';
import { fc } from '../support/property.ts';

const person = object(
  { name: string({ max: 5 }), tags: array(oneOf(['a', 'b']), { max: 2 }) },
  { age: integer({ min: 0 }) },
);
const shape = union('kind', object({ kind: literal('circle'), r: number() }), object({ kind: oneOf(['box', 'cube']) }));

describe('a schema', () => {
  it('drops unknown members, and refuses them where it is closed', () => {
    const value = { name: 'ann', tags: [], colour: 'red' };
    expect(check(person, value, 'it')).toEqual({ name: 'ann', tags: [] });
    expect(() => check(closed(person), value, 'it')).toThrow(/without other members than name, tags, age/u);
    expect(check(closed(person), { name: 'ann', tags: [] }, 'it')).toEqual({ name: 'ann', tags: [] });
  });

  it('has the type of its values', () => {
    expectTypeOf<Infer<typeof person>>().toEqualTypeOf<{
      readonly name: string;
      readonly tags: readonly ('a' | 'b')[];
      readonly age?: number;
    }>();
    expectTypeOf<Infer<typeof shape>>().toEqualTypeOf<
      { readonly kind: 'circle'; readonly r: number } | { readonly kind: 'box' | 'cube' }
    >();
  });

  it('rebuilds a value without unknown members', () => {
    const sent = JSON.parse('{"name":"Ann","tags":["b"],"age":3,"x":1,"__proto__":{"y":1}}') as unknown;
    const read = check(person, sent, 'person');
    expect(read).toEqual({ name: 'Ann', tags: ['b'], age: 3 });
    expect(read).not.toBe(sent);
  });

  const WRONG: readonly (readonly [Schema<unknown>, unknown, string])[] = [
    [person, 5, 'v must be an object, not 5'],
    [person, [], 'v must be an object, not an array'],
    [person, { tags: [] }, 'v.name is missing, and must be a string of at most 5 characters'],
    [person, { name: 'Annabel', tags: [] }, 'v.name must be a string of at most 5 characters, not "Annabel"'],
    [person, { name: 'A', tags: ['a', 'c'] }, 'v.tags[1] must be one of a, b, not "c"'],
    [person, { name: 'A', tags: ['a', 'a', 'a'] }, 'v.tags must be an array of at most 2 entries'],
    [person, { name: 'A', tags: [], age: -1 }, 'v.age must be an integer of at least 0, not -1'],
    [person, { name: 'A', tags: [], age: 1.5 }, 'v.age must be an integer of at least 0, not 1.5'],
    [person, { name: 'A', tags: [], age: null }, 'v.age must be an integer of at least 0, not null'],
    [integer(), 1e18, 'v must be an integer of at most 9007199254740991, not 1000000000000000000'],
    [integer({ min: 1, max: 3 }), '2', 'v must be an integer from 1 to 3, not "2"'],
    [number(), Number.NaN, 'v must be a number, not NaN'],
    [number({ max: 1 }), Number.POSITIVE_INFINITY, 'v must be a number of at most 1, not Infinity'],
    [boolean(), 'x'.repeat(100), `v must be true or false, not "${'x'.repeat(60)}"…`],
    [literal(true), false, 'v must be true, not false'],
    [string({ pattern: /^S/u }), 'T', 'v must be a string that matches /^S/u, not "T"'],
    [bytes, 'x', 'v must be bytes, not "x"'],
    [shape, { kind: 'ring' }, 'v.kind must be one of circle, box, cube, not "ring"'],
    [shape, {}, 'v.kind is missing, and must be one of circle, box, cube'],
    [shape, { kind: 'circle' }, 'v.r is missing, and must be a number'],
    [record(boolean()), { 'a b': 1 }, 'v["a b"] must be true or false, not 1'],
    [record(boolean(), { max: 1 }), { a: true, b: true }, 'v must be an object of at most 1 members'],
    [anyOf('a size', integer(), string()), true, 'v must be a size, not true'],
    [refine(string(), 'a capital', (text) => /^[A-Z]$/u.test(text)), 'a', 'v must be a capital, not "a"'],
    [json({ depth: 1, values: 9 }), [[[]]], 'v must be JSON of at most 1 levels and 9 values, not an array'],
    [json({ depth: 9, values: 1 }), [1, 2], 'v must be JSON of at most 9 levels and 1 values, not an array'],
  ];
  it.each(WRONG)('reports the expected value and its place (%#)', (schema, value, message) => {
    const read = () => check(schema, value, 'v');
    expect(read).toThrow(Mismatch);
    expect(read).toThrow(message);
  });

  it('replaces control characters in a plain string', () => {
    expect(check(string({ plain: true }), 'a\u001b[2Jb\u202ec', 'v')).toBe('a [2Jb c');
  });

  it('drops __proto__ from a record', () => {
    const read = check(record(integer()), JSON.parse('{"a":1,"__proto__":2}'), 'v');
    expect(Object.entries(read)).toEqual([['a', 1]]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('accepts the absence of an orUndefined member', () => {
    expect(check(object({ a: orUndefined(string()) }), {}, 'v')).toEqual({});
    expect(() => check(object({ a: orUndefined(string()) }), { a: 1 }, 'v')).toThrow('v.a must be a string, not 1');
  });

  it('refines only matching values', () => {
    const wrong: string[] = [];
    const at: (string | number)[] = [];
    refine(person, 'an adult', ({ age = 0 }) => age >= 18).read(
      { name: 1, tags: [] },
      { at, wrong: (expected) => wrong.push(expected), unknown() {} },
    );
    expect([wrong, at]).toEqual([['a string of at most 5 characters'], []]);
  });

  it('returns a value that matches again, or reports a mismatch', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const schema of [person, shape, record(person), array(shape)] as readonly Schema<unknown>[]) {
          try {
            const read = check(schema, value, 'v');
            expect(check(schema, read, 'v')).toEqual(read);
          } catch (error) {
            if (!(error instanceof Mismatch)) throw error;
          }
        }
      }),
    );
  });

  it('becomes JSON Schema in the order of its declaration', () => {
    const schema = object(
      { a: integer({ description: 'the first', min: 1 }) },
      { b: described(record(json()), 'any'), c: shape },
    );
    expect(JSON.stringify(jsonSchema(schema))).toBe(
      JSON.stringify({
        type: 'object',
        properties: {
          a: { type: 'integer', description: 'the first', minimum: 1 },
          b: { type: 'object', description: 'any' },
          c: {
            anyOf: [
              {
                type: 'object',
                properties: { kind: { type: 'string', enum: ['circle'] }, r: { type: 'number' } },
                required: ['kind', 'r'],
                additionalProperties: false,
              },
              {
                type: 'object',
                properties: { kind: { type: 'string', enum: ['box', 'cube'] } },
                required: ['kind'],
                additionalProperties: false,
              },
            ],
          },
        },
        required: ['a'],
        additionalProperties: false,
      }),
    );
  });
});
