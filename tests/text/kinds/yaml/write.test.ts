import { describe, expect, it } from 'vitest';
import { ExactNumber, JsonObject } from '../../../../src/text/json/value.ts';
import { parseYaml } from '../../../../src/text/kinds/yaml/yaml.ts';
import { at, set } from './edits.ts';

describe('writing text to a leaf', () => {
  it.each([
    ['a string', 'a: b\n', ['a'], 'c', 'a: c\n'],
    ['a string with its comment', 'a: b  # note\nc: d\n', ['a'], 'long text', 'a: long text  # note\nc: d\n'],
    ['a number as spelled', 'a: 1\n', ['a'], '1.10', 'a: 1.10\n'],
    ['a 64-bit number', 'a: 1\n', ['a'], '9007199254740993123', 'a: 9007199254740993123\n'],
    ['a hexadecimal number', 'a: 0x1F\n', ['a'], '0x2A', 'a: 0x2A\n'],
    ['an exponent', 'a: 5\n', ['a'], '1e3', 'a: 1e3\n'],
    ['no infinity to a number', 'a: 5\n', ['a'], '.inf', 'refused: parse-error'],
    ['no overflow to a number', 'a: 5\n', ['a'], '1e999', 'refused: parse-error'],
    ['no comma number', 'a: 5\n', ['a'], '1,5', 'refused: parse-error'],
    ['a boolean', 'a: yes\nb: True\n', ['b'], 'false', 'a: yes\nb: false\n'],
    ['no other word to a boolean', 'b: true\n', ['b'], 'False', 'refused: parse-error'],
    ['a number to an empty value', 'a:\nb: 1\n', ['a'], '5', 'a: 5\nb: 1\n'],
    ['text to an empty value with a comment', 'a: # later\nb: 1\n', ['a'], 'x y', 'a: x y # later\nb: 1\n'],
    ['text to null', 'a: ~\n', ['a'], 'true', 'a: true\n'],
    ['text to an empty item', '-\n- b\n', ['0'], 'a', '- a\n- b\n'],
    ['a string that looks like a number', 'a: b\n', ['a'], '1', 'a: "1"\n'],
    ['a string that looks like null', 'a: b\n', ['a'], '~', 'a: "~"\n'],
    ['a string with a colon', 'a: b\n', ['a'], 'x: y', 'a: "x: y"\n'],
    ['a string with a comment sign', 'a: b\n', ['a'], 'x #y', 'a: "x #y"\n'],
    ['a string with quotes and a colon', 'a: b\n', ['a'], 'say: "x"', 'a: \'say: "x"\'\n'],
    ['an address that stays plain', 'a: b\n', ['a'], 'http://x/#y', 'a: http://x/#y\n'],
    ['a dash', 'a: b\n', ['a'], '- c', 'a: "- c"\n'],
    ['an empty string', 'a: b\n', ['a'], '', 'a: ""\n'],
    ['single quotes', "a: 'b'\n", ['a'], "it's", "a: 'it''s'\n"],
    ['double quotes', 'a: "b"\n', ['a'], 'c "d"\n', 'a: "c \\"d\\"\\n"\n'],
    ['lines to a plain string', 'a: b # note\nc: d\n', ['a'], 'x\ny', 'a: |- # note\n  x\n  y\nc: d\n'],
    ['lines in flow', 'a: [b, c]\n', ['a', '0'], 'x\ny', 'a: ["x\\ny", c]\n'],
    ['a comma in flow', 'a: [b, c]\n', ['a', '1'], 'x, y', 'a: [b, "x, y"]\n'],
    ['a comma in block', 'a: b\n', ['a'], 'x, y', 'a: x, y\n'],
    ['literal text', 'a: |\n  x\n  y\nb: 1\n', ['a'], 'p\nq\n', 'a: |\n  p\n  q\nb: 1\n'],
    [
      'literal text of another indentation',
      'a: |\n    x\nb:\n    c: 1\n',
      ['a'],
      'p\nq',
      'a: |-\n    p\n    q\nb:\n    c: 1\n',
    ],
    ['literal text with CRLF', 'a: |\r\n  x\r\nb: 1\r\n', ['a'], 'p\nq\n', 'a: |\r\n  p\r\n  q\r\nb: 1\r\n'],
    ['folded text', 'a: >-\n  x\n  y\n', ['a'], 'p\nq', 'a: >-\n  p\n\n  q\n'],
    ['a control character to literal text', 'a: | # c\n  x\nb: 1\n', ['a'], '\u0007', 'a: "\\u0007" # c\nb: 1\n'],
    ['a value on a line of its own', 'a:\n  b # c\nd: 1\n', ['a'], 'x', 'a:\n  x # c\nd: 1\n'],
    ['no text to a map', 'a:\n  b: 1\n', ['a'], 'x', 'refused: not-writable'],
    ['a byte order mark and CRLF', '\uFEFFa: 1\r\nb: 2\r\n', ['a'], '3', '\uFEFFa: 3\r\nb: 2\r\n'],
    ['a text without final newline', 'a: 1\nb: 2', ['b'], '3', 'a: 1\nb: 3'],
    ['mixed endings', 'a: 1\r\nb: x\nc: 2\r\n', ['b'], 'p\nq', 'a: 1\r\nb: |-\n  p\n  q\nc: 2\r\n'],
    ['to an empty text', '', [], 'other', 'other\n'],
    ['to an empty document', 'a: 1\n---\n# c\n', ['[doc]', '1'], 'other', 'a: 1\n---\nother\n# c\n'],
    ['a scalar document', 'just text\n', [], 'other', 'other\n'],
    ['a value after a tag and an anchor', 'a: !!str &x 5 # c\nb: *x\n', ['a'], '6', 'a: !!str &x "6" # c\nb: *x\n'],
    ['a key without a value in flow', 'a: {b, c: 1}\n', ['a', 'b'], 'x', 'a: {b: x, c: 1}\n'],
    ['a multi-line plain value', 'a: b\n  c # n\nd: 1\n', ['a'], 'x', 'a: x # n\nd: 1\n'],
    ['another document', 'a: 1\n---\na: 2\n', ['[doc]', '1', 'a'], '3', 'a: 1\n---\na: 3\n'],
  ])('writes %s', (_what, text, path, value, expected) => {
    expect(set(text, path, value)).toBe(expected);
  });

  it.each([
    ['a: b\n', 'b'],
    ['a: 0x1F\n', '0x1F'],
    ['a: 1.10\n', '1.10'],
    ['a: True\n', 'true'],
    ['a: ~\n', 'null'],
    ['a:\n', 'null'],
    ['a: "b"\n', 'b'],
    ['a: |\n  x\n', 'x\n'],
    ['a: >\n  x\n  y\n', 'x y\n'],
  ])('changes nothing in %j for an equal value', (text, value) => {
    const document = parseYaml(text);
    expect(document.write(at(document, 'a'), { text: value })).toEqual({ ok: true, splices: [] });
  });
});

