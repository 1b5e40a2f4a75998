import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../src/hosts/files/files.ts';
import { hashOf } from '../../src/hosts/files/content-hash.ts';
import { callTool } from '../../src/tools/call.ts';
import { writeTool } from '../../src/tools/write.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { makeFolder } from '../support/folder.ts';

const hash = (text: string) => hashOf(new TextEncoder().encode(text));

function workspace(files: Readonly<Record<string, string | Uint8Array>>, more: Partial<ToolContext> = {}) {
  const folder = makeFolder(files);
  const context = { files: localFiles({ cwd: folder, stateDir: makeFolder(), durable: false }), ...more };
  return {
    folder,
    write: (input: unknown, name = 'write') => callTool([writeTool], name, input, context),
    text: (name: string) => readFileSync(join(folder, name), 'utf8'),
  };
}

describe('write', () => {
  it('creates a file with its folders and answers as the seed requires', async () => {
    const { write, text } = workspace({});
    expect(await write({ path: 'src/main.js', content: 'console.log("Hello");' }, 'host_workspace_write')).toEqual({
      content: [{ type: 'text', text: 'Successfully wrote 21 bytes to src/main.js' }],
      details: {
        path: 'src/main.js',
        bytesWritten: 21,
        workspaceOnly: true,
        created: true,
        changed: true,
        hash: hash('console.log("Hello");'),
        diff: '--- /dev/null\n+++ src/main.js\n@@ -0,0 +1,1 @@\n+console.log("Hello");\n\\ No newline at end of file\n',
      },
    });
    expect(text('src/main.js')).toBe('console.log("Hello");');
  });

  it('replaces the content and shows the changed lines', async () => {
    const { write, text } = workspace({ a: 'one\ntwo\nthree\n' });
    expect(await write({ file_path: './a', content: 'one\n2\nthree\n' })).toEqual({
      content: [{ type: 'text', text: 'Successfully wrote 12 bytes to a' }],
      details: {
        path: 'a',
        bytesWritten: 12,
        workspaceOnly: true,
        created: false,
        changed: true,
        hash: hash('one\n2\nthree\n'),
        diff: '--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
      },
    });
    expect(text('a')).toBe('one\n2\nthree\n');
  });

  it.each([
    ['characters of several bytes', 'grüße 😀 漢\n', 17],
    ['nothing at all', '', 0],
    ['dollar signs, NUL and control characters', '$& \u0000\u001b[0m', 8],
  ])('counts the bytes of %s', async (_, content, bytesWritten) => {
    const { write, text } = workspace({});
    expect(await write({ path: 'a', content })).toMatchObject({ details: { bytesWritten, created: true } });
    expect(text('a')).toBe(content);
  });

  it('names the file that is in the way of a folder', async () => {
    const { write } = workspace({ 'sub/a': 'x' });
    for (const path of ['sub/a/b', 'sub/a/b/c'])
      expect(await write({ path, content: '' })).toMatchObject({
        error: `sub/a is not a folder, so it cannot contain ${path}`,
        details: { code: 'FS_NOT_FOLDER', path: 'sub/a' },
      });
  });

  it('accepts base64 with blanks, and refuses truncated base64', async () => {
    const { write, text } = workspace({});
    expect(await write({ path: 'a', content: 'YWJj\nZA==\n', encoding: 'base64' })).toMatchObject({
      details: { bytesWritten: 4 },
    });
    expect(text('a')).toBe('abcd');
    expect(await write({ path: 'b', content: 'abc', encoding: 'base64' })).toMatchObject({
      error: 'write: content is not valid base64',
      details: { code: 'PARAM_INVALID' },
    });
  });

  it('refuses a lone surrogate', async () => {
    const { write, folder } = workspace({});
    expect(await write({ path: 'a', content: 'x\uD83D' })).toMatchObject({
      error: 'write: content contains a lone surrogate',
      details: { code: 'PARAM_INVALID', parameter: 'content' },
    });
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });

  it('accepts bytes as base64', async () => {
    const { write, folder } = workspace({});
    expect(await write({ path: 'a.bin', content: 'AP+A', encoding: 'base64' })).toMatchObject({
      details: { bytesWritten: 3 },
    });
    expect(new Uint8Array(readFileSync(join(folder, 'a.bin')))).toEqual(Uint8Array.of(0, 255, 128));
    expect(await write({ path: 'b.bin', content: '***', encoding: 'base64' })).toMatchObject({
      isError: true,
      details: { code: 'PARAM_INVALID' },
    });
    expect(existsSync(join(folder, 'b.bin'))).toBe(false);
  });

  it('reports unchanged content, and does not write', async () => {
    const { write, folder } = workspace({ a: 'same\n' });
    const before = statSync(join(folder, 'a'), { bigint: true });
    expect(await write({ path: 'a', content: 'same\n' })).toEqual({
      content: [
        { type: 'text', text: 'Successfully wrote 5 bytes to a (no changes: the file already has this content)' },
      ],
      details: {
        path: 'a',
        bytesWritten: 5,
        workspaceOnly: true,
        created: false,
        changed: false,
        hash: hash('same\n'),
      },
    });
    const after = statSync(join(folder, 'a'), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  it.each([
    ['a new file', 'new/deep', true],
    ['a file that is there', 'a', false],
  ])('writes nothing with dryRun to %s', async (_, path, created) => {
    const { write, folder, text } = workspace({ a: 'one\n' });
    const answer = await write({ path, content: 'two\n', dryRun: true });
    expect(answer).toMatchObject({
      content: [{ text: `Would write 4 bytes to ${path}` }],
      details: { dryRun: true, created, changed: true },
    });
    expect([text('a'), existsSync(join(folder, 'new'))]).toEqual(['one\n', false]);
  });

  it.each([{}, { dryRun: true }])(
    'refuses files of git, with a path relative to the workspace, with %j',
    async (more) => {
      const { write } = workspace({ '.git/config': 'one\n' });
      for (const path of ['.git/config', '.git/hooks/new'])
        expect(await write({ path, content: 'two\n', ...more })).toMatchObject({
          isError: true,
          details: { code: 'FS_PROTECTED', path },
        });
    },
  );

  it('writes through a symlink inside the workspace and keeps it', async () => {
    const { write, folder, text } = workspace({ 'real/a': 'one\n' });
    symlinkSync('real/a', join(folder, 'link'));
    expect(await write({ path: 'link', content: 'two\n' })).toMatchObject({
      details: { changed: true, created: false },
    });
    expect(text('real/a')).toBe('two\n');
  });

  it('refuses a folder, and a path outside', async () => {
    const { write, folder } = workspace({});
    mkdirSync(join(folder, 'd'));
    expect(await write({ path: 'd', content: 'x' })).toMatchObject({ isError: true });
    expect(await write({ path: '../x', content: 'x' })).toMatchObject({
      isError: true,
      details: { code: 'FS_OUTSIDE_WORKSPACE' },
    });
    expect(existsSync(join(folder, '..', 'x'))).toBe(false);
  });

  it.each([
    ['no path', { content: 'x' }, 'write: the parameter path (also called file_path, filePath, file) is missing'],
    ['no content', { path: 'a' }, 'write: the parameter content is missing'],
    ['content that is no text', { path: 'a', content: { a: 1 } }, 'write: content must be a string, not an object'],
    [
      'an unknown encoding',
      { path: 'a', content: '', encoding: 'latin1' },
      'write: encoding must be one of utf8, base64, not "latin1"',
    ],
  ])('refuses %s', async (_, input, error) => {
    const { write } = workspace({});
    expect(await write(input)).toMatchObject({ isError: true, error });
  });

  it('writes only over the expected content', async () => {
    const { write, text } = workspace({ a: 'one\n' });
    expect(await write({ path: 'a', content: 'x', expectHash: hash('other') })).toMatchObject({
      details: { code: 'EDIT_STALE' },
    });
    expect(await write({ path: 'gone', content: 'x', expectHash: hash('other') })).toMatchObject({
      details: { code: 'EDIT_STALE' },
    });
    expect(text('a')).toBe('one\n');
    expect(await write({ path: 'a', content: 'x', expectHash: hash('one\n') })).toMatchObject({
      details: { changed: true },
    });
  });

  it.each([
    ['refuses', 'refuse', { isError: true, details: { code: 'EDIT_STALE' } }, 'one\n'],
    ['says so', 'advise', { details: { stale: true, changed: true } }, 'two\n'],
  ] as const)('%s when the file is not as this agent last read it', async (_, onStale, expected, left) => {
    const reads = { onStale, recall: () => hash('zero\n'), remember: () => undefined };
    const { write, text } = workspace({ a: 'one\n' }, { reads });
    expect(await write({ path: 'a', content: 'two\n' })).toMatchObject(expected);
    expect(text('a')).toBe(left);
  });

  it('leaves one complete content after simultaneous writes', async () => {
    const { write, text } = workspace({});
    const contents = Array.from({ length: 20 }, (_, i) => `${i}\n`.repeat(2000));
    const answers = await Promise.all(contents.map((content) => write({ path: 'd/a', content })));
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    expect(contents).toContain(text('d/a'));
  });
});
