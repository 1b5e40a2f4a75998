import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import type { ByteSplice, Stamp, Written } from '../../../src/hosts/files/shape.ts';
import { locate } from '../../support/locate.ts';
import { openFile } from '../../../src/hosts/files/gate/open.ts';
import { replace } from '../../../src/hosts/files/write/replace.ts';
import { watchingCalls, withFailure } from '../../support/failing-fs.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';
import { withoutPrivilege } from '../../support/privilege.ts';
import { fc, runs } from '../../support/property.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

function splice(folder: string, name: string, splices: readonly ByteSplice[], expected?: Stamp): Written {
  const file = openFile(locate(folder, name));
  try {
    return replace(file, splices, { stateDir: join(folder, '.state') }, expected);
  } finally {
    file.close();
  }
}

/** What stands in the folder beside the state folder. */
const listing = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name !== '.state')
    .sort();

describe('replace', () => {
  it('applies splices and returns the new size', () => {
    const ws = makeFolder({ 'a.txt': 'one two three' });
    const written = splice(ws, 'a.txt', [
      { start: 8, end: 13, bytes: bytesOf('3') },
      { start: 0, end: 3, bytes: bytesOf('eins') },
      { start: 4, end: 4, bytes: bytesOf('und ') },
    ]);
    expect(written).toEqual({ path: join(ws, 'a.txt'), size: 14, changed: true });
    expect(readFileSync(join(ws, 'a.txt'), 'utf8')).toBe('eins und two 3');
    expect(listing(ws)).toEqual(['a.txt']);
  });

  it('fills and empties a file', () => {
    const ws = makeFolder({ 'a.txt': '' });
    splice(ws, 'a.txt', [{ start: 0, end: 0, bytes: bytesOf('full') }]);
    expect(readFileSync(join(ws, 'a.txt'), 'utf8')).toBe('full');
    expect(splice(ws, 'a.txt', [{ start: 0, end: 4, bytes: bytesOf('') }]).size).toBe(0);
    expect(readFileSync(join(ws, 'a.txt'), 'utf8')).toBe('');
  });

  it('writes nothing when there is nothing to write', () => {
    const ws = makeFolder({ 'a.txt': 'same' });
    const before = statSync(join(ws, 'a.txt'), { bigint: true });
    expect(splice(ws, 'a.txt', [])).toEqual({ path: join(ws, 'a.txt'), size: 4, changed: false });
    expect(statSync(join(ws, 'a.txt'), { bigint: true })).toEqual(before);
    expect(existsSync(join(ws, '.state'))).toBe(false);
  });

  it('writes the same bytes as splicing in memory, for any splices and across the copy buffer', () => {
    const ws = makeFolder({ 'a.bin': '' });
    const around = fc.constantFrom(0, 1, 1000, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, (1 << 19) + 7);
    const plan = fc.tuple(around, fc.array(fc.tuple(fc.nat(1 << 19), fc.nat(2000), around), { maxLength: 4 }));
    fc.assert(
      fc.property(plan, ([size, cuts]) => {
        const old = Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz0123456789');
        writeFileSync(join(ws, 'a.bin'), old);
        const splices: ByteSplice[] = [];
        let at = 0;
        let wanted = '';
        for (const [gap, cut, length] of [...cuts].sort((a, b) => a[0] - b[0])) {
          const start = Math.min(size, Math.max(at, gap));
          const end = Math.min(size, start + cut);
          const bytes = Buffer.alloc(length, 'NEW');
          wanted += old.toString('latin1', at, start) + bytes.toString('latin1');
          splices.push({ start, end, bytes });
          at = end;
        }
        wanted += old.toString('latin1', at);
        splice(ws, 'a.bin', splices);
        expect(readFileSync(join(ws, 'a.bin'), 'latin1') === wanted).toBe(true);
      }),
      { numRuns: runs(20) },
    );
  });

  it.each([
    [
      'overlap',
      [
        { start: 0, end: 3 },
        { start: 2, end: 4 },
      ],
    ],
    ['leave the file', [{ start: 3, end: 9 }]],
    ['run backwards', [{ start: 3, end: 2 }]],
  ])('refuses splices that %s', (_what, spans) => {
    const ws = makeFolder({ 'a.txt': 'text' });
    const splices = spans.map((span) => ({ ...span, bytes: bytesOf('x') }));
    expect(faultOf(() => splice(ws, 'a.txt', splices)).code).toBe('INTERNAL_SPLICE');
    expect(readFileSync(join(ws, 'a.txt'), 'utf8')).toBe('text');
  });

  it.each([0o600, 0o644, 0o755, 0o4755])('keeps mode %o', (mode) => {
    const ws = makeFolder({ 'a.txt': 'text' });
    chmodSync(join(ws, 'a.txt'), mode);
    splice(ws, 'a.txt', [{ start: 0, end: 1, bytes: bytesOf('n') }]);
    expect((statSync(join(ws, 'a.txt')).mode & 0o7777).toString(8)).toBe(mode.toString(8));
  });

  it.skipIf(!isRoot)('keeps the owner (only root can chown)', () => {
    const ws = makeFolder({ 'a.txt': 'text' });
    chownSync(join(ws, 'a.txt'), 1234, 2345);
    chmodSync(join(ws, 'a.txt'), 0o4750);
    splice(ws, 'a.txt', [{ start: 0, end: 1, bytes: bytesOf('n') }]);
    const { uid, gid, mode } = statSync(join(ws, 'a.txt'));
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 2345, 0o4750]);
  });

  it.skipIf(!isRoot)('keeps new content private to its owner until it has its group', () => {
    const ws = makeFolder({ 'a.txt': 'text' });
    chownSync(join(ws, 'a.txt'), 1234, 2345);
    chmodSync(join(ws, 'a.txt'), 0o664);
    const seen = new Set<string>();
    const look = (): void => {
      for (const name of listing(ws).filter((one) => one.endsWith('.pincer-tmp'))) {
        const { uid, gid, mode, size } = statSync(join(ws, name));
        seen.add([uid, gid, (mode & 0o7777).toString(8), size].join(' '));
      }
    };
    const file = openFile(locate(ws, 'a.txt'));
    const splices = [{ start: 0, end: 1, bytes: bytesOf('n') }];
    watchingCalls(look, () => replace(file, splices, { stateDir: join(ws, '.state') }));
    file.close();
    expect([...seen]).toEqual(['1234 2345 600 0', '1234 2345 664 4']);
  });

  it.skipIf(!isRoot).each([
    ['another group', NOBODY, 2345, 0o664],
    ['another group', NOBODY, 2345, 0o2770],
    ['another owner', 1234, 0, 0o666],
    ['another owner and group', 1234, 2345, 0o666],
  ])('writes in place when a new file could not get all attributes: %s, %i:%i %o', (_, uid, gid, mode) => {
    const ws = makeFolder({ 'a.txt': 'text' });
    chownSync(ws, NOBODY, 0);
    chownSync(join(ws, 'a.txt'), uid, gid);
    chmodSync(join(ws, 'a.txt'), mode);
    const { ino } = statSync(join(ws, 'a.txt'));
    withoutPrivilege(() => splice(ws, 'a.txt', [{ start: 0, end: 1, bytes: bytesOf('n') }]));
    const now = statSync(join(ws, 'a.txt'));
    const found = [readFileSync(join(ws, 'a.txt'), 'utf8'), now.ino, now.uid, now.gid, now.mode & 0o777];
    expect(found).toEqual(['next', ino, uid, gid, mode & 0o777]);
  });

  it('supports names of the maximum length', () => {
    const name = `${'ü'.repeat(126)}.md`;
    const ws = makeFolder({ [name]: 'text' });
    splice(ws, name, [{ start: 0, end: 1, bytes: bytesOf('n') }]);
    expect(readFileSync(join(ws, name), 'utf8')).toBe('next');
  });
});

