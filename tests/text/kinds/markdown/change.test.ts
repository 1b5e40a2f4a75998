import { describe, expect, test } from 'vitest';
import { JsonObject } from '../../../../src/text/json/value.ts';
import { inserted, read, removed, written } from './at.ts';

const TOOLS = '## Tools\n\n- gh: GitHub CLI\n  - risk: low\n- plain text\n- [ ] todo\n';

describe('writing', () => {
  test.each([
    ['tools/gh/gh', 'new', TOOLS.replace('GitHub CLI', 'new')],
    ['tools/gh/risk', 'high: # very | *x*', TOOLS.replace('low', 'high: # very | *x*')],
    ['tools/gh.risk/risk', 'high', TOOLS.replace('low', 'high')],
    ['tools/gh/risk', 'low', TOOLS],
    ['tools/plain-text', 'other', TOOLS.replace('plain text', 'other')],
    ['tools/todo', 'done', TOOLS.replace('todo', 'done')],
    ['tools/todo/[checked]', 'true', TOOLS.replace('[ ]', '[x]')],
    ['tools/todo/[checked]', 'false', TOOLS],
    ['tools/todo/[checked]', 'yes', 'refused: parse-error'],
    ['tools/gh/gh', 'x\n## Pwn', 'refused: parse-error'],
    ['tools/gh/gh', '', 'refused: not-writable'],
    ['tools/gh/gh', ' x', 'refused: not-writable'],
    ['tools/gh', 'x', 'refused: not-writable'],
    ['tools', 'x', 'refused: not-writable'],
    ['', 'x', 'refused: no-root'],
    ['tools/plain-text', '# x', 'refused: not-writable'],
    ['tools/plain-text', '- x', 'refused: not-writable'],
    ['tools/plain-text', '```', 'refused: not-writable'],
    ['tools/plain-text', 'key: value', 'refused: not-writable'],
    ['tools/plain-text', '', 'refused: not-writable'],
  ])('%s = %j', (path, value, expected) => {
    expect(written(TOOLS, path, value)).toBe(expected);
  });

  test.each([
    '- k: v',
    '* k: v',
    '+ k: v',
    '1. k: v',
    '2) k: v',
    '-   k:   v  ',
    '> - k: v',
    '-\tk:\tv',
    '- [x] k: v',
    '- **k**: v',
    '- k : v',
    '- k:v',
  ])('changes only the value of %j', (item) => {
    for (const eol of ['\n', '\r\n']) {
      const text = `\uFEFF# T${eol}${eol}## A ##${eol}${item}${eol}  - n: 1${eol}${eol}## B`;
      const at = text.lastIndexOf('v', text.indexOf('- n: 1'));
      expect(written(text, 'a/k/k', 'w x')).toBe(`${text.slice(0, at)}w x${text.slice(at + 1)}`);
    }
  });

  test.each([
    ['```sh\na\n```\n', 'b\nc', '```sh\nb\nc\n```\n'],
    ['```\r\na\r\n```\r\n', 'b\nc', '```\r\nb\r\nc\r\n```\r\n'],
    ['```\n```\n', 'x', '```\nx\n```\n'],
    ['```\na\n```\n', '', '```\n```\n'],
    ['```\na\n```\n', '```\nx\n```', '````\n```\nx\n```\n````\n'],
    ['  ~~~~\n  a\n  ~~~~\n', '~~~~~', '  ~~~~~~\n  ~~~~~\n  ~~~~~~\n'],
    ['```\na', 'b\nc', '```\nb\nc'],
    ['- x\n  ```\n  a\n  ```\n', 'b\n\n  c', '- x\n  ```\n  b\n\n    c\n  ```\n'],
    ['    a\n    b\n\ntext\n', 'x\n\ny', '    x\n\n    y\n\ntext\n'],
    ['    a\n\ntext\n', '', 'refused: not-writable'],
    ['\ta\n', 'b\nc', '\tb\n\tc\n'],
  ])('the code in %j = %j', (text, value, expected) => {
    expect(written(text, '[code].0', value)).toBe(expected);
    expect(expected.startsWith('refused') ? value : read(expected, '[code].0')).toBe(value);
  });

  const TABLE = '| a | b |\n|---|---|\n| x | 1 |\n|y||\n';
  test.each([
    ['[table].0/x/b', '2', TABLE.replace('1', '2')],
    ['[table].0/x/b', 'p|q', TABLE.replace('1', 'p\\|q')],
    ['[table].0/x/b', '', TABLE.replace('1', '')],
    ['[table].0/y/b', 'z', TABLE.replace('|y||', '|y|z|')],
    ['[table].0/x/b', 'p\nq', 'refused: parse-error'],
    ['[table].0/x/b', ' p', 'refused: not-writable'],
  ])('the cell %s = %j', (path, value, expected) => {
    expect(written(TABLE, path, value)).toBe(expected);
  });
});

