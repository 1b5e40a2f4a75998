/** Files that the predecessor of Pincer damaged or could not read. */
import { describe, expect, test } from 'vitest';
import { found, inserted, names, parse, read, written } from './at.ts';

describe('a change does not touch the rest of the file', () => {
  test('keeps the frontmatter unchanged if a bullet changes', () => {
    const text =
      '---\n# c\nmetadata:\n  a: {b: 1}\nallowed-tools: [Bash, Read]\ntext: |\n  x\n  y\n"odd key": 1\n---\n\n## A\n\n- k: v\n';
    expect(written(text, 'a/k/k', 'w')).toBe(text.replace('k: v', 'k: w'));
    expect(written(text, '[frontmatter]/odd key', '2')).toBe(text.replace('key": 1', 'key": 2'));
  });

  test('does not grow the file with three writes', () => {
    let text = '# T\n\nintro\n\n## A\n- k: v\n## B\ntext\n';
    const length = text.length;
    for (const value of ['w', 'x', 'y']) text = written(text, 'a/k/k', value);
    expect(text.length).toBe(length);
  });

  test('keeps CRLF, BOM, closing hashes, indented and quoted headings, and a missing final newline', () => {
    const text = '\uFEFF# T\r\n   ## A ##\r\n> ## Quoted\r\n- k: v\r\n\nmixed\n\r\n## B';
    expect(written(text, 'a/k/k', 'w')).toBe(text.replace('k: v', 'k: w'));
  });

  test('does not mistake a bullet in a fence for the item', () => {
    const text = '## A\n\n```\n- k: in-fence\n```\n\n- k: v\n';
    expect(written(text, 'a/k/k', 'w')).toBe(text.replace('k: v', 'k: w'));
  });

  test.each(['* k: v', '1. k: v', '+ k: v'])('writes %s', (item) => {
    expect(written(`## A\n${item}\n`, 'a/k/k', 'w')).toBe(`## A\n${item.replace('v', 'w')}\n`);
  });

  test.each(['x\n## Pwn', 'x\r\n- pwn: 1', 'x\ry'])('refuses the value %j, which adds lines', (value) => {
    expect(written('## A\n- k: v\n', 'a/k/k', value)).toBe('refused: parse-error');
    expect(inserted('## A\n- k: v\n', 'a', '+', value)).toBe('refused: parse-error');
  });
});

describe('all content is readable', () => {
  test('finds each of two sections with the same name by its number', () => {
    const text = '## A\n- k: 1\n## A\n- k: 2\n';
    const document = parse(text);
    expect(
      [...document.children(document.root, 'section')].map(({ name, ordinal, start }) => ({ name, ordinal, start })),
    ).toEqual([
      { name: 'a', ordinal: 0, start: 0 },
      { name: 'a', ordinal: 1, start: text.lastIndexOf('##') },
    ]);
    expect(read(text, '#1/k/k')).toBe('2');
    expect(written(text, '#1/k/k', '3')).toBe(text.replace('2', '3'));
  });

  test('names headings of any script', () => {
    const text = '## 工具\n- k: v\n## Café\n## Ёлка и ель\n## 🎉\n';
    expect(names(text, '', 'section')).toEqual(['工具', 'café', 'ёлка-и-ель', '']);
    expect(read(text, '工具/k/k')).toBe('v');
  });

  test('reads the text of sections and items', () => {
    const document = parse('## A\n\npara\n\n- one\n  more\n');
    expect(document.value(found(document, 'a'))).toBe('para\n\n- one\n  more');
    expect(document.value(found(document, 'a/#0'))).toBe('one\nmore');
  });

  test('reads a nested bullet as a field of its item', () => {
    const text = '## Tools\n- gh: x\n  - risk: low\n- rm: y\n  - risk: high\n';
    expect(read(text, 'tools/gh/risk')).toBe('low');
    expect(read(text, 'tools/rm/risk')).toBe('high');
    expect(names(text, 'tools', 'item')).toEqual(['gh', 'rm']);
    expect(inserted('## Tools\n', 'Tools', '+gh/risk', 'low')).toBe('## Tools\n\n- gh\n  - risk: low\n');
  });
});