describe('replace refuses', () => {
  const change = [{ start: 0, end: 1, bytes: bytesOf('n') }];

  it('a file that changed since it was read', () => {
    const ws = makeFolder({ 'a.txt': 'text' });
    const file = openFile(locate(ws, 'a.txt'));
    writeFileSync(join(ws, 'a.txt'), 'TEXT');
    const fault = faultOf(() => replace(file, change, { stateDir: join(ws, '.state') }));
    file.close();
    expect(fault).toEqual({
      code: 'FS_CHANGED',
      message: `${join(ws, 'a.txt')} was changed by another program since it was read; nothing was written`,
      hint: 'run the command again',
    });
    expect([readFileSync(join(ws, 'a.txt'), 'utf8'), listing(ws)]).toEqual(['TEXT', ['a.txt']]);
  });

  it('a file that changes while the new content is being written', () => {
    const ws = makeFolder({ 'a.txt': 'text' });
    const meddle = (name: string): void => {
      if (name === 'fsyncSync') writeFileSync(join(ws, 'a.txt'), 'TEXT');
    };
    expect(faultOf(() => watchingCalls(meddle, () => splice(ws, 'a.txt', change))).code).toBe('FS_CHANGED');
    expect([readFileSync(join(ws, 'a.txt'), 'utf8'), listing(ws)]).toEqual(['TEXT', ['a.txt']]);
  });

  it('a stamp of an earlier reading', () => {
    const ws = makeFolder({ 'a.txt': 'text' });
    const early = openFile(locate(ws, 'a.txt'));
    early.close();
    writeFileSync(join(ws, 'a.txt'), 'longer text');
    expect(faultOf(() => splice(ws, 'a.txt', change, early.stamp)).code).toBe('FS_CHANGED');
  });

  it('a write-protected file, although its folder would allow the replacement', () => {
    const ws = makeFolder({ 'sub/a.txt': 'text', '.state/x': '' });
    for (const folder of ['.', 'sub', '.state']) chmodSync(join(ws, folder), 0o777);
    chmodSync(join(ws, 'sub/a.txt'), 0o444);
    const fault = withoutPrivilege(() => {
      mkdirSync(join(ws, 'own'), { mode: 0o700 });
      const file = openFile(locate(ws, 'sub/a.txt'));
      const refused = faultOf(() => replace(file, change, { stateDir: join(ws, 'own') }));
      file.close();
      return refused;
    });
    expect(fault.code).toBe('FS_WRITE_FAILED');
    expect([readFileSync(join(ws, 'sub/a.txt'), 'utf8'), listing(join(ws, 'sub'))]).toEqual(['text', ['a.txt']]);
  });

  it('a state folder that others can write to', () => {
    const ws = makeFolder({ 'a.txt': 'text', '.state/x': '' });
    chmodSync(join(ws, '.state'), 0o777);
    expect(faultOf(() => splice(ws, 'a.txt', change))).toEqual({
      code: 'FS_STATE_UNUSABLE',
      message: `cannot use the state folder ${join(ws, '.state')}: other users can write to ${join(ws, '.state')}`,
      hint: 'set PINCER_STATE_DIR to your own private folder',
    });
  });
});

