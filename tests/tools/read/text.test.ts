import { createHash } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeAs } from '../../text/encoding/legacy-bytes.ts';
import { reading, textIn } from './reading.ts';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

describe('read on text', () => {
  it('returns the text unchanged with all details', async () => {
    const content = 'function main() {\n  console.log("Main");\n}\n';
    const { read } = reading({ 'src/main.js': content });
    expect(await read({ path: 'src/main.js' })).toEqual({
      content: [{ type: 'text', text: content }],
      details: {
        path: 'src/main.js',
        workspaceOnly: true,
        kind: 'text',
        totalLines: 3,
        lines: { from: 1, to: 3 },
        eol: 'lf',
        encoding: 'utf-8',
        bom: false,
        bytes: content.length,
        hash: sha256(content),
      },
    });
  });

  it.each(['path', 'file_path', 'filePath', 'file'])('accepts the parameter as %s', async (name) => {
    const { read } = reading({ a: 'x' });
    expect(textIn(await read({ [name]: 'a' }))).toBe('x');
  });

  it.each([
    ['CRLF as LF', 'a\r\nb\r\n', 'a\nb\n', { eol: 'crlf', bom: false, totalLines: 2 }],
    ['a byte order mark not at all', '\ufeffa\n', 'a\n', { eol: 'lf', bom: true, totalLines: 1 }],
    ['mixed endings as LF', 'a\r\nb\nc', 'a\nb\nc', { eol: 'mixed', bom: false, totalLines: 3 }],
    ['old Macintosh endings as LF', 'a\rb\r', 'a\nb\n', { eol: 'cr', bom: false, totalLines: 2 }],
    ['one line without an ending', 'a', 'a', { eol: 'none', bom: false, totalLines: 1 }],
    [
      'carriage returns inside of lines as they are',
      '10%\r20%\n',
      '10%\r20%\n',
      { eol: 'lf', bom: false, totalLines: 1 },
    ],
    [
      'terminal escapes as they are',
      '\u001b[31mred\u001b[0m\n',
      '\u001b[31mred\u001b[0m\n',
      { eol: 'lf', bom: false, totalLines: 1 },
    ],
    ['an empty file', '', '[File is empty (0 bytes).]', { eol: 'none', bom: false, totalLines: 0 }],
    ['a file of a mark only', '\ufeff', '[File is empty (3 bytes).]', { eol: 'none', bom: true, totalLines: 0 }],
    ['blank lines in words', '\n\n', '[File contains 2 blank lines.]', { eol: 'lf', bom: false, totalLines: 2 }],
  ])('shows %s', async (_, content, shown, details) => {
    const { read } = reading({ f: content });
    const result = await read({ path: 'f' });
    expect(textIn(result)).toBe(shown);
    expect(result.details).toMatchObject(details);
  });

  it.each([
    [{}, 'line 1\n', 2000, '[Showing lines 1-2000 of 9000. Use offset=2001 to continue.]'],
    [{ offset: 8001 }, 'line 8001\n', 1000, undefined],
    [{ offset: 11, limit: 2 }, 'line 11\n', 2, '[8988 more lines in file. Use offset=13 to continue.]'],
    [{ offset: -2 }, 'line 8999\n', 2, undefined],
    [{ offset: -9999, limit: 1 }, 'line 1\n', 1, '[8999 more lines in file. Use offset=2 to continue.]'],
    [{ offset: 8999, limit: 1 }, 'line 8999\n', 1, '[1 more line in file. Use offset=9000 to continue.]'],
  ])('pages for %j', async (asked, first, lines, notice) => {
    const { read } = reading({ f: numbered(9000) });
    const text = textIn(await read({ path: 'f', ...asked }));
    expect(text.startsWith(first)).toBe(true);
    expect(text.match(/^line /gmu)?.length).toBe(lines);
    expect(text.endsWith(notice === undefined ? 'line 9000\n' : `\n\n${notice}`)).toBe(true);
  });

  it('distinguishes truncation from a requested limit', async () => {
    const { read } = reading({ f: numbered(9000) });
    expect((await read({ path: 'f' })).details).toMatchObject({
      truncated: true,
      continuation: { kind: 'line', offset: 2001 },
      totalLines: 9000,
    });
    const asked = (await read({ path: 'f', limit: 3 })).details;
    expect(asked).toMatchObject({ continuation: { kind: 'line', offset: 4 }, lines: { from: 1, to: 3 } });
    expect(asked).not.toHaveProperty('truncated');
    expect(asked).not.toHaveProperty('hash');
  });

  it('ends a page before the line that passes 50 KB', async () => {
    const { read } = reading({ f: `${'x'.repeat(99)}\n`.repeat(1000) });
    const result = await read({ path: 'f' });
    expect(result.details['lines']).toEqual({ from: 1, to: 512 });
    expect(textIn(result)).toMatch(
      /\n\n\[Showing lines 1-512 of 1000 \(50\.0KB limit\)\. Use offset=513 to continue\.\]$/u,
    );
  });

  it.each([
    [8_000, 96, 9_600],
    [32_000, 160, 16_000],
    [128_000, 320, 32_000],
    [200_000, 640, 64_000],
    [1_000_000, 640, 64_000],
  ])('returns to a model with %i tokens %i lines of 100', async (modelContextWindowTokens, lines, _characters) => {
    const { read } = reading({ f: `${'x'.repeat(99)}\n`.repeat(5000) }, { modelContextWindowTokens });
    expect((await read({ path: 'f' })).details['lines']).toEqual({ from: 1, to: lines });
  });

  it('returns fewer characters where each costs a token', async () => {
    const { read } = reading({ f: `${'中'.repeat(99)}\n`.repeat(5000) }, { modelContextWindowTokens: 100_000 });
    expect((await read({ path: 'f' })).details['lines']).toEqual({ from: 1, to: 80 });
  });

  it('reports an offset after the end', async () => {
    const { read } = reading({ f: 'a\nb\n' });
    const result = await read({ path: 'f', offset: 50 });
    expect(textIn(result)).toBe('[Offset 50 is beyond end of file (2 lines total). Retry with offset <= 2.]');
    expect(result.isError).toBeUndefined();
  });

  it('numbers lines with lineNumbers', async () => {
    const { read } = reading({ f: 'a\nb\nc' });
    expect(textIn(await read({ path: 'f', offset: 2, lineNumbers: true }))).toBe('     2\tb\n     3\tc');
  });

  it('continues inside of a long line with a cursor', async () => {
    const { read } = reading({ f: `short\n${'é'.repeat(40_000)}\nlast\n` });
    const first = await read({ path: 'f' });
    expect(first.details).toMatchObject({ lines: { from: 1, to: 1 }, continuation: { kind: 'line', offset: 2 } });
    const second = await read({ path: 'f', offset: 2 });
    const { cursor } = second.details['continuation'] as { cursor: string };
    expect(textIn(second)).toBe(
      `${'é'.repeat(25_600)}\n[Showing a part of line 2 of 3 (50.0KB limit). Use cursor="${cursor}" to continue.]`,
    );
    const third = await read({ path: 'f', cursor });
    expect(textIn(third)).toBe(`${'é'.repeat(14_400)}\nlast\n`);
    expect(third.details).toMatchObject({ lines: { from: 2, to: 3 }, totalLines: 3 });
  });

  it.each([
    ['made up', 'nonsense', 'READ_CURSOR_INVALID'],
    ['of a line that is gone', 'c2-3-1', 'READ_CURSOR_STALE'],
    ['beyond the end', 'c1-0-zzz', 'READ_CURSOR_STALE'],
  ])('refuses a cursor that is %s', async (_, cursor, code) => {
    const { read } = reading({ f: 'abcdef\n' });
    expect((await read({ path: 'f', cursor })).details['code']).toBe(code);
  });

  it.each(['gb18030', 'shift_jis', 'utf-16le', 'utf-16be'])('reads %s and reports it', async (name) => {
    const content =
      name === 'shift_jis' ? 'これは日本語の文章です。\n二行目の文章です。\n' : '这是中文的文章。\n这是第二行文章。\n';
    const { read } = reading({ f: encodeAs(name, content) });
    const result = await read({ path: 'f' });
    expect([textIn(result), result.details['encoding'], result.details['totalLines']]).toEqual([content, name, 2]);
  });

  it('takes the byte order of utf-16 from the mark', async () => {
    const { read } = reading({ f: encodeAs('utf-16be', '\ufeffabc\n') });
    const result = await read({ path: 'f', encoding: 'utf-16' });
    expect([textIn(result), result.details['encoding'], result.details['bom']]).toEqual(['abc\n', 'utf-16be', true]);
  });

  it('reports that pages are for PDFs', async () => {
    const { read } = reading({ f: 'a\n' });
    expect(textIn(await read({ path: 'f', pages: '1-2' }))).toBe('a\n\n[pages is for PDFs and was ignored.]');
  });

  it('uses the requested encoding', async () => {
    const { read } = reading({ f: Uint8Array.from([0xe9, 0x0a]) });
    expect(textIn(await read({ path: 'f', encoding: 'latin1' }))).toBe('é\n');
    expect(textIn(await read({ path: 'f', encoding: 'koi8-r' }))).toBe('И\n');
    expect((await read({ path: 'f', encoding: 'klingon' })).details['code']).toBe('READ_UNKNOWN_ENCODING');
  });

  it('accepts a replacement character in the file, also in a long line', async () => {
    const { read } = reading({ long: `\ufffd${'y'.repeat(70_000)}\n`, short: 'a\ufffd\n' });
    for (const path of ['long', 'short']) expect((await read({ path })).details).not.toHaveProperty('invalidBytes');
  });

  it('reports a guessed encoding, but not a certain or requested one', async () => {
    const { read } = reading({
      guess: encodeAs('windows-1254', 'şifre yanlış'),
      sure: encodeAs('koi8-r', 'Привет мир'),
    });
    const guessed = await read({ path: 'guess' });
    expect([textIn(guessed), guessed.details['encoding'], guessed.details['encodingConfidence']]).toEqual([
      'şifre yanlış\n[Encoding guessed as windows-1254. If letters look wrong, read again with encoding.]',
      'windows-1254',
      'low',
    ]);
    for (const input of [{ path: 'guess', encoding: 'windows-1254' }, { path: 'sure' }])
      expect((await read(input)).details).not.toHaveProperty('encodingConfidence');
  });

  it('recognises an old encoding on a late page of a file that begins with ASCII', async () => {
    const late = '这是中文的文章,在文件的很后面。\n'.repeat(20);
    const content = new Uint8Array([...encodeAs('utf-8', numbered(20_000)), ...encodeAs('gb18030', late)]);
    const { read } = reading({ f: content });
    const result = await read({ path: 'f', offset: 20_001 });
    expect([textIn(result), result.details['encoding']]).toEqual([late, 'gb18030']);
  });

  it('shows damaged UTF-8 and reports it', async () => {
    const { read } = reading({ f: new Uint8Array([...encodeAs('utf-8', 'é中文字é中文字é中文字\n'), 0xff, 0x0a]) });
    const result = await read({ path: 'f' });
    expect(textIn(result)).toBe(
      'é中文字é中文字é中文字\n\ufffd\n\n[Bytes that are not valid utf-8 are shown as U+FFFD.]',
    );
    expect(result.details).toMatchObject({ encoding: 'utf-8', invalidBytes: true });
  });

  it('pages through a sparse file of gigabytes without loading it', async () => {
    const { read, workspace } = reading({});
    const file = join(workspace, 'huge.log');
    writeFileSync(file, numbered(20_000));
    truncateSync(file, 3 * 2 ** 30);
    const before = process.memoryUsage().rss;
    const result = await read({ path: 'huge.log', offset: 10_000, limit: 2 });
    expect(textIn(result)).toBe(
      'line 10000\nline 10001\n\n[Showing lines 10000-10001 of a file of 3.0GB. Use offset=10002 to continue.]',
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
  });

  it('remembers files that this agent has read completely', async () => {
    const seen: unknown[] = [];
    const reads = {
      onStale: 'advise' as const,
      mostContent: 4,
      remember: (...entry: unknown[]) => void seen.push(entry),
      recall: () => undefined,
    };
    const { read, workspace } = reading({ f: 'a\nb\n' }, { reads });
    await read({ path: 'f', limit: 1 });
    await read({ path: 'f' });
    expect(seen).toEqual([[join(workspace, 'f'), sha256('a\nb\n'), new TextEncoder().encode('a\nb\n')]]);
  });

  it('does nothing after an abort', async () => {
    const { read } = reading({ f: 'a' }, { signal: AbortSignal.abort() });
    expect(await read({ path: 'f' })).toMatchObject({
      isError: true,
      error: 'Aborted',
      details: { code: 'TOOL_ABORTED', name: 'AbortError' },
    });
  });
});
