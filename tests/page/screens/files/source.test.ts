import { describe, expect, it } from 'vitest';
import { markedParts, sourceOf, WINDOW, windowStart } from '../../../../src/page/screens/files/source.ts';
import { entryAt, parentsOf } from '../../../../src/page/screens/files/tree-state.ts';

describe('the text of a file', () => {
  it('ends where the lines end, without the notices of the tool', () => {
    expect(sourceOf('A=***\nB=***\n\n[Values are hidden as ***.]', { from: 1, to: 2 })).toEqual({
      lines: ['A=***', 'B=***'],
      from: 1,
    });
    expect(sourceOf('', { from: 1, to: 0 })).toEqual({ lines: [], from: 1 });
  });

  it.each([1, 500, WINDOW - 200, WINDOW, 5000])('has line %i in its window', (line) => {
    const start = windowStart(line);
    expect(start).toBeGreaterThanOrEqual(1);
    expect(line - start).toBeGreaterThanOrEqual(0);
    expect(line - start).toBeLessThan(WINDOW);
  });
});

describe('a marked value', () => {
  const start = { line: 2, column: 4 };

  it('is one part of its line', () => {
    expect(markedParts('a: "x" # c', 2, { start, end: { line: 2, column: 7 } })).toEqual([
      { text: 'a: ', isMarked: false },
      { text: '"x"', isMarked: true },
      { text: ' # c', isMarked: false },
    ]);
  });

  it('goes on over its lines, and marks no other', () => {
    const range = { start, end: { line: 4, column: 2 } };
    expect(markedParts('abcdef', 2, range).map(({ text, isMarked }) => isMarked && text)).toEqual([false, 'def']);
    expect(markedParts('abcdef', 3, range)).toEqual([{ text: 'abcdef', isMarked: true }]);
    expect(markedParts('abcdef', 4, range).map(({ text, isMarked }) => isMarked && text)).toEqual(['a', false]);
    expect(markedParts('abcdef', 5, range)).toEqual([{ text: 'abcdef', isMarked: false }]);
  });

  it('is not marked where its end is hidden', () => {
    expect(markedParts('A=***', 2, { start })).toEqual([{ text: 'A=***', isMarked: false }]);
  });
});

describe('the tree', () => {
  it('knows the folders of a file, and the entry of a path', () => {
    expect(parentsOf('a/b/c.md')).toEqual(['', 'a', 'a/b']);
    const file = { name: 'c.md', type: 'file', protected: 'no' } as const;
    const folders = new Map([['a', { entries: [file], total: 1 }]]);
    expect([entryAt(folders, 'a/c.md'), entryAt(folders, 'a/d.md'), entryAt(folders, 'c.md')]).toEqual([
      file,
      undefined,
      undefined,
    ]);
  });
});