describe('when the system fails', () => {
  it.each(['ENOSPC', 'EIO', 'EACCES'])(
    'with %s at any call, the file is complete and no temporary files stay',
    (code) => {
      for (let n = 1; ; n++) {
        const ws = makeFolder({ 'a.txt': 'old' });
        const file = openFile(locate(ws, 'a.txt'));
        const { fired, error } = withFailure(n, code, () =>
          replace(file, [{ start: 0, end: 3, bytes: bytesOf('new') }], { stateDir: join(ws, '.state') }),
        );
        file.close();
        const now = readFileSync(join(ws, 'a.txt'), 'utf8');
        const durable = error === undefined || (error instanceof Fault && error.code === 'FS_NOT_DURABLE');
        expect({ n, now, left: listing(ws), locks: readdirSync(join(ws, '.state/locks')) }).toEqual({
          n,
          now: durable ? 'new' : 'old',
          left: ['a.txt'],
          locks: [],
        });
        expect(error === undefined || error instanceof Fault).toBe(true);
        if (!fired) break;
        expect(n).toBeLessThan(60);
      }
    },
  );

  it.skipIf(!isRoot)('because the disk is full, the old bytes stay (only root can mount one)', () => {
    const top = makeFolder();
    const disk = join(top, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'tmpfs', disk]);
    try {
      const old = 'k'.repeat(30_000);
      writeFileSync(join(disk, 'a.txt'), old);
      const file = openFile(locate(disk, 'a.txt'));
      const fault = faultOf(() =>
        replace(file, [{ start: 0, end: 0, bytes: bytesOf('n'.repeat(50_000)) }], { stateDir: join(top, 'state') }),
      );
      file.close();
      expect(fault).toEqual({
        code: 'FS_WRITE_FAILED',
        message: `cannot write ${join(disk, 'a.txt')}: ENOSPC: no space left on device; the old content stays`,
        hint: 'free some space on that disk and run the command again',
      });
      expect([readFileSync(join(disk, 'a.txt'), 'utf8'), listing(disk)]).toEqual([old, ['a.txt']]);
    } finally {
      execFileSync('umount', ['-l', disk]); // the workspace may still be pinned
    }
  });
});

describe('temporary files of dead writers', () => {
  it('are removed by the next writer, but nothing else is', () => {
    const dead = 4_194_303; // above what Linux gives out by default, so nobody has it
    const word = 'mi0abcde0123456789';
    const names = {
      dead: `.a.txt.${dead}.${word}.pincer-tmp`,
      young: `.a.txt.${dead}.${word}x.pincer-tmp`,
      living: `.a.txt.${process.pid}.${word}.pincer-tmp`,
      batch: `.a.txt.${dead}.${word}.pincer-batch`,
      chosen: `.a.txt.${dead}.mine.pincer-tmp`,
      foreign: `.a.txt.${dead}.tmp`,
    };
    const ws = makeFolder({ 'a.txt': 'text', ...Object.fromEntries(Object.values(names).map((name) => [name, ''])) });
    for (const name of Object.values(names)) utimesSync(join(ws, name), 1, 1);
    writeFileSync(join(ws, names.young), 'x');
    splice(ws, 'a.txt', [{ start: 0, end: 1, bytes: bytesOf('n') }]);
    expect(listing(ws)).toEqual(['a.txt', names.young, names.living, names.batch, names.chosen, names.foreign].sort());
  });
});
