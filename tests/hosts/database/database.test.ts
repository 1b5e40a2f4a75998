import fs, {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadEngine } from '../../../src/hosts/database/engines.ts';
import { openWith, type OpenOptions } from '../../../src/hosts/database/open-database.ts';
import type { Database } from '../../../src/hosts/database/shape.ts';
import { makeFolder } from '../../support/folder.ts';
import { watchingCalls } from '../../support/failing-fs.ts';
import { faultOf } from '../../support/fault.ts';
import { until } from '../../support/patience.ts';
import { withoutPrivilege } from '../../support/privilege.ts';
import { ENGINES } from './engines.ts';

const OPTIONS: OpenOptions = { migrations: ['CREATE TABLE t (a TEXT NOT NULL UNIQUE)'], checked: ['t'] };

it.skipIf(ENGINES.includes('node:sqlite'))('a missing engine is reported', async () => {
  await expect(loadEngine('node:sqlite')).rejects.toMatchObject({
    code: 'APPROVAL_STORE_UNAVAILABLE',
    message: 'approvals cannot be stored: this Node has no module node:sqlite',
    hint: 'use Node 22.13 or newer, or run npm install libsql where pincer is installed',
  });
});

describe.each(ENGINES)('a database with %s', async (name) => {
  const engine = await loadEngine(name);
  const privateFolder = () => {
    const folder = makeFolder();
    chmodSync(folder, 0o700);
    return folder;
  };
  const open = (file: string, options: OpenOptions = OPTIONS) => {
    const opened = openWith(engine, file, options);
    onTestFinished(() => opened.database.close());
    return opened;
  };
  const rows = (database: Database) =>
    database
      .prepare('SELECT a FROM t ORDER BY rowid')
      .all()
      .map(({ a }) => a);
  const insert = (database: Database, a: string | null) => database.prepare('INSERT INTO t VALUES (?)').run(a);

  it('is durable, private and strict', () => {
    const file = join(privateFolder(), 'state', 'x.db');
    const { database, movedTo } = open(file);
    const pragma = (word: string) => Object.values(database.prepare(`PRAGMA ${word}`).get() ?? {})[0];
    insert(database, 'a');
    expect({
      movedTo,
      engine: database.engine,
      journal: pragma('journal_mode'),
      synchronous: pragma('synchronous'),
      busy: pragma('busy_timeout'),
      foreignKeys: pragma('foreign_keys'),
      version: pragma('user_version'),
      folder: lstatSync(join(file, '..')).mode & 0o777,
      files: readdirSync(join(file, '..')).map((one) => [one, lstatSync(join(file, '..', one)).mode & 0o777]),
    }).toEqual({
      movedTo: undefined,
      engine: name,
      journal: 'wal',
      synchronous: 1, // the database writes its log to the disk itself
      busy: 5000,
      foreignKeys: 1,
      version: 1,
      folder: 0o700,
      files: [
        ['x.db', 0o600],
        ['x.db-shm', 0o600],
        ['x.db-wal', 0o600],
      ],
    });
  });

  it('returns rows, single rows and the number of changes', () => {
    const { database } = open(join(privateFolder(), 'x.db'));
    expect(insert(database, 'a\n\u{1f600}')).toEqual({ changes: 1, lastId: 1 });
    insert(database, 'b');
    expect([
      database.prepare('SELECT * FROM t WHERE a = ?').get('b'),
      database.prepare('SELECT * FROM t WHERE a = ?').get('c'),
      database.prepare('SELECT a, 1763260000000 AS n, NULL AS empty FROM t').all(),
      database.prepare('UPDATE t SET a = a || ?').run('!').changes,
    ]).toEqual([
      { a: 'b' },
      undefined,
      [
        { a: 'a\n\u{1f600}', n: 1763260000000, empty: null },
        { a: 'b', n: 1763260000000, empty: null },
      ],
      2,
    ]);
  });

  it('keeps a transaction whole or undoes it whole, also inside of another', () => {
    const { database } = open(join(privateFolder(), 'x.db'));
    database.transaction(() => {
      insert(database, 'kept');
      expect(() =>
        database.transaction(() => {
          insert(database, 'undone');
          insert(database, 'kept');
        }),
      ).toThrow(/UNIQUE/u);
      insert(database, 'kept, too');
    });
    expect(() =>
      database.transaction(() => {
        insert(database, 'undone');
        throw new Error('no');
      }),
    ).toThrow('no');
    insert(database, 'after');
    expect(rows(database)).toEqual(['kept', 'kept, too', 'after']);
  });

  it('flushes many small writes together: at the end of the turn, with a transaction, and on request', async () => {
    const file = join(privateFolder(), 'x.db');
    const { database } = open(file);
    const { database: reader } = open(file);
    const seen: unknown[] = [];
    for (const a of ['1', '2', '3']) database.soon(() => insert(database, a));
    seen.push(rows(reader));
    await new Promise(setImmediate);
    seen.push(rows(reader));
    database.soon(() => insert(database, '4'));
    database.transaction(() => insert(database, '5'));
    seen.push(rows(reader));
    database.soon(() => insert(database, '6'));
    expect(() => database.soon(() => insert(database, '6'))).toThrow(/UNIQUE/u);
    database.flush();
    seen.push(rows(reader));
    database.soon(() => insert(database, '7'));
    expect(() => database.record(() => insert(database, '7'))).toThrow(/UNIQUE/u);
    database.record(() => insert(database, '8'));
    seen.push(rows(reader));
    expect(seen).toEqual([
      [],
      ['1', '2', '3'],
      ['1', '2', '3', '4', '5'],
      ['1', '2', '3', '4', '5', '6'],
      ['1', '2', '3', '4', '5', '6', '7', '8'],
    ]);
  });

  it('migrates from version to version, and refuses a file of a later one', () => {
    const file = join(privateFolder(), 'x.db');
    const first = openWith(engine, file, OPTIONS).database;
    insert(first, 'old');
    first.close();
    const both = { migrations: [...OPTIONS.migrations, 'ALTER TABLE t ADD COLUMN b TEXT'], checked: ['t'] };
    const second = openWith(engine, file, both).database;
    expect(second.prepare('SELECT * FROM t').all()).toEqual([{ a: 'old', b: null }]);
    second.close();
    expect(faultOf(() => openWith(engine, file, OPTIONS))).toEqual({
      code: 'APPROVAL_STORE_NEWER',
      message: `the approval store ${file} was written by a newer pincer: version 2, this one supports 1`,
      hint: 'use the newer pincer, or set PINCER_STATE_DIR to another folder',
    });
  });

  it.each([
    ['that is no database', () => Buffer.from('garbage '.repeat(2000))],
    ['whose pages are damaged', (bytes: Buffer) => bytes.fill(0xab, 4096)],
    ['that was cut off', (bytes: Buffer) => bytes.subarray(0, 5000)],
  ])('moves a file %s aside and begins anew', (_, damage) => {
    const folder = privateFolder();
    const file = join(folder, 'x.db');
    const before = openWith(engine, file, OPTIONS).database;
    before.transaction(() => {
      for (let i = 0; i < 2000; i++) insert(before, `${i} ${'x'.repeat(50)}`);
    });
    before.close();
    const damaged = damage(readFileSync(file));
    writeFileSync(file, damaged);
    const { database, movedTo } = open(file);
    expect([rows(database), movedTo, readFileSync(movedTo ?? '').equals(damaged)]).toEqual([
      [],
      expect.stringMatching(/x\.db\.damaged-[\dTZ-]+$/u),
      true,
    ]);
  });

  it.each([
    [
      'a link in its place',
      (file: string) => symlinkSync('/etc/passwd', file),
      (file: string) => `${file} is a symlink`,
    ],
    [
      'a link in the place of its log',
      (file: string) => symlinkSync('/etc/passwd', `${file}-wal`),
      (file: string) => `${file}-wal is a symlink`,
    ],
    ['a folder in its place', (file: string) => mkdirSync(file), (file: string) => `${file} is not a regular file`],
    [
      'a file that others may write',
      (file: string) => {
        writeFileSync(file, '');
        chmodSync(file, 0o622);
      },
      (file: string) => `other users can write to ${file}`,
    ],
    [
      'a folder that others may write',
      (file: string) => chmodSync(join(file, '..'), 0o777),
      (file: string) => `other users can write to ${join(file, '..')}`,
    ],
  ])('refuses %s', (_, make, why) => {
    const file = join(privateFolder(), 'x.db');
    make(file);
    expect(faultOf(() => openWith(engine, file, OPTIONS))).toMatchObject({
      code: 'APPROVAL_STORE_UNSAFE',
      message: `the approval store ${file} is not used: ${why(file)}`,
    });
  });

  it('takes the right to read from others', () => {
    const file = join(privateFolder(), 'x.db');
    openWith(engine, file, OPTIONS).database.close();
    chmodSync(file, 0o644);
    open(file);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
  });

  it('reports a folder that cannot be written', () => {
    const folder = privateFolder();
    chownSync(folder, process.geteuid?.() === 0 ? 65534 : (process.geteuid?.() ?? 0), -1);
    chmodSync(folder, 0o500);
    const file = join(folder, 'x.db');
    expect(faultOf(() => withoutPrivilege(() => openWith(engine, file, OPTIONS)))).toMatchObject({
      code: 'APPROVAL_STORE_READONLY',
      message: `the approval store ${file} cannot be created: EACCES: permission denied`,
    });
  });

  it('writes its log to the disk before it confirms, and in the background for the rest', async () => {
    const { database } = open(join(privateFolder(), 'x.db'));
    const background = vi.spyOn(fs, 'fdatasync');
    const syncs = (work: () => void): number => {
      let count = 0;
      watchingCalls(() => count++, work, ['fdatasyncSync']);
      return count;
    };
    syncBuiltinESMExports();
    onTestFinished(() => {
      background.mockRestore();
      syncBuiltinESMExports();
    });
    expect(syncs(() => database.transaction(() => insert(database, 'a')))).toBe(1);
    expect(syncs(() => database.flush())).toBe(0);
    expect(syncs(() => database.soon(() => insert(database, 'b')))).toBe(0);
    expect(syncs(() => database.flush())).toBe(1);
    database.soon(() => insert(database, 'c'));
    await until(() => background.mock.calls.length === 1, 'the write in the background');
    expect(syncs(() => database.record(() => insert(database, 'd')))).toBe(0);
    await until(() => background.mock.calls.length === 2, 'the second write in the background');
    expect(rows(database)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reports a log that cannot be written to the disk', async () => {
    const troubles: unknown[] = [];
    const { database } = open(join(privateFolder(), 'x.db'), {
      ...OPTIONS,
      onTrouble: (fault) => troubles.push(fault),
    });
    const failure = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    const broken = expect.objectContaining({
      code: 'APPROVAL_STORE_FAILED',
      message: `the approval store ${database.file} cannot be written to the disk: EIO: i/o error, fdatasync`,
    });
    const background = vi.spyOn(fs, 'fdatasync').mockImplementation((_, done) => setImmediate(() => done(failure)));
    syncBuiltinESMExports();
    onTestFinished(() => {
      background.mockRestore();
      syncBuiltinESMExports();
    });
    database.soon(() => insert(database, 'b'));
    await until(() => troubles.length > 0, 'the report');
    expect(troubles).toEqual([broken]);
    expect(faultOf(() => database.transaction(() => insert(database, 'c')))).toEqual(broken);
    expect(faultOf(() => database.flush())).toEqual(broken);
    expect(faultOf(() => database.close())).toEqual(broken);
  });

  it('reports a failed write to a caller that waits, also where the background had the report first', async () => {
    const { database } = open(join(privateFolder(), 'x.db'));
    database.transaction(() => insert(database, 'a'));
    // As Linux does: each open file description hears of the failed write once.
    const heard = new Set<number>();
    const hear = (file: number): Error | null => {
      const isFirst = !heard.has(file);
      heard.add(file);
      return isFirst ? Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }) : null;
    };
    const background = vi.spyOn(fs, 'fdatasync').mockImplementation((file) => void hear(file)); // its callback comes later
    const waiting = vi.spyOn(fs, 'fdatasyncSync').mockImplementation((file) => {
      const error = hear(file);
      if (error !== null) throw error;
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      background.mockRestore();
      waiting.mockRestore();
      syncBuiltinESMExports();
    });
    database.soon(() => insert(database, 'b'));
    await until(() => background.mock.calls.length === 1, 'the write in the background');
    expect(faultOf(() => database.transaction(() => insert(database, 'c')))).toMatchObject({
      code: 'APPROVAL_STORE_FAILED',
    });
    expect(faultOf(() => database.close())).toMatchObject({ code: 'APPROVAL_STORE_FAILED' });
  });

  it('is not used after it could not be written to the disk, until it is opened again', () => {
    const file = join(privateFolder(), 'x.db');
    const { database } = openWith(engine, file, OPTIONS);
    database.transaction(() => insert(database, 'a'));
    const fail = (): never => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    };
    const write = (a: string) => () => database.transaction(() => insert(database, a));
    const faults = [
      faultOf(() => watchingCalls(fail, write('b'), ['fdatasyncSync'])),
      faultOf(write('c')),
      faultOf(() => database.soon(() => insert(database, 'd'))),
      faultOf(() => database.flush()),
      faultOf(() => rows(database)),
      faultOf(() => database.close()),
    ];
    expect(faults.map((fault) => (fault as { code?: string }).code)).toEqual(faults.map(() => 'APPROVAL_STORE_FAILED'));
    expect(new Set(rows(open(file).database)).has('c')).toBe(false);
  });

  it('does not depend on the log that an earlier process left', () => {
    const file = join(privateFolder(), 'x.db');
    const { database } = open(file);
    database.transaction(() => insert(database, 'a'));
    const copied = join(privateFolder(), 'x.db');
    const alone = join(privateFolder(), 'x.db');
    for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copied + suffix); // as after SIGKILL
    open(copied);
    copyFileSync(copied, alone);
    expect(rows(open(alone).database)).toEqual(['a']);
  });

  it.each(['EMFILE', 'ENOENT'])('commits nothing where its log cannot be opened: %s', async (code) => {
    const troubles: unknown[] = [];
    const file = join(privateFolder(), 'x.db');
    open(file).database.close();
    const { database } = open(file, { ...OPTIONS, onTrouble: (fault) => troubles.push(fault) });
    const fail = (): never => {
      throw Object.assign(new Error(`${code}: made to fail`), { code });
    };
    const write = (a: string) => () => database.transaction(() => insert(database, a));
    const fault = faultOf(() => watchingCalls(fail, write('a'), ['openSync']));
    expect(fault).toMatchObject({ code: 'APPROVAL_STORE_FAILED' });
    expect([rows(database), troubles]).toEqual([[], [expect.objectContaining(fault as object)]]);
    write('b')();
    expect(rows(database)).toEqual(['b']);
  });

  it('that needs to survive only the end of the process waits for the disk on request', () => {
    const { database } = open(join(privateFolder(), 'x.db'), { ...OPTIONS, survives: 'process-end' });
    const syncs = (work: () => void): number => {
      let count = 0;
      watchingCalls(() => count++, work, ['fdatasyncSync']);
      return count;
    };
    expect(syncs(() => database.transaction(() => insert(database, 'a')))).toBe(0);
    expect([syncs(() => database.flush()), syncs(() => database.flush())]).toEqual([1, 0]);
  });

  it('reports a full disk, and keeps what it confirmed', ({ skip }) => {
    const disk = join(privateFolder(), 'disk');
    mkdirSync(disk, { mode: 0o700 });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', disk]);
    if (mounted.status !== 0) return skip('a small file system can be mounted by root only');
    try {
      const troubles: unknown[] = [];
      const { database } = openWith(engine, join(disk, 'x.db'), {
        ...OPTIONS,
        onTrouble: (fault) => troubles.push(fault),
      });
      let kept = 0;
      const fault = faultOf(() => {
        for (; kept < 1000; kept++) database.transaction(() => insert(database, `${kept} ${'x'.repeat(3000)}`));
      });
      expect(fault).toMatchObject({ code: 'APPROVAL_STORE_FULL' });
      expect(troubles).toHaveLength(1);
      expect(rows(database)).toHaveLength(kept);
      database.close();
      const { database: again } = openWith(engine, join(disk, 'x.db'), OPTIONS);
      expect([kept > 5, rows(again).length]).toEqual([true, kept]);
      again.close();
    } finally {
      spawnSync('umount', ['--lazy', disk]);
    }
  });

  it('throws the fault of a failed flush at the next write', async ({ skip }) => {
    const disk = join(privateFolder(), 'disk');
    mkdirSync(disk, { mode: 0o700 });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', disk]);
    if (mounted.status !== 0) return skip('a small file system can be mounted by root only');
    try {
      const { database } = openWith(engine, join(disk, 'x.db'), OPTIONS);
      database.soon(() => insert(database, 'x'.repeat(200_000)));
      await new Promise(setImmediate);
      expect(faultOf(() => database.soon(() => insert(database, 'next')))).toMatchObject({
        code: 'APPROVAL_STORE_FULL',
      });
      database.transaction(() => insert(database, 'small'));
      expect(rows(database)).toEqual(['small']);
      database.close();
    } finally {
      spawnSync('umount', ['--lazy', disk]);
    }
  });
});
