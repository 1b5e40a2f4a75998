import { describe, expect, it } from 'vitest';
import { insert } from './edits.ts';

describe('inserting into a map', () => {
  it.each([
    ['at the end', 'a: 1\nb: 2\n', [], 'c', 'x', 'a: 1\nb: 2\nc: x\n'],
    ['without a final newline', 'a: 1\nb: 2', [], 'c', '3', 'a: 1\nb: 2\nc: 3'],
    ['with CRLF', 'a: 1\r\nb:\r\n  c: 2\r\n', ['b'], 'd', 'x', 'a: 1\r\nb:\r\n  c: 2\r\n  d: x\r\n'],
    [
      'after a comment of the last line',
      'a:\n  b: 1 # c\n\nd: 2\n',
      ['a'],
      'e',
      'x',
      'a:\n  b: 1 # c\n  e: x\n\nd: 2\n',
    ],
    ['after a nested last entry', 'a:\n  b:\n    - 1\nd: 2\n', ['a'], 'e', 'x', 'a:\n  b:\n    - 1\n  e: x\nd: 2\n'],
    ['after literal text', 'a:\n  b: |\n    x\n\n\nd: 2\n', ['a'], 'e', 'x', 'a:\n  b: |\n    x\n  e: x\n\n\nd: 2\n'],
    ['of a compact item', '- a: 1\n- b: 2\n', ['0'], 'c', 'x', '- a: 1\n  c: x\n- b: 2\n'],
    [
      'an object',
      'p:\n    a: 1\n',
      ['p'],
      'o',
      '{"k":[1,{"l":2}]}',
      'p:\n    a: 1\n    o:\n        k:\n            - 1\n            - l: 2\n',
    ],
    ['into flow', 'a: {b: 1}\n', ['a'], 'c', 'x', 'a: {b: 1, c: x}\n'],
    ['into padded flow', 'a: { b: 1 }\n', ['a'], 'c', '[1]', 'a: { b: 1, c: [ 1 ] }\n'],
    ['into an empty map', 'a: {}\n', ['a'], 'c', 'x', 'a: {c: x}\n'],
    ['into an empty padded map', 'a: { }\n', ['a'], 'c', 'x', 'a: { c: x }\n'],
    ['into JSON', '{"a":1,"b":"x"}\n', [], 'c', 'y', '{"a":1,"b":"x","c":"y"}\n'],
    ['into an empty text', '', [], 'a', 'x', 'a: x\n'],
    ['after comments', '# note\n', [], 'a', 'x', '# note\na: x\n'],
    ['after comments without a final newline', '# note', [], 'a', 'x', '# note\na: x'],
    ['after a marker', '---\n# note\n', [], 'a', '{"b":1}', '---\na:\n  b: 1\n# note\n'],
    ['an existing key', 'a: 1\n', [], 'a', 'x', 'refused: exists'],
    ['by index', 'a: 1\n', [], 0, 'x', 'refused: type-mismatch'],
    ['by +', 'a: 1\n', [], undefined, 'x', 'refused: type-mismatch'],
    ['a key that needs quotes', 'a: 1\n', [], 'x: y', 'v', 'a: 1\n"x: y": v\n'],
    ['a key that looks like a number', 'a: 1\n', [], '8080', 'v', 'a: 1\n"8080": v\n'],
    ['a number among numbers', '80: a\n', [], '8080', 'v', '80: a\n8080: v\n'],
    ['the merge word as a plain key', 'a: 1\n', [], '<<', 'v', 'a: 1\n"<<": v\n'],
    ['below a scalar', 'a: 1\n', ['a'], 'b', 'v', 'refused: type-mismatch'],
    ['a second document', 'a: 1\n---\nb: 2\n', ['[doc]', '1'], 'c', 'v', 'a: 1\n---\nb: 2\nc: v\n'],
  ])('works %s', (_what, text, path, where, value, expected) => {
    expect(insert(text, path, where, value)).toBe(expected);
  });

  it('creates the nested maps', () => {
    expect(insert('a: 1\n', [], 'b', 'low', ['c', 'd'])).toBe('a: 1\nb:\n  c:\n    d: low\n');
  });
});

describe('inserting into a sequence', () => {
  it.each([
    ['at the end', 'l:\n  - a\n  - b\nz: 1\n', ['l'], undefined, 'c', 'l:\n  - a\n  - b\n  - c\nz: 1\n'],
    ['with its dash style', 'l:\n-   a\n', ['l'], undefined, '{"x":1,"y":2}', 'l:\n-   a\n-   x: 1\n    y: 2\n'],
    ['at the start', '# c\n- a\n- b\n', [], 0, 'n', '# c\n- n\n- a\n- b\n'],
    ['in the middle, above the comment of the next', '- a\n# about b\n- b\n', [], 1, 'n', '- a\n- n\n# about b\n- b\n'],
    ['past the end', '- a', [], 9, 'n', '- a\n- n'],
    ['at the start of a nested one', '- - a\n  - b\n', ['0'], 0, 'n', '- - n\n  - a\n  - b\n'],
    ['an object at the start', 'l:\n  - a\n', ['l'], 0, '{"x":1,"y":2}', 'l:\n  - x: 1\n    y: 2\n  - a\n'],
    ['empty flow', 'items: []\n', ['items'], undefined, 'a', 'items: [a]\n'],
    ['flow', 'items: [a, b]\n', ['items'], undefined, 'c', 'items: [a, b, c]\n'],
    ['tight flow', 'items: [1,2]\n', ['items'], undefined, '3', 'items: [1,2,3]\n'],
    ['padded flow', 'items: [ a ]\n', ['items'], 0, 'c', 'items: [ c, a ]\n'],
    ['quoted flow', 'items: ["a", "b"]\n', ['items'], 1, 'c', 'items: ["a", "c", "b"]\n'],
    [
      'flow over lines',
      'items: [\n  a,\n  b # last\n]\n',
      ['items'],
      undefined,
      'c',
      'items: [\n  a,\n  b, # last\n  c\n]\n',
    ],
    [
      'flow over lines with a last comma',
      'items: [\n  a,\n  b, # last\n]\n',
      ['items'],
      undefined,
      'c',
      'items: [\n  a,\n  b, # last\n  c,\n]\n',
    ],
    ['a keyed child', '- a\n', [], 'k', 'v', 'refused: type-mismatch'],
    ['lines of text', '- a\n', [], undefined, 'p\nq', '- a\n- |-\n  p\n  q\n'],
    ['a string that spells JSON as text', '- a\n', [], undefined, '"1"', '- a\n- "1"\n'],
  ])('works: %s', (_what, text, path, where, value, expected) => {
    expect(insert(text, path, where, value)).toBe(expected);
  });
});

describe('inserting elsewhere', () => {
  it('is refused in a map behind an alias', () => {
    expect(insert('a: &x {b: 1}\nc: *x\n', ['c'], 'd', 'v')).toBe('refused: alias');
  });

  it('takes text as text in a document of strings', () => {
    expect(insert('name: x\n', [], 'tier', '3', [], { scalarsAreStrings: true })).toBe('name: x\ntier: 3\n');
  });
});