describe('inserting items', () => {
  test.each([
    ['tools', '+', 'new', `${TOOLS}- new\n`],
    ['tools', '+', '[x] task', `${TOOLS}- [x] task\n`],
    ['tools', '+jq', 'JSON', `${TOOLS}- jq: JSON\n`],
    ['tools', '+0', 'first', TOOLS.replace('- gh', '- first\n- gh')],
    ['tools', '+99', 'last', `${TOOLS}- last\n`],
    ['tools', '+gh', 'x', 'refused: exists'],
    ['tools', '+jq/risk', 'low', `${TOOLS}- jq\n  - risk: low\n`],
    ['tools/gh', '+why', 'read only', TOOLS.replace('low\n', 'low\n  - why: read only\n')],
    ['tools/gh', '+risk', 'x', 'refused: exists'],
    ['tools/gh', '+gh', 'x', 'refused: exists'],
    ['tools/gh', '+', 'plain', TOOLS.replace('low\n', 'low\n  - plain\n')],
    ['tools/gh', '+0', 'plain', TOOLS.replace('  - risk', '  - plain\n  - risk')],
    ['tools/gh/risk', '+why', 'x', TOOLS.replace('low\n', 'low\n    - why: x\n')],
    ['tools/plain-text', '+n', '1', TOOLS.replace('plain text\n', 'plain text\n  - n: 1\n')],
    ['tools', '+', 'a\nb', 'refused: parse-error'],
    ['tools', '+', '```', 'refused: not-writable'],
    ['tools', '+', '# h', 'refused: not-writable'],
    ['tools', '+', '- x', 'refused: not-writable'],
    ['tools', '+', ' ', 'refused: parse-error'],
    ['tools', '+jq', 'x\r\n## Pwn', 'refused: parse-error'],
  ])('%s %s = %j', (path, marker, value, expected) => {
    expect(inserted(TOOLS, path, marker, value)).toBe(expected);
  });

  test.each([
    ['## A\n', '## A\n\n- x\n'],
    ['## A', '## A\n\n- x'],
    ['## A\r\n\r\ntext\r\n\r\n## B\r\n', '## A\r\n\r\ntext\r\n\r\n- x\r\n\r\n## B\r\n'],
    ['## A\n- a', '## A\n- a\n- x'],
    ['## A\n* a\n', '## A\n* a\n* x\n'],
    ['## A\n  -   a\n', '## A\n  -   a\n  -   x\n'],
    ['## A\n1. a\n2. b\n', '## A\n1. a\n2. b\n3. x\n'],
    ['## A\n9) a\n', '## A\n9) a\n10) x\n'],
    ['## A\n- a\n\n- b\n\n## B\n', '## A\n- a\n\n- b\n\n- x\n\n## B\n'],
    ['## A\n- a\n  more\n\n  para\n\ntext\n', '## A\n- a\n  more\n\n  para\n- x\n\ntext\n'],
    ['## A\n> - a\n', '## A\n> - a\n> - x\n'],
    ['## A\n- a\n### S\n- s\n', '## A\n- a\n- x\n### S\n- s\n'],
    ['## A\n### S\n- s\n', '## A\n\n- x\n### S\n- s\n'],
    ['## A\n\n-\n', '## A\n\n-\n- x\n'],
    ['## A\n```\n', 'refused: not-writable'],
  ])('follows the list style of %j', (text, expected) => {
    expect(inserted(text, 'a', '+', 'x')).toBe(expected);
  });

  test.each([
    ['## A\n1. a\n', '## A\n1. a\n   - x: 1\n'],
    ['## A\n* a\n  * b\n', '## A\n* a\n  * b\n  * x: 1\n'],
    ['## A\n-\ta\n', '## A\n-\ta\n \t- x: 1\n'],
    ['## A\n- a\n\n  para\n', '## A\n- a\n\n  para\n  - x: 1\n'],
    ['## A\n- a', '## A\n- a\n  - x: 1'],
  ])('indents a nested bullet to the content of %j', (text, expected) => {
    expect(inserted(text, 'a/a', '+x', '1')).toBe(expected);
    expect(read(expected, 'a/a/x')).toBe('1');
  });

  test('writes an object as nested bullets, and refuses an array', () => {
    const json = new JsonObject([
      ['risk', 'low'],
      ['level', 3],
    ]);
    expect(inserted('## A\n', 'a', '+gh', { json } as never)).toBe('## A\n\n- gh\n  - risk: low\n  - level: 3\n');
    expect(inserted('## A\n', 'a', '+gh', { json: ['x'] } as never)).toBe('refused: type-mismatch');
    expect(inserted('## A\n', 'a', '+', { json: null } as never)).toBe('refused: type-mismatch');
  });
});

