import { symlinkSync } from 'node:fs';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { reading, textIn } from './reading.ts';

describe('read on files that are not text', () => {
  it('names the first entries of a folder', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `src/f${String(i).padStart(2, '0')}`);
    const { read, workspace } = reading(Object.fromEntries(names.map((name) => [name, ''])));
    mkdirSync(join(workspace, 'src/deep'));
    const result = await read({ path: 'src' });
    expect(result).toMatchObject({
      isError: true,
      error: 'src is a folder, not a file',
      details: { code: 'READ_IS_FOLDER', totalEntries: 26 },
    });
    expect(textIn(result)).toMatch(/^src is a folder, not a file\nit contains deep\/, f00, .* and 6 more$/u);
    expect((await read({ path: '.' })).details).toMatchObject({ code: 'READ_IS_FOLDER', entries: ['src/'] });
    expect((await read({ path: 'src', offset: 2, limit: 2 })).details['entries']).toEqual(['f00', 'f01']);
    expect((await read({ path: 'src', offset: -1 })).details['entries']).toEqual(['f24']);
    expect((await read({ path: 'src', limit: 30 })).details['entries']).toHaveLength(26);
  });

  it('suggests similar names for a missing file', async () => {
    const { read } = reading({ 'src/config.json': '{}', 'src/other.txt': '' });
    const result = await read({ path: 'src/confg.json' });
    expect(result).toEqual({
      content: [{ type: 'text', text: 'file not found: src/confg.json\nDid you mean: src/config.json?' }],
      details: {
        code: 'FS_NOT_FOUND',
        path: 'src/confg.json',
        near: ['config.json'],
        hint: 'Did you mean: src/config.json?',
      },
      isError: true,
      error: 'file not found: src/confg.json',
    });
    expect((await read({ path: 'nowhere/at/all' })).details).toMatchObject({ code: 'FS_NOT_FOUND', near: [] });
  });

  it('quotes names that would look like further lines of the answer', async () => {
    const { read } = reading({ 'src/notes\n[obey].txt': '' });
    expect([textIn(await read({ path: 'src/notes' })), textIn(await read({ path: 'src' }))]).toEqual([
      'file not found: src/notes\nDid you mean: "src/notes\\n[obey].txt"?',
      'src is a folder, not a file\nit contains "notes\\n[obey].txt"',
    ]);
  });

  it('returns a result for a missing optional file', async () => {
    const { read } = reading({});
    expect(await read({ path: 'no.md', optional: true })).toEqual({
      content: [{ type: 'text', text: '[File not found: no.md]' }],
      details: { path: 'no.md', workspaceOnly: true, kind: 'not_found' },
    });
  });

  it.each([
    ['decomposed letters', 'cafe\u0301.txt', 'caf\u00e9.txt'],
    ['composed letters', 'caf\u00e9.txt', 'cafe\u0301.txt'],
    ['a narrow space', 'Shot 9.41\u202fAM.txt', 'Shot 9.41 AM.txt'],
    ['a curly apostrophe', 'it\u2019s.txt', "it's.txt"],
  ])('opens the only name with %s and reports it', async (_, stands, asked) => {
    const { read } = reading({ [`d/${stands}`]: 'found\n' });
    const result = await read({ path: `d/${asked}` });
    expect(textIn(result)).toMatch(/^found\n\n\[Opened .*\]$/u);
    expect(result.details['path']).toBe(`d/${stands}`);
  });

  it('does not choose between two names that look alike', async () => {
    const { read } = reading({ 'it\u2019s': '1', 'it\u2018s': '2' });
    expect((await read({ path: "it's" })).details['code']).toBe('READ_AMBIGUOUS_NAME');
  });

  it.each(['../outside.txt', '/etc/passwd', 'link', 'dangling'])('does not read %s', async (path) => {
    const { read, workspace } = reading({});
    symlinkSync('/etc/passwd', join(workspace, 'link'));
    symlinkSync('/nowhere', join(workspace, 'dangling'));
    const result = await read({ path, optional: true });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain('root:');
  });

  it.each([
    ['an archive', gzipSync('x'.repeat(50)), 'application/gzip', /unpack/u],
    [
      'a program',
      Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, ...new Uint8Array(60)]),
      'application/x-elf',
      /encoding/u,
    ],
    ['unknown bytes', Uint8Array.from({ length: 256 }, (_, i) => i), 'application/octet-stream', /encoding/u],
    [
      'a database',
      new Uint8Array([...Buffer.from('SQLite format 3\0'), ...new Uint8Array(84)]),
      'application/x-sqlite3',
      /sqlite3/u,
    ],
  ])('refuses %s and reports its type', async (_, bytes, mimeType, hint) => {
    const { read } = reading({ 'notes.txt': bytes });
    const { details, isError } = await read({ path: 'notes.txt' });
    expect({ ...details, isError }).toMatchObject({
      code: 'READ_BINARY',
      mimeType,
      bytes: bytes.length,
      isError: true,
    });
    expect(details['hint']).toMatch(hint);
  });

  it('refuses a sparse file of NUL bytes without reading it', async () => {
    const { read, workspace } = reading({ sparse: '' });
    truncateSync(join(workspace, 'sparse'), 5 * 2 ** 30);
    expect((await read({ path: 'sparse' })).error).toBe('sparse is not text but NUL bytes, 5.0GB');
  });

  it('refuses the hole in a file that begins as text', async () => {
    const { read, workspace } = reading({ log: 'a\n'.repeat(50_000) });
    truncateSync(join(workspace, 'log'), 200_000);
    expect((await read({ path: 'log', offset: 49_999, limit: 2 })).details['kind']).toBe('text');
    expect((await read({ path: 'log', offset: 50_001 })).error).toBe('log has NUL bytes instead of text at line 50001');
  });

  it('shows bytes as text with an encoding', async () => {
    const { read } = reading({ f: 'a\0b' });
    expect((await read({ path: 'f' })).details['code']).toBe('READ_BINARY');
    expect(textIn(await read({ path: 'f', encoding: 'utf-8' }))).toBe('a\0b');
  });

  it('reads text that begins like an image', async () => {
    const { read, workspace } = reading({
      bm: 'BMW builds cars, and motorcycles too.\n',
      svg: '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
    });
    writeFileSync(join(workspace, 'about'), 'A PDF begins with %PDF-1.7 and a newline.\n');
    for (const path of ['bm', 'svg', 'about']) expect((await read({ path })).details['kind']).toBe('text');
  });
});
