import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { append } from '../../../src/hosts/files/write/append.ts';
import { locate } from '../../support/locate.ts';
import { withFailure } from '../../support/failing-fs.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';

const line = new TextEncoder().encode('{"n":2}');
const isRoot = process.getuid?.() === 0;

describe('append', () => {
  it.each([
    ['an empty file', '', '\n', '{"n":2}\n'],
    ['a file that ends with a newline', '{"n":1}\n', '\n', '{"n":1}\n{"n":2}\n'],
    ['a file without a final newline', '{"n":1}', '\n', '{"n":1}\n{"n":2}'],
    ['a file with CRLF', '{"n":1}\r\n', '\r\n', '{"n":1}\r\n{"n":2}\r\n'],
    ['a file with CRLF but without a final one', '{"n":1}', '\r\n', '{"n":1}\r\n{"n":2}'],
    ['a file that is a byte order mark alone', '\uFEFF', '\n', '\uFEFF{"n":2}\n'],
    ['a file that ends with that mark', '1\uFEFF', '\n', '1\uFEFF\n{"n":2}'],
  ] as const)('adds a line to %s', (_what, old, eol, wanted) => {
    const ws = makeFolder({ 'a.jsonl': old });
    const path = join(ws, 'a.jsonl');
    const written = append(locate(ws, 'a.jsonl'), { line, eol }, { stateDir: join(ws, 'state') });
    expect(readFileSync(path, 'utf8')).toBe(wanted);
    expect(written).toEqual({ path, size: Buffer.byteLength(wanted), changed: true });
  });

  it('keeps the inode and the other hard links', () => {
    const ws = makeFolder({ 'a.jsonl': '1\n' });
    linkSync(join(ws, 'a.jsonl'), join(ws, 'b.jsonl'));
    const before = statSync(join(ws, 'a.jsonl')).ino;
    append(locate(ws, 'a.jsonl'), { line, eol: '\n' }, { stateDir: join(ws, 'state'), hardLinks: 'in-place' });
    expect(statSync(join(ws, 'a.jsonl')).ino).toBe(before);
    expect(readFileSync(join(ws, 'b.jsonl'), 'utf8')).toBe('1\n{"n":2}\n');
  });

  it.each([undefined, 'refuse', 'refuse-writes'] as const)('refuses a file with hard links under %s', (hardLinks) => {
    const ws = makeFolder({ 'a.jsonl': '1\n' });
    linkSync(join(ws, 'a.jsonl'), join(ws, 'b.jsonl'));
    const options = { stateDir: join(ws, 'state'), ...(hardLinks && { hardLinks }) };
    const fault = faultOf(() => append(locate(ws, 'a.jsonl'), { line, eol: '\n' }, options));
    expect([fault.code, readFileSync(join(ws, 'b.jsonl'), 'utf8')]).toEqual(['FS_HARD_LINKED', '1\n']);
  });

  it('does not read or copy a large file', () => {
    const ws = makeFolder({ 'a.jsonl': '' });
    const huge = 64 * 2 ** 30; // sparse: larger than memory, and than any time limit would let be copied
    truncateSync(join(ws, 'a.jsonl'), huge);
    append(locate(ws, 'a.jsonl'), { line, eol: '\n' }, { stateDir: join(ws, 'state') });
    expect(statSync(join(ws, 'a.jsonl')).size).toBe(huge + 8);
  });

  it.each(['ENOSPC', 'EIO'])('leaves the file complete when any call fails with %s', (code) => {
    for (let n = 1; ; n++) {
      const ws = makeFolder({ 'a.jsonl': '1\n' });
      const file = locate(ws, 'a.jsonl');
      const { fired, error } = withFailure(
        n,
        code,
        () => append(file, { line, eol: '\n' }, { stateDir: join(ws, 'state'), protect: 'none' }), // settings of git are only looked at
      );
      const added = error === undefined || (error instanceof Fault && error.code === 'FS_NOT_DURABLE');
      expect([n, readFileSync(join(ws, 'a.jsonl'), 'utf8')]).toEqual([n, added ? '1\n{"n":2}\n' : '1\n']);
      if (!fired) break;
      if (error !== undefined) expect(error).toBeInstanceOf(Fault);
      expect(n).toBeLessThan(40);
    }
  });

  it('reports a missing file', () => {
    const ws = makeFolder({ 'a.jsonl': '1\n' });
    const file = locate(ws, 'a.jsonl');
    rmSync(join(ws, 'a.jsonl'));
    expect(faultOf(() => append(file, { line, eol: '\n' }, { stateDir: join(ws, 'state') })).code).toBe('FS_NOT_FOUND');
  });

  it.skipIf(!isRoot)('removes a partial line when the disk is full (only root can mount one)', () => {
    const top = makeFolder();
    const disk = join(top, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'tmpfs', disk]);
    try {
      const old = `${'k'.repeat(50_000)}\n`;
      writeFileSync(join(disk, 'a.jsonl'), old);
      const long = new Uint8Array(30_000).fill(110);
      const fault = faultOf(() =>
        append(locate(disk, 'a.jsonl'), { line: long, eol: '\n' }, { stateDir: join(top, 'state') }),
      );
      expect(fault.code).toBe('FS_WRITE_FAILED');
      expect(readFileSync(join(disk, 'a.jsonl'), 'utf8')).toBe(old);
    } finally {
      execFileSync('umount', ['-l', disk]); // the workspace may still be pinned
    }
  });
});