describe('inserting sections', () => {
  test.each([
    ['', '+', 'Tools', '## Tools\n'],
    ['# T\n', '+', 'Tools', '# T\n\n## Tools\n'],
    ['## A', '+', 'B', '## A\n\n## B'],
    ['## A\r\n', '+', 'B', '## A\r\n\r\n## B\r\n'],
    ['---\na: b\n---\n', '+', 'B', '---\na: b\n---\n\n## B\n'],
    ['---\na: b\n---', '+', 'B', '---\na: b\n---\n\n## B'],
    ['\uFEFF', '+', 'B', '\uFEFF## B\n'],
    ['## A\n', '+B', 'text\nmore', '## A\n\n## B\n\ntext\nmore\n'],
    ['## A\n', '+B', '', '## A\n\n## B\n'],
    ['## A\n', '+a', 'x', 'refused: exists'],
    ['## A\n\n## B\n', '+1', 'New', '## A\n\n## New\n\n## B\n'],
    ['## A\n', '+B/gh', 'x', '## A\n\n## B\n\n- gh: x\n'],
    ['## A\n', '+B/gh/risk', 'low', '## A\n\n## B\n\n- gh\n  - risk: low\n'],
    ['## A\n', '+', 'x\n## Pwn', 'refused: parse-error'],
    ['## A\n', '+B', 'x\n## Pwn', 'refused: not-writable'],
    ['## A\n', '+', 'closed ##', 'refused: not-writable'],
    ['## A\n', '+', '', 'refused: parse-error'],
    ['## A\n```\n', '+', 'B', 'refused: not-writable'],
  ])('%j %s = %j', (text, marker, value, expected) => {
    expect(inserted(text, '', marker, value)).toBe(expected);
  });

  test('takes the next heading level below a section', () => {
    expect(inserted('## A\n\ntext\n\n## B\n', 'a', '+Sub', 'body', 'section')).toBe(
      '## A\n\ntext\n\n### Sub\n\nbody\n\n## B\n',
    );
    expect(inserted('## A\n# H\n', 'h', '+Sub', 'body', 'section')).toBe('refused: not-writable');
  });
});

