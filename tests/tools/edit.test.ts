import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../src/hosts/files/files.ts';
import { hashOf } from '../../src/hosts/files/content-hash.ts';
import { callTool } from '../../src/tools/call.ts';
import { editTool } from '../../src/tools/edit.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { makeFolder } from '../support/folder.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const hash = (text: string) => hashOf(bytes(text));

function workspace(files: Readonly<Record<string, string | Uint8Array>>, more: Partial<ToolContext> = {}) {
  const folder = makeFolder(files);
  const author = { agent: 'main', client: 'editor' };
  const context = { files: localFiles({ cwd: folder, stateDir: makeFolder(), durable: false, author }), ...more };
  return {
    folder,
    edit: (input: unknown, name = 'edit') => callTool([editTool], name, input, context),
    text: (name: string) => readFileSync(join(folder, name), 'utf8'),
    bytes: (name: string) => new Uint8Array(readFileSync(join(folder, name))),
  };
}

describe('edit', () => {
  it('answers as the seed requires, and reports the change', async () => {
    const { edit, text } = workspace({ 'src/main.js': 'console.log("Hello");' });
    const answer = await edit(
      { path: 'src/main.js', oldText: 'console.log("Hello");', newText: 'console.log("Hello, World!");' },
      'host_workspace_edit',
    );
    expect(answer).toEqual({
      content: [{ type: 'text', text: 'Successfully edited src/main.js' }],
      details: {
        path: 'src/main.js',
        workspaceOnly: true,
        changed: true,
        edits: 1,
        match: 'exact',
        firstChangedLine: 1,
        diff:
          '--- src/main.js\n+++ src/main.js\n@@ -1,1 +1,1 @@\n-console.log("Hello");\n\\ No newline at end of file\n' +
          '+console.log("Hello, World!");\n\\ No newline at end of file\n',
        hash: hash('console.log("Hello, World!");'),
      },
    });
    expect(text('src/main.js')).toBe('console.log("Hello, World!");');
  });

  it.each([
    ['the names of another tool', { file_path: 'a', old_string: 'one', new_string: '1' }],
    ['other spellings', { filePath: 'a', oldString: 'one', newString: '1' }],
    [
      'empty names beside filled ones',
      { path: '', file: 'a', oldText: '', old_text: 'one', newText: '', new_text: '1' },
    ],
    ['a list', { path: 'a', edits: [{ oldText: 'one', newText: '1' }] }],
    ['a list with other names', { path: 'a', edits: [{ old_string: 'one', new_string: '1', replace_all: false }] }],
    ['a list as JSON text', { path: 'a', edits: '[{"oldText":"one","newText":"1"}]' }],
    ['one entry for a list', { path: 'a', edits: { oldText: 'one', newText: '1' } }],
    ['an empty list beside an edit', { path: 'a', old_string: 'one', newText: '1', edits: [] }],
    ['the same edit twice', { path: 'a', oldText: 'one', newText: '1', edits: [{ oldText: 'one', newText: '1' }] }],
  ])('accepts %s', async (_, input) => {
    const { edit, text } = workspace({ a: 'one\n' });
    expect(await edit(input)).toMatchObject({ details: { changed: true } });
    expect(text('a')).toBe('1\n');
  });

  it.each([
    [
      'no old text',
      { path: 'a', newText: 'x' },
      'PARAM_MISSING',
      'edit: the parameter oldText (also called old_string, old_text, oldString) is missing',
    ],
    [
      'an empty old text',
      { path: 'a', oldText: '', newText: 'x' },
      'PARAM_MISSING',
      'edit: the parameter oldText (also called old_string, old_text, oldString) is missing',
    ],
    [
      'no new text',
      { path: 'a', oldText: 'one' },
      'PARAM_MISSING',
      'edit: the parameter newText (also called new_string, new_text, newString) is missing',
    ],
    [
      'no path',
      { oldText: 'one', newText: 'x' },
      'PARAM_MISSING',
      'edit: the parameter path (also called file_path, filePath, file) is missing',
    ],
    [
      'an entry without a text',
      { path: 'a', edits: [{ oldText: 'one', newText: '' }, { newText: 'x' }] },
      'PARAM_MISSING',
      'edits[1]: the parameter oldText (also called old_string, old_text, oldString) is missing',
    ],
    ['an empty list', { path: 'a', edits: [] }, 'PARAM_INVALID', 'edit: edits is empty'],
    ['a list of words', { path: 'a', edits: ['one'] }, 'PARAM_INVALID', 'edit: edits[0] must be an object'],
    [
      'a wrong hash',
      { path: 'a', oldText: 'one', newText: 'x', expectHash: 'abc' },
      'PARAM_INVALID',
      'edit: expectHash must be a SHA-256 in hexadecimal',
    ],
    [
      'two different names',
      { path: 'a', oldText: 'one', old_string: 'two', newText: 'x' },
      'PARAM_CONFLICT',
      'edit: oldText and old_string are the same parameter with different values',
    ],
    [
      'an edit beside a list of others',
      { path: 'a', oldText: 'one', newText: 'x', edits: [{ oldText: 'o', newText: 'y' }] },
      'PARAM_CONFLICT',
      'edit: oldText and newText are not one of the edits',
    ],
    [
      'a misspelt parameter',
      { path: 'a', oldText: 'one', newText: 'x', dryrun: true },
      'PARAM_UNKNOWN',
      'edit has no parameter "dryrun"',
    ],
  ])('refuses %s', async (_, input, code, error) => {
    const { edit, text } = workspace({ a: 'one\n' });
    expect(await edit(input)).toMatchObject({ isError: true, error, details: { code } });
    expect(text('a')).toBe('one\n');
  });

  it('refuses edits that are not valid JSON', async () => {
    const { edit } = workspace({ a: 'one\n' });
    expect(await edit({ path: 'a', edits: '[{' })).toMatchObject({ isError: true, details: { code: 'PARAM_INVALID' } });
  });

  it('changes nothing when one of several edits fails', async () => {
    const { edit, text } = workspace({ a: 'one\ntwo\n' });
    const answer = await edit({
      path: 'a',
      edits: [
        { oldText: 'one', newText: '1' },
        { oldText: 'three', newText: '3' },
      ],
    });
    expect(answer).toMatchObject({
      error: 'edits[1].oldText is not in a; nothing was changed',
      details: { code: 'EDIT_NOT_FOUND', edit: 1 },
    });
    expect(text('a')).toBe('one\ntwo\n');
  });

  it('keeps all other bytes: CRLF, byte order mark, invalid UTF-8, no final newline', async () => {
    const before = Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes('a\r\nb\n'), 0xe9, 0xff, ...bytes('\r\n\tx = 1  \r\nlast'));
    const { edit, bytes: bytesOf } = workspace({ a: before });
    expect(await edit({ path: 'a', oldText: 'x = 1\nlast', newText: 'x = 2\nnew\nlast' })).toMatchObject({
      details: { match: 'trailing-blanks', firstChangedLine: 4 },
    });
    expect(bytesOf('a')).toEqual(
      Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes('a\r\nb\n'), 0xe9, 0xff, ...bytes('\r\n\tx = 2\r\nnew\r\nlast')),
    );
  });

  it.each([
    ['little', true],
    ['big', false],
  ])('works on UTF-16 with a byte order mark, %s end first', async (_, little) => {
    const encode = (text: string) => {
      const view = new DataView(new ArrayBuffer(2 * text.length));
      for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), little);
      return new Uint8Array(view.buffer);
    };
    const { edit, bytes: bytesOf } = workspace({ a: encode('\uFEFFgrüße 😀\r\nzwei\r\n') });
    expect(await edit({ path: 'a', oldText: 'grüße 😀\n', newText: 'Grüße 😀\n漢\n' })).toMatchObject({
      details: { encoding: little ? 'utf-16le' : 'utf-16be' },
    });
    expect(bytesOf('a')).toEqual(encode('\uFEFFGrüße 😀\r\n漢\r\nzwei\r\n'));
  });

  it('writes nothing with dryRun', async () => {
    const { edit, text } = workspace({ a: 'one\n' });
    expect(await edit({ path: 'a', oldText: 'one', newText: 'two', dry_run: true })).toEqual({
      content: [{ type: 'text', text: 'Would edit a' }],
      details: {
        path: 'a',
        workspaceOnly: true,
        changed: true,
        edits: 1,
        match: 'exact',
        firstChangedLine: 1,
        dryRun: true,
        diff: '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-one\n+two\n',
        hash: hash('two\n'),
      },
    });
    expect(text('a')).toBe('one\n');
  });

  it.each([{}, { dryRun: true }])(
    'refuses files of git, with a path relative to the workspace, with %j',
    async (more) => {
      const { edit } = workspace({ '.git/config': 'one\n' });
      expect(await edit({ path: '.git/config', oldText: 'one', newText: 'two', ...more })).toMatchObject({
        isError: true,
        details: { code: 'FS_PROTECTED', path: '.git/config' },
      });
    },
  );

  it('recognises an edit that was already applied', async () => {
    const { edit, text } = workspace({ a: 'one\ntwo\n' });
    const input = { path: 'a', oldText: 'one', newText: 'three' };
    await edit(input);
    expect(await edit(input)).toEqual({
      content: [
        {
          type: 'text',
          text: 'Successfully edited a (already applied: the new text is at line 1 and the old text is gone; nothing was changed)',
        },
      ],
      details: {
        path: 'a',
        workspaceOnly: true,
        changed: false,
        edits: 1,
        hash: hash('three\ntwo\n'),
        alreadyApplied: true,
        appliedAt: [1],
      },
    });
    expect(text('a')).toBe('three\ntwo\n');
  });

  it('reports that nothing changes', async () => {
    const { edit } = workspace({ a: 'one\n' });
    expect(await edit({ path: 'a', oldText: 'one', newText: 'one' })).toEqual({
      content: [{ type: 'text', text: 'Successfully edited a (no changes: the new text equals the old text)' }],
      details: { path: 'a', workspaceOnly: true, changed: false, edits: 1, match: 'exact', hash: hash('one\n') },
    });
  });

  it('replaces and counts all occurrences with replaceAll', async () => {
    const { edit, text } = workspace({ a: 'x y x\nx\n' });
    expect(await edit({ path: 'a', oldText: 'x', newText: 'z', replaceAll: true })).toMatchObject({
      details: { replaced: 3 },
    });
    expect(text('a')).toBe('z y z\nz\n');
  });

  it('lists every line of a text that occurs more than once', async () => {
    const { edit } = workspace({ a: 'x\n\nx\nx x\n' });
    expect(await edit({ path: 'a', oldText: 'x', newText: 'z' })).toMatchObject({
      error: 'oldText occurs 4 times in a, in lines 1, 3, 4; nothing was changed',
      details: { code: 'EDIT_AMBIGUOUS', lines: [1, 3, 4], count: 4, match: 'exact' },
    });
  });

  it('points at the first difference of the nearest line', async () => {
    const { edit } = workspace({ a: 'function add(a, b) {\n  return a + b;\n}\n' });
    const answer = await edit({ path: 'a', oldText: '  return a - b;', newText: '' });
    expect(answer.content).toEqual([
      {
        type: 'text',
        text: [
          'oldText is not in a; nothing was changed',
          'the nearest text is at line 2 (| the file, ? oldText):',
          '1 | function add(a, b) {',
          '2 |   return a + b;',
          '  ?   return a - b;',
          '               ^',
          '3 | }',
        ].join('\n'),
      },
    ]);
  });
});

