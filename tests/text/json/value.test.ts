import { describe, expect, it } from 'vitest';
import { toJson } from '../../../src/text/json/data.ts';
import { ExactNumber, isJsonNumber, JsonObject, readJson, writeJson } from '../../../src/text/json/value.ts';
import { fc, runs } from '../../support/property.ts';

describe('readJson and writeJson', () => {
  it('agree with JSON.stringify on plain data, on one line and indented', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeJson(toJson(value), { indent: '' })).toBe(JSON.stringify(value));
        expect(writeJson(toJson(value), { indent: '  ' })).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('read what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = readJson(JSON.stringify(value));
        expect('value' in read ? writeJson(read.value, { indent: '' }) : read).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each(['12345678901234567890', '1.10', '1e3', '-0', '0.1e-7'])('keep the spelling of the number %s', (text) => {
    expect(readJson(text)).toEqual({ value: new ExactNumber(text) });
    expect(writeJson(new ExactNumber(text), { indent: '' })).toBe(text);
  });

  it('keep duplicate keys and their order', () => {
    expect(readJson('{"b":1,"a":2,"b":3}')).toEqual({
      value: new JsonObject([
        ['b', 1],
        ['a', 2],
        ['b', 3],
      ]),
    });
  });

  it.each([
    ['', 'a value is missing'],
    ['[1,]', 'unexpected "]"'],
    ['{"a":1,}', 'expected a key in double quotes'],
    ['{"a" 1}', "expected ':'"],
    ['[1 2]', "expected ',' or ']'"],
    ['nul', 'unexpected "n"'],
    ['1 2', 'unexpected "2" after the value'],
    ['"a', 'the string is not closed'],
    ['"\\x"', 'the string contains an invalid escape'],
    ['1e999', '1e999 is not a finite number'],
    ['['.repeat(300), 'more than 256 levels'],
  ])('refuse %j: %s', (text, message) => {
    expect(readJson(text)).toMatchObject({ error: { message } });
  });

  it('refuse what JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '1', '-', '.', 'e', ' ', 't', 'null', '\\'),
          maxLength: 12,
        }),
        (text) => {
          let sound = true;
          try {
            JSON.parse(text);
          } catch {
            sound = false;
          }
          expect('value' in readJson(text)).toBe(sound);
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it.each([
    ['1', true],
    ['1.', false],
    ['.5', false],
    ['+1', false],
    ['0x10', false],
    ['', false],
    ['1e400', false],
  ] as const)('%s is a JSON number: %s', (text, expected) => {
    expect(isJsonNumber(text)).toBe(expected);
  });
});