describe('inserting rows', () => {
  const table = '| a | b |\n|---|---|\n| x | 1 |';
  test.each([
    ['+y', '2', `${table}\n| y | 2 |`],
    ['+x', '2', 'refused: exists'],
    ['+0', 'y', '| a | b |\n|---|---|\n| y |  |\n| x | 1 |'],
    ['+y', 'p|q', `${table}\n| y | p\\|q |`],
    ['+y', 'p\nq', 'refused: parse-error'],
  ])('%s = %j', (marker, value, expected) => {
    expect(inserted(table, '[table].0', marker, value)).toBe(expected);
  });

  test('takes arrays and objects', () => {
    expect(inserted(table, '[table].0', '+', { json: ['y', 2] } as never)).toBe(`${table}\n| y | 2 |`);
    expect(inserted(table, '[table].0', '+y', { json: new JsonObject([['B', true]]) } as never)).toBe(
      `${table}\n| y | true |`,
    );
    expect(inserted(table, '[table].0', '+', { json: ['y', 2, 3] } as never)).toBe('refused: type-mismatch');
    expect(inserted(table, '[table].0', '+', { json: new JsonObject([['c', 1]]) } as never)).toBe(
      'refused: type-mismatch',
    );
  });
});

describe('a table', () => {
  test('keeps its rows if one row becomes blank', () => {
    expect(written('| a |\n|---|\ng\n| x |\n', '[table].0/g/a', '')).toBe('refused: not-writable');
  });
});

describe('removing', () => {
  test.each([
    [TOOLS, 'tools/gh', '## Tools\n\n- plain text\n- [ ] todo\n'],
    [TOOLS, 'tools/gh/gh', '## Tools\n\n- plain text\n- [ ] todo\n'],
    [TOOLS, 'tools/gh/risk', TOOLS.replace('  - risk: low\n', '')],
    [TOOLS, 'tools/gh.risk', TOOLS.replace('  - risk: low\n', '')],
    [TOOLS, 'tools/todo', TOOLS.replace('- [ ] todo\n', '')],
    [TOOLS, 'tools/todo/[checked]', 'refused: not-writable'],
    [TOOLS, 'tools', ''],
    [TOOLS, '', 'refused: no-root'],
    ['## A\n\n- a\n\n- b\n\n- c\n', 'a/b', '## A\n\n- a\n\n- c\n'],
    ['## A\n\ntext\n\n- a\n\n## B\n', 'a/a', '## A\n\ntext\n\n## B\n'],
    ['## A\n- a\n- b', 'a/b', '## A\n- a'],
    ['## A\r\n- a\r\n- b', 'a/b', '## A\r\n- a'],
    ['## A\n\n## B\n\nx\n', 'b', '## A\n'],
    ['## A\n\nx\n\n## B\n', 'a', '## B\n'],
    ['## A\n- - a\n', 'a/#0.a', 'refused: not-writable'],
    ['## A\n- a\n- # h\ntext\n', 'a/h', '## A\n- a\n\ntext\n'],
    ['a\n```\nx\n```\nb\n', '[code].0', 'a\n\nb\n'],
    ['a\r\n```\r\nx\r\n```\r\nb\r\n', '[code].0', 'a\r\n\r\nb\r\n'],
    ['## A\n```\nx\n```\nb\n', 'a/[code].0', '## A\nb\n'],
    ['+ p\n2) two\n  ```\n  x\n', '[preamble]/two', 'refused: not-writable'],
    ['- a\n2) two\n\n  cont\n', '[preamble]/two', 'refused: not-writable'],
    ['\f\n- a\n\nb\n', '[preamble]/a', '\f\n\nb\n'],
    ['| a |\n|---|\n| x |\n| y |\n', '[table].0/x', '| a |\n|---|\n| y |\n'],
    ['| a |\n|---|\n| x |\n', '[table].0/x/a', 'refused: not-writable'],
    ['a\n\n| a |\n|---|\n| x |\n\nb\n', '[table].0', 'a\n\nb\n'],
    ['a\n\n```\nx\n```\n\nb\n', '[code].0', 'a\n\nb\n'],
    ['a\n\n```\nx\n```\n\nb\n', '[code]', 'refused: not-writable'],
    ['# T\n\nx\n\n## A\n', '[preamble]', '## A\n'],
  ])('from %j %s', (text, path, expected) => {
    expect(removed(text, path)).toBe(expected);
  });
});