describe('a stale file', () => {
  const memory = (onStale: 'advise' | 'refuse', known: string) => {
    const remembered: string[] = [];
    const reads = {
      onStale,
      recall: () => hash(known),
      remember: (_: string, content: string) => void remembered.push(content),
    };
    return { reads, remembered };
  };

  it('is not changed when the hash differs', async () => {
    const { edit, text } = workspace({ a: 'one\n' });
    expect(await edit({ path: 'a', oldText: 'one', newText: 'two', expectHash: hash('other') })).toMatchObject({
      error: 'the content of a does not match expectHash; nothing was changed',
      details: { code: 'EDIT_STALE', expected: hash('other'), present: hash('one\n') },
    });
    expect(text('a')).toBe('one\n');
  });

  it('is changed when the hash matches', async () => {
    const { edit, text } = workspace({ a: 'one\n' });
    await edit({ path: 'a', oldText: 'one', newText: 'two', expectHash: `sha256:${hash('one\n')}` });
    expect(text('a')).toBe('two\n');
  });

  it('is changed with a note in the mode advise', async () => {
    const { reads, remembered } = memory('advise', 'zero\n');
    const { edit } = workspace({ a: 'one\n' }, { reads });
    expect(await edit({ path: 'a', oldText: 'one', newText: 'two' })).toMatchObject({
      content: [
        { text: 'Successfully edited a' },
        { text: 'Note: a had changed since you last read it; those changes stay.' },
      ],
      details: { stale: true },
    });
    expect(remembered).toEqual([hash('two\n')]);
  });

  it('is refused in the mode refuse', async () => {
    const { reads, remembered } = memory('refuse', 'zero\n');
    const { edit } = workspace({ a: 'one\n' }, { reads });
    expect(await edit({ path: 'a', oldText: 'one', newText: 'two' })).toMatchObject({
      details: { code: 'EDIT_STALE' },
    });
    expect(remembered).toEqual([]);
  });

  it('is not changed after an abort', async () => {
    const { edit, text } = workspace({ a: 'one\n' }, { signal: AbortSignal.abort() });
    expect(await edit({ path: 'a', oldText: 'one', newText: 'two' })).toMatchObject({
      details: { code: 'TOOL_ABORTED' },
    });
    expect(text('a')).toBe('one\n');
  });
});

