import { describe, expect, it } from 'vitest';
import { remove } from './edits.ts';

describe('removing', () => {
  it.each([
    ['an entry with its comment', 'a: 1\nb: 2 # c\nd: 3\n', ['b'], 'a: 1\nd: 3\n'],
    ['the first entry after a byte order mark', '\uFEFFa: 1\nb: 2\n', ['a'], '\uFEFFb: 2\n'],
    ['the last entry of a text without final newline', 'a: 1\r\nb: 2', ['b'], 'a: 1'],
    ['an entry with all below it', 'a:\n  x: |\n    p\n\n    q\n  y: 1\nb: 2\n', ['a'], 'b: 2\n'],
    ['the only entry of a map', 'a:\n  x: 1 # c\nb: 2\n', ['a', 'x'], 'a: {}\nb: 2\n'],
    ['the only item of a sequence', 'a:\n- x\nb: 2\n', ['a', '0'], 'a: []\nb: 2\n'],
    ['the only entry of the document', '# head\na: 1\n', ['a'], '# head\n{}\n'],
    ['the first entry of a compact map', '- a: 1\n  b: 2\n', ['0', 'a'], '- b: 2\n'],
    ['the first entry of a compact map above a comment', '- a: 1\n  # b\n  b: 2\n', ['0', 'a'], '-\n  # b\n  b: 2\n'],
    ['an item', 'l:\n  - a\n  - b: 1\n    c: 2\n  - d\n', ['l', '1'], 'l:\n  - a\n  - d\n'],
    ['a flow item', 'l: [a, b, c]\n', ['l', '1'], 'l: [a, c]\n'],
    ['the last flow item', 'l: [ a, b ]\n', ['l', '1'], 'l: [ a ]\n'],
    ['the only flow item', 'l: [ a ]\n', ['l', '0'], 'l: []\n'],
    ['a flow entry', 'm: {a: 1, b: 2}\n', ['m', 'a'], 'm: {b: 2}\n'],
    ['an alias', 'a: &x 1\nb: *x\nc: 2\n', ['b'], 'a: &x 1\nc: 2\n'],
    ['an anchor that is still needed', 'a: &x 1\nb: *x\n', ['a'], 'refused: not-writable'],
    ['a merged key', 'a: &x {p: 1, q: 2}\nb:\n  <<: *x\n', ['b', 'p'], 'refused: alias'],
    ['a merge', 'a: &x {p: 1}\nb:\n  <<: *x\n  c: 1\n', ['b', '<<'], 'a: &x {p: 1}\nb:\n  c: 1\n'],
    ['a document', 'a: 1\n', [], 'refused: not-writable'],
    ['an entry of another document', 'a: 1\n---\na: 2\nb: 3\n', ['[doc]', '1', 'a'], 'a: 1\n---\nb: 3\n'],
    ['an explicit key', '? a\n: 1\n? b\n: 2\n', ['a'], '? b\n: 2\n'],
    ['kept blank lines of literal text', 'a: |+\n  x\n\nb: 1\n', ['a'], 'b: 1\n'],
  ])('removes %s', (_what, text, path, expected) => {
    expect(remove(text, path)).toBe(expected);
  });

  it('removes the only key of a document of strings completely', () => {
    expect(remove('a: 1\n', ['a'], { scalarsAreStrings: true })).toBe('');
  });
});
