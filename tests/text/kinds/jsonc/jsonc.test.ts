import { getNodeValue, parseTree, type ParseError } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../../src/text/address/index.ts';
import { toJson } from '../../../../src/text/json/data.ts';
import { writeJson } from '../../../../src/text/json/value.ts';
import { parseJsonc } from '../../../../src/text/kinds/jsonc/jsonc.ts';
import type { NewValue } from '../../../../src/text/kind.ts';
import { deleteOcPath, setOcPath } from '../../../../src/text/path/set.ts';
import {
  matchesResolveBack,
  ownValueChangesNothing,
  removalLeavesTheRest,
  writtenTextReadsBack,
} from '../../../contracts/kind-laws.ts';
import { jsoncText } from '../../../support/json-text.ts';
import { anyCharacter, fc, runs } from '../../../support/property.ts';

const RUNS = { numRuns: runs(300) };

describe('the laws of a kind, on generated JSONC', () => {
  it('every match resolves back', () =>
    fc.assert(
      fc.property(jsoncText, (text) => matchesResolveBack(text, 'jsonc')),
      RUNS,
    ));
  it('an equal value changes nothing', () =>
    fc.assert(
      fc.property(jsoncText, (text) => ownValueChangesNothing(text, 'jsonc')),
      RUNS,
    ));
  it('a written text reads back', () =>
    fc.assert(
      fc.property(jsoncText, fc.string({ unit: anyCharacter, maxLength: 8 }), (text, value) =>
        writtenTextReadsBack(text, 'jsonc', value),
      ),
      RUNS,
    ));
  it('a removal leaves the rest', () =>
    fc.assert(
      fc.property(jsoncText, (text) => removalLeavesTheRest(text, 'jsonc')),
      RUNS,
    ));
});