describe('a file of many megabytes', () => {
  const log = (eol: string) =>
    Array.from({ length: 300_000 }, (_, i) => `entry ${i} of a long log with “words”${eol}`).join('');

  it.each([
    ['one text', '\n', [{ oldText: 'entry 200000 of', newText: 'ENTRY of' }], 'exact', 200_001],
    [
      'a new line where lines end in CRLF',
      '\r\n',
      [{ oldText: 'entry 7 of', newText: 'first\nentry 7 of' }],
      'exact',
      8,
    ],
    [
      'lines of other endings',
      '\r\n',
      [{ oldText: 'entry 9 of a long log with “words”\nentry 10 ', newText: 'nine\nten ' }],
      'line-endings',
      10,
    ],
    [
      'two places',
      '\n',
      [
        { oldText: 'entry 299999 ', newText: 'last ' },
        { oldText: 'entry 0 ', newText: 'first ' },
      ],
      ['exact', 'exact'],
      1,
    ],
    [
      'a text that is only like it',
      '\n',
      [{ oldText: 'entry 5 of a long log with "words"', newText: 'entry five' }],
      'punctuation',
      6,
    ],
  ])('is changed in %s', async (_, eol, edits, match, firstChangedLine) => {
    const before = log(eol);
    expect(before.length).toBeGreaterThan(8 << 20);
    const { edit, text } = workspace({ a: before });
    expect(await edit({ path: 'a', edits })).toMatchObject({ details: { match, firstChangedLine, changed: true } });
    const after = edits.reduce((so, { oldText, newText }) => {
      const asWritten = oldText.replaceAll('\n', eol).replaceAll(/"(\w+)"/gu, '“$1”');
      return so.replace(asWritten, () => newText.replaceAll('\n', eol));
    }, before);
    expect(text('a') === after).toBe(true);
  });

  it('is unchanged when the text occurs more than once', async () => {
    const { edit } = workspace({ a: log('\n') });
    expect(await edit({ path: 'a', oldText: 'entry 29999', newText: '' })).toMatchObject({
      error:
        'oldText occurs 11 times in a, in lines 30000, 299991, 299992, 299993, 299994, 299995, 299996, 299997, 299998, 299999, 300000; nothing was changed',
    });
  });

  it('shows the nearest text too', async () => {
    const { edit } = workspace({ a: log('\n') });
    expect(await edit({ path: 'a', oldText: 'entry 200000 off', newText: '' })).toMatchObject({
      details: { code: 'EDIT_NOT_FOUND' },
    });
  });
});