const object = new JsonObject([
  ['x', 1],
  [
    'y',
    [
      'p',
      new JsonObject([
        ['q', true],
        ['r', null],
      ]),
    ],
  ],
]);

describe('writing JSON', () => {
  it.each([
    ['a number over a string', 'a: b # c\n', ['a'], 5, 'a: 5 # c\n'],
    ['a string over a number', 'a: 5\n', ['a'], '6', 'a: "6"\n'],
    ['a number as spelled', 'a: 5\n', ['a'], new ExactNumber('1.10'), 'a: 1.10\n'],
    [
      'a map over a scalar, whose comment stays',
      'a: b # c\nd: 1\n',
      ['a'],
      object,
      'a: # c\n  x: 1\n  y:\n    - p\n    - q: true\n      r: null\nd: 1\n',
    ],
    [
      'a map over a map',
      'a:\n    x: 2\n    z: 3 # c\nd: 1\n',
      ['a'],
      new JsonObject([['k', 'v']]),
      'a:\n    k: v\nd: 1\n',
    ],
    ['a scalar over a map', 'a: # why\n  x: 2\n  z: 3\nd: 1\n', ['a'], 5, 'a: 5 # why\nd: 1\n'],
    ['a scalar over a compact map', '- x: 2\n  z: 3\n- 1\n', ['0'], 5, '- 5\n- 1\n'],
    [
      'a map over an item',
      '- 1\n- 2\n',
      ['1'],
      new JsonObject([
        ['k', 'v'],
        ['l', 2],
      ]),
      '- 1\n- k: v\n  l: 2\n',
    ],
    ['a list where dashes are not indented', 'l:\n- 1\na: b\n', ['a'], ['x', 'y'], 'l:\n- 1\na:\n- x\n- y\n'],
    ['a list over text', 'a: |\n  x\nb: 1\n', ['a'], [1], 'a:\n  - 1\nb: 1\n'],
    ['a list into flow', 'a: { b: 1 }\n', ['a', 'b'], ['x', 2], 'a: { b: [ x, 2 ] }\n'],
    ['a flow collection over another', 'a: {b: 1}\n', ['a'], ['x', 2], 'a: [x, 2]\n'],
    ['empty collections', 'a: 1\n', ['a'], [[], new JsonObject([])], 'a:\n  - []\n  - {}\n'],
    ['an empty value', 'a:\nb: 1\n', ['a'], new JsonObject([['k', 'v']]), 'a:\n  k: v\nb: 1\n'],
    [
      'a whole document',
      'a: 1\nb: 2\n',
      [],
      new JsonObject([
        ['k', 'v'],
        ['l', 1],
      ]),
      'k: v\nl: 1\n',
    ],
    [
      'an empty text',
      '# c\n',
      [],
      new JsonObject([
        ['k', 'v'],
        ['l', 1],
      ]),
      '# c\nk: v\nl: 1\n',
    ],
    ['lines of text below a key', 'a: 1\n', ['a'], new JsonObject([['k', 'p\nq\n']]), 'a:\n  k: |\n    p\n    q\n'],
  ])('writes %s', (_what, text, path, json, expected) => {
    expect(set(text, path, { json })).toBe(expected);
  });

  it('changes nothing for an equal value in another style', () => {
    expect(
      set('a: {x: 0x1F, y: [ "p" ]}\n', ['a'], {
        json: new JsonObject([
          ['x', 31],
          ['y', ['p']],
        ]),
      }),
    ).toBe('a: {x: 0x1F, y: [ "p" ]}\n');
  });
});