describe('reading agrees with jsonc-parser', () => {
  const oracle = (text: string) => {
    const errors: ParseError[] = [];
    const tree = parseTree(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true, disallowComments: false });
    return { tree, errors };
  };

  it('on generated documents, value for value', () => {
    fc.assert(
      fc.property(jsoncText, (text) => {
        const { tree, errors } = oracle(text);
        expect(errors).toEqual([]);
        const document = parseJsonc(text);
        expect(document.problems).toEqual([]);
        // Both sides keep the last of duplicate keys, because a JavaScript object has only one.
        expect(JSON.parse(writeJson(document.value(document.root), { indent: '' }))).toEqual(getNodeValue(tree!));
      }),
      RUNS,
    );
  });

  it('on damaged documents: refuses what it refuses', () => {
    fc.assert(
      fc.property(
        jsoncText,
        fc.nat(),
        fc.constantFrom('', ',', '}', '"', '{', ':', 'x', '\\'),
        (text, at, inserted) => {
          const spot = at % (text.length + 1);
          const damaged = text.slice(0, spot) + inserted + text.slice(spot + (inserted === '' ? 1 : 0));
          const document = parseJsonc(damaged);
          if (oracle(damaged).errors.length > 0) expect(document.problems.length, damaged).toBe(1);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

describe('a malformed document', () => {
  it.each([
    ['', 'the document contains no value', 0],
    ['// only\n', 'the document contains no value', 8],
    ['{"a": 1', "expected ',' or '}', found the end of the document", 7],
    ['{"a" 1}', `expected ':', found "1"`, 5],
    ['{a: 1}', 'expected a key in double quotes, found "a"', 1],
    ['[1 2]', `expected ',' or ']', found "2"`, 3],
    ['[1,,2]', 'expected a value, found ","', 3],
    ['{} x', 'expected the end of the document, found "x"', 3],
    ['[01]', '"01" is not a JSON value', 1],
    ['[tru]', '"tru" is not a JSON value', 1],
    ['"a\nb"', 'a control character must be escaped in a string', 2],
    ['"a', 'the string is not closed', 0],
    ['"\\x"', '\\x is not a JSON escape', 1],
    ['"\\u12g4"', '\\u needs four hexadecimal digits', 1],
    ['{} /* x', 'the comment is not closed', 3],
    ["{'a': 1}", `expected a key in double quotes, found "'"`, 1],
    ['[1e]', '"1e" is not a JSON value', 1],
  ])('%j is refused: %s', (text, message, offset) => {
    expect(parseJsonc(text).problems).toEqual([{ code: 'OC_JSONC_PARSE_FAILED', offset, message }]);
  });

  it('is one that nests more than 256 levels', () => {
    expect(parseJsonc('['.repeat(256) + ']'.repeat(256)).problems).toEqual([]);
    expect(parseJsonc('['.repeat(257) + ']'.repeat(257)).problems).toMatchObject([
      { code: 'OC_JSONC_DEPTH_EXCEEDED', offset: 256 },
    ]);
  });
});

function change(text: string, address: string, value: string | NewValue, create = false): string {
  const outcome = setOcPath(
    parseJsonc(text),
    parseOcPath(`oc://x.jsonc/${address}`),
    typeof value === 'string' ? { text: value } : value,
    { create },
  );
  return outcome.ok ? outcome.text : outcome.reason;
}

describe('set', () => {
  it.each([
    ['{"v": "1.0"}', 'v', '2.0', '{"v": "2.0"}'],
    ['{"v": 1}', 'v', '2.50', '{"v": 2.50}'],
    ['{"v": 1}', 'v', '12345678901234567890', '{"v": 12345678901234567890}'],
    ['{"v": 1}', 'v', '', 'parse-error'],
    ['{"v": 1}', 'v', '0x10', 'parse-error'],
    ['{"v": 1}', 'v', '1,5', 'parse-error'],
    ['{"v": true}', 'v', 'False', 'parse-error'],
    ['{"v": true}', 'v', 'false', '{"v": false}'],
    ['{"v": null}', 'v', 'x', 'parse-error'],
    ['{"v": "a"}', 'v', '{"s":"f"}', '{"v": "{\\"s\\":\\"f\\"}"}'],
    ['{"v": {"a": 1}}', 'v', 'x', 'parse-error'],
    ['{"v": 1}', 'w', '2', 'unresolved'],
    ['[1,3]', '01', '2', 'unresolved'],
    ['[1,3]', '*', '2', 'wildcard-not-allowed'],
    ['{"a": 1, "a": 2}', 'a', '5', '{"a": 5, "a": 2}'],
    ['{"a": 1, "a": 2}', '#1', '5', '{"a": 1, "a": 5}'],
    ['{"-5028303500": "x"}', '-5028303500', 'y', '{"-5028303500": "y"}'],
  ])('%s at %s to %j gives %s', (text, address, value, expected) => {
    expect(change(text, address, value)).toBe(expected);
  });

  it('writes any JSON value in the style of the old one', () => {
    expect(change('{\n  "v": "a"\n}\n', 'v', { json: toJson({ a: [1, 2] }) })).toBe('{\n  "v": {"a": [1, 2]}\n}\n');
    expect(change('{\n  "v": {\n    "a": 1\n  }\n}\n', 'v', { json: toJson({ b: 2 }) })).toBe(
      '{\n  "v": {\n    "b": 2\n  }\n}\n',
    );
  });
});

describe('insertion', () => {
  it.each([
    ['an array on one line', '[1, 3]', '+1', '2', '[1, 2, 3]'],
    ['an array on one line, at its end', '[1, 3]', '+', '4', '[1, 3, 4]'],
    ['an array, past its end', '[1, 3]', '+9', '4', '[1, 3, 4]'],
    ['a compact array', '[1,3]', '+0', '0', '[0,1,3]'],
    ['an empty array', '[]', '+', '1', '[1]'],
    ['an empty object', '{}', '+a', '1', '{"a": 1}'],
    ['an object on one line', '{"a":1}', '+b', '2', '{"a":1,"b":2}'],
    ['a padded object', '{ "a": 1 }', '+b', '2', '{ "a": 1, "b": 2 }'],
    ['an indented object', '{\n\t"a": 1\n}\n', '+b', '{"c":2}', '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'],
    [
      'an object whose last entry has a comment',
      '{\n  "b": 2 // about b\n}',
      '+c',
      '3',
      '{\n  "b": 2, // about b\n  "c": 3\n}',
    ],
    [
      'an object with a trailing comma',
      '{\r\n  // c\r\n  "a": 1, /* one */\r\n}\r\n',
      '+b',
      '2',
      '{\r\n  // c\r\n  "a": 1, /* one */\r\n  "b": 2,\r\n}\r\n',
    ],
    ['an object that closes on the line of its last entry', '{\n  "a": 1 }', '+b', '2', '{\n  "a": 1, "b": 2 }'],
    ['an empty object over two lines', '{\n}', '+a', '1', '{\n  "a": 1\n}'],
    ['an empty object with a comment', '{\n  // none\n}', '+a', '1', '{\n  // none\n  "a": 1\n}'],
    [
      'an array before an element with its own comment',
      '[\n  1, // one\n  3 // three\n]',
      '+1',
      '2',
      '[\n  1, // one\n  2,\n  3 // three\n]',
    ],
    ['an array at its front', '[ // list\n  1\n]', '+0', '0', '[ // list\n  0,\n  1\n]'],
    [
      'an empty object on its own line',
      '{\n  "a": {}, // none\n  "b": 1\n}',
      '+x',
      '1',
      '{\n  "a": {}, // none\n  "b": 1,\n  "x": 1\n}',
    ],
    ['an empty object beside others', '{"a":{},"b":[],\n"c": 1}', 'a/+k', '1', '{"a":{"k":1},"b":[],\n"c": 1}'],
    [
      'an empty object alone behind its key',
      '{\n  "a": {}, // none\n  "b": 1\n}',
      'a/+k',
      '1',
      '{\n  "a": {\n    "k": 1\n  }, // none\n  "b": 1\n}',
    ],
    ['an existing key', '{"a": 1}', '+a', '2', 'exists'],
    ['a key into an array', '[1]', '+k', '2', 'type-mismatch'],
    ['an index into an object', '{"a": 1}', '+', '2', 'type-mismatch'],
    ['text that is not JSON', '{"a": 1}', '+b', 'x', 'parse-error'],
    ['a quoted key', '{"a": 1}', '+"k.z"', '2', '{"a": 1, "k.z": 2}'],
    ['a child of a new child', '{"a": 1}', '+b/c', '2', '{"a": 1, "b": {"c": 2}}'],
    ['a child of a present child', '{"b": {"d": 1}}', '+b/+c', '2', '{"b": {"d": 1, "c": 2}}'],
  ])('into %s', (_name, text, address, value, expected) => {
    expect(change(text, address, value)).toBe(expected);
  });

  it('creates missing parents, and takes text that is not JSON as a string', () => {
    expect(change('{"a": 1}', 'b/c/d', 'hello', true)).toBe('{"a": 1, "b": {"c": {"d": "hello"}}}');
    expect(change('{"a": []}', 'a/0/x', '1', true)).toBe('{"a": [{"x": 1}]}');
    expect(change('{"a": []}', 'a/3/x', '1', true)).toBe('unresolved');
  });

  it('keeps all other bytes and reads back, on generated documents', () => {
    fc.assert(
      fc.property(jsoncText, fc.nat(), (text, index) => {
        const document = parseJsonc(text);
        const container = document.container(document.root);
        fc.pre(container !== undefined && document.child(document.root, 'section', 'fresh', false) === undefined);
        const before = [...document.children(document.root, 'section')].map((place) =>
          writeJson(document.value(place), { indent: '' }),
        );
        const at = container === 'jsonc-array' ? index % (before.length + 1) : before.length;
        const outcome = setOcPath(
          document,
          parseOcPath(container === 'jsonc-array' ? `oc://x.jsonc/+${at}` : 'oc://x.jsonc/+fresh'),
          { text: '{"n":[1]}' },
        );
        expect(outcome.ok).toBe(true);
        const after = parseJsonc(outcome.ok ? outcome.text : '');
        expect(after.problems).toEqual([]);
        const values = [...after.children(after.root, 'section')].map((place) =>
          writeJson(after.value(place), { indent: '' }),
        );
        expect(values).toEqual([...before.slice(0, at), '{"n":[1]}', ...before.slice(at)]);
        // Comments survive: only the new text was added.
        if (outcome.ok)
          expect(
            outcome.splices.every(
              (splice) => splice.start === splice.end || text.slice(splice.start, splice.end).trim() === '',
            ),
          ).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('delete', () => {
  it.each([
    ['{"a": 1, "b": 2}', 'a', '{"b": 2}'],
    ['{"a": 1, "b": 2}', 'b', '{"a": 1}'],
    ['{"a": 1}', 'a', '{}'],
    ['[1, 2, 3]', '1', '[1, 3]'],
    ['{\n  "a": 1, // one\n  "b": 2 // two\n}', 'a', '{\n  "b": 2 // two\n}'],
    ['{\n  "a": 1, // one\n  "b": 2 // two\n}', 'b', '{\n  "a": 1 // one\n}'],
    ['{\n  "a": 1,\n  "b": 2,\n}', 'b', '{\n  "a": 1,\n}'],
    ['{\n  // about a\n  "a": 1,\n  "b": 2\n}', 'a', '{\n  // about a\n  "b": 2\n}'],
    ['{"a": 1, "b": 2}', 'c', 'unresolved'],
  ])('%s without %s is %s', (text, address, expected) => {
    const outcome = deleteOcPath(parseJsonc(text), parseOcPath(`oc://x.jsonc/${address}`));
    expect(outcome.ok ? outcome.text : outcome.reason).toBe(expected);
  });
});