describe('many simultaneous edits of one file', () => {
  it('are all applied', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `line${String(i).padStart(2, '0')}`);
    const { edit, text } = workspace({ a: `${names.join('\n')}\n` });
    await Promise.all(names.map((name) => edit({ path: 'a', oldText: name, newText: `${name} done` })));
    expect(text('a')).toBe(names.map((name) => `${name} done\n`).join(''));
  });
});

describe('a write that fails because of a concurrent write', () => {
  it.each([
    {
      meanwhile: 'two\nand something else\n',
      answered: 'a failure when the file has other bytes than were meant, though they hold the new text',
      answer: { isError: true, details: { code: 'FS_CHANGED' } },
    },
    {
      meanwhile: 'two\n',
      answered: 'a success that says so when the file has exactly the bytes that were meant',
      answer: { isError: undefined, details: { changed: true, recovered: { code: 'FS_CHANGED' } } },
    },
  ])('is $answered', async ({ meanwhile, answer }) => {
    const folder = makeFolder({ a: 'one\n' });
    const files = localFiles({ cwd: folder, stateDir: makeFolder() });
    const meddling = {
      ...files,
      workspace: files.workspace,
      writer: async () => {
        const writer = await files.writer('edit');
        const replace: typeof writer.replace = (file, splices) => {
          writeFileSync(join(folder, 'a'), meanwhile);
          return writer.replace(file, splices);
        };
        return { ...writer, replace };
      },
    };
    const input = { path: 'a', oldText: 'one', newText: 'two' };
    const { isError, details } = await callTool([editTool], 'edit', input, { files: meddling });
    expect({ isError, details }).toMatchObject(answer);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe(meanwhile);
  });
});