describe('writing through an alias', () => {
  const text = 'base: &b\n  x: 1\nuse: *b\nmore:\n  <<: *b\n  y: 2\n';
  it.each([
    ['a value behind an alias', ['use', 'x']],
    ['a merged key', ['more', 'x']],
  ])('is refused at %s with the anchor and its line', (_what, path) => {
    const document = parseYaml(text);
    expect(document.write(at(document, ...path), { text: '5' })).toEqual({
      ok: false,
      reason: 'alias',
      detail: 'this value comes from the anchor &b on line 1; change it there',
    });
  });

  it('is allowed at the anchor itself', () => {
    expect(set(text, ['base', 'x'], '5')).toBe(text.replace('x: 1', 'x: 5'));
  });
});

describe('a document of strings', () => {
  const strings = { scalarsAreStrings: true };
  it.each([
    ['a number plainly', 'a: b\n', '3', 'a: 3\n'],
    ['a word plainly', 'a: 3\n', 'true', 'a: true\n'],
    ['text over a number', 'a: 3\n', 'text', 'a: text\n'],
    ['old quotes', 'a: "b"\n', '3', 'a: "3"\n'],
    ['quotes where they are needed', 'a: b\n', 'x: y', 'a: "x: y"\n'],
    ['an empty value', 'a:\n', 'x', 'a: x\n'],
  ])('writes %s', (_what, text, value, expected) => {
    expect(set(text, ['a'], value, strings)).toBe(expected);
  });

  it('reads every scalar as spelled', () => {
    const document = parseYaml('a: 3\nb: true\nc:\nd: "x\\n"\ne: null\n', strings);
    expect([...document.children(document.root, 'item')].map((place) => document.leaf(place))).toEqual(
      ['3', 'true', '', 'x\n', 'null'].map((valueText) => ({ leafType: 'string', valueText })),
    );
  });
});
