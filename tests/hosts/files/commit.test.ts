import { chmodSync, linkSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import type { FileChange } from '../../../src/hosts/files/shape.ts';
import { commit } from '../../../src/hosts/files/batch/commit.ts';
import { exclusively } from '../../../src/hosts/files/locks/exclusively.ts';
import type { PutEntry } from '../../../src/hosts/files/batch/journal-entry.ts';
import { newJournalId, writeIntent, writeJournal } from '../../../src/hosts/files/batch/journal.ts';
import { leftovers } from '../../../src/hosts/files/batch/leftovers.ts';
import { locate } from '../../support/locate.ts';
import { takeLocks } from '../../../src/hosts/files/locks/locks.ts';
import { openFile } from '../../../src/hosts/files/gate/open.ts';
import { recover } from '../../../src/hosts/files/batch/recover.ts';
import { watchingCalls, withFailure } from '../../support/failing-fs.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

type Edit = Extract<FileChange, { edit: unknown }>['edit'];

function changeOf(ws: string, name: string, edit: (size: number) => Edit): FileChange {
  const open = openFile(locate(ws, name));
  open.close();
  return { file: open.located, stamp: open.stamp, edit: edit(open.size) };
}

const setTo = (ws: string, name: string, text: string): FileChange =>
  changeOf(ws, name, (size) => ({ splices: [{ start: 0, end: size, bytes: bytesOf(text) }] }));

const read = (ws: string, ...names: readonly string[]): string[] =>
  names.map((name) => readFileSync(join(ws, name), 'utf8'));

describe('commit', () => {
  it('changes many files, appends, and skips empty changes', () => {
    const top = makeFolder({ 'ws/a.txt': 'a', 'ws/d/b.txt': 'b', 'ws/c.jsonl': '1', 'ws/e.txt': 'e' });
    const ws = join(top, 'ws');
    const stateDir = join(top, 'state');
    const written = commit(
      [
        setTo(ws, 'a.txt', 'A'),
        setTo(ws, 'd/b.txt', 'BB'),
        changeOf(ws, 'c.jsonl', () => ({ append: { line: bytesOf('2'), eol: '\n' } })),
        changeOf(ws, 'e.txt', () => ({ splices: [] })),
      ],
      { stateDir },
    );
    expect(written).toEqual([
      { path: join(ws, 'a.txt'), size: 1, changed: true },
      { path: join(ws, 'd/b.txt'), size: 2, changed: true },
      { path: join(ws, 'c.jsonl'), size: 3, changed: true },
      { path: join(ws, 'e.txt'), size: 1, changed: false },
    ]);
    expect(read(ws, 'a.txt', 'd/b.txt', 'c.jsonl', 'e.txt')).toEqual(['A', 'BB', '1\n2', 'e']);
    expect([readdirSync(ws), readdirSync(join(ws, 'd')), leftovers(stateDir)]).toEqual([
      ['a.txt', 'c.jsonl', 'd', 'e.txt'],
      ['b.txt'],
      [],
    ]);
  });

  it('needs no journal for one file, and no folder for none', () => {
    const top = makeFolder({ 'ws/a.txt': 'a' });
    const stateDir = join(top, 'state');
    expect(commit([], { stateDir })).toEqual([]);
    expect(commit([setTo(join(top, 'ws'), 'a.txt', 'A')], { stateDir })).toMatchObject([{ changed: true }]);
    expect(readdirSync(stateDir)).toEqual(['locks', 'tickets']);
  });

  it('changes nothing when one file has changed since it was read', () => {
    const top = makeFolder({ 'ws/a.txt': 'a', 'ws/b.txt': 'b', 'ws/c.txt': 'c' });
    const ws = join(top, 'ws');
    const changes = ['a.txt', 'b.txt', 'c.txt'].map((name) => setTo(ws, name, 'new'));
    writeFileSync(join(ws, 'b.txt'), 'foreign');
    expect(faultOf(() => commit(changes, { stateDir: join(top, 'state') }))).toMatchObject({
      code: 'FS_CHANGED',
      message: expect.stringContaining('b.txt'),
    });
    expect(read(ws, 'a.txt', 'b.txt', 'c.txt')).toEqual(['a', 'foreign', 'c']);
    expect([...readdirSync(ws), ...leftovers(join(top, 'state'))]).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it('changes nothing when one file is changed while the others are being written', () => {
    const top = makeFolder({ 'ws/a.txt': 'a', 'ws/b.txt': 'b' });
    const ws = join(top, 'ws');
    const stateDir = join(top, 'state');
    const changes = ['a.txt', 'b.txt'].map((name) => setTo(ws, name, 'new'));
    const meddle = (name: string): void => {
      if (name === 'fsyncSync') writeFileSync(join(ws, 'a.txt'), 'foreign');
    };
    expect(faultOf(() => watchingCalls(meddle, () => commit(changes, { stateDir }))).code).toBe('FS_CHANGED');
    expect([...read(ws, 'a.txt', 'b.txt'), ...readdirSync(ws), ...leftovers(stateDir)]).toEqual([
      'foreign',
      'b',
      'a.txt',
      'b.txt',
    ]);
  });

  it('changes nothing when one file has a second hard link', () => {
    const top = makeFolder({ 'ws/a.txt': 'a', 'ws/b.txt': 'b' });
    const ws = join(top, 'ws');
    linkSync(join(ws, 'b.txt'), join(top, 'second'));
    const fault = faultOf(() =>
      commit([setTo(ws, 'a.txt', 'A'), setTo(ws, 'b.txt', 'B')], { stateDir: join(top, 'state') }),
    );
    expect([fault.code, ...read(ws, 'a.txt', 'b.txt')]).toEqual(['FS_HARD_LINKED', 'a', 'b']);
  });

  it('refuses a file that occurs twice', () => {
    const top = makeFolder({ 'ws/a.txt': 'a' });
    const change = setTo(join(top, 'ws'), 'a.txt', 'A');
    expect(faultOf(() => commit([change, change], { stateDir: join(top, 'state') })).code).toBe('INTERNAL_BATCH');
  });

  it.each(['ENOSPC', 'EIO'])('is all or nothing when any call fails with %s', (code) => {
    const fates = new Set<string>();
    for (let n = 1; ; n++) {
      const top = makeFolder({ 'ws/a.txt': 'a', 'ws/d/b.txt': 'b', 'ws/c.txt': 'c' });
      const ws = join(top, 'ws');
      const stateDir = join(top, 'state');
      const changes = ['a.txt', 'd/b.txt', 'c.txt'].map((name) => setTo(ws, name, 'new'));
      const { fired, error } = withFailure(n, code, () => commit(changes, { stateDir }));
      expect(error === undefined || error instanceof Fault).toBe(true);
      const before = read(ws, 'a.txt', 'd/b.txt', 'c.txt').join();
      const { conflicts, failed } = recover({ stateDir });
      const after = read(ws, 'a.txt', 'd/b.txt', 'c.txt').join();
      const unfinished = error instanceof Fault && error.code === 'FS_BATCH_UNFINISHED';
      const wanted = error === undefined || unfinished ? 'new,new,new' : 'a,b,c';
      // Only a batch that says it is unfinished may need recovery; the others are at their end already.
      expect([n, unfinished || before]).toEqual([n, unfinished || wanted]);
      expect({ n, after, conflicts, failed, left: leftovers(stateDir), files: readdirSync(ws) }).toEqual({
        n,
        after: wanted,
        conflicts: [],
        failed: [],
        left: [],
        files: ['a.txt', 'c.txt', 'd'],
      });
      fates.add(unfinished ? 'unfinished' : error === undefined ? 'done' : 'refused');
      if (!fired) break;
      expect(n).toBeLessThan(200);
    }
    expect([...fates].sort()).toEqual(['done', 'refused', 'unfinished']);
  });
});

/** The remains of a batch of a dead process over a.txt and b.txt, written to `stateDir`. */
function plantBatch(ws: string, stateDir: string, stage: 'intent' | 'journal', owner = 4_194_303): readonly PutEntry[] {
  const entries = ['a.txt', 'b.txt'].map((name) => {
    const open = openFile(locate(ws, name));
    open.close();
    const temp = `.${name}.${owner}.word.pincer-batch`;
    writeFileSync(join(ws, temp), `new ${name}`);
    const made = openFile(locate(ws, temp));
    made.close();
    return { do: 'put' as const, file: open.located, temp, over: open.stamp, ino: made.stamp.ino, size: made.size };
  });
  const id = newJournalId().replace(/^\d+/u, String(owner));
  (stage === 'intent' ? writeIntent : writeJournal)(stateDir, id, entries);
  return entries;
}

describe('recover', () => {
  const start = (): { ws: string; stateDir: string } => {
    const top = makeFolder({ 'ws/a.txt': 'old a.txt', 'ws/b.txt': 'old b.txt' });
    return { ws: join(top, 'ws'), stateDir: join(top, 'state') };
  };

  it('does nothing, and creates no folder, when there is no batch', () => {
    const { ws, stateDir } = start();
    expect(recover({ stateDir })).toEqual({ completed: [], conflicts: [], failed: [] });
    expect(readdirSync(join(ws, '..'))).toEqual(['ws']);
  });

  it('completes a committed batch', () => {
    const { ws, stateDir } = start();
    const [, b] = plantBatch(ws, stateDir, 'journal');
    renameSync(join(ws, b!.temp), join(ws, 'b.txt'));
    expect(recover({ stateDir })).toEqual({ completed: [join(ws, 'a.txt')], conflicts: [], failed: [] });
    expect([...read(ws, 'a.txt', 'b.txt'), ...readdirSync(ws), ...leftovers(stateDir)]).toEqual([
      'new a.txt',
      'new b.txt',
      'a.txt',
      'b.txt',
    ]);
  });

  it('removes the temporary files of an uncommitted batch', () => {
    const { ws, stateDir } = start();
    plantBatch(ws, stateDir, 'intent');
    expect(recover({ stateDir })).toEqual({ completed: [], conflicts: [], failed: [] });
    expect([...read(ws, 'a.txt', 'b.txt'), ...readdirSync(ws), ...leftovers(stateDir)]).toEqual([
      'old a.txt',
      'old b.txt',
      'a.txt',
      'b.txt',
    ]);
  });

  it('reports a file that changed since as a conflict, and does not write it', () => {
    const { ws, stateDir } = start();
    plantBatch(ws, stateDir, 'journal');
    writeFileSync(join(ws, 'a.txt'), 'foreign');
    chmodSync(join(ws, 'b.txt'), 0o600);
    expect(recover({ stateDir })).toEqual({
      completed: [join(ws, 'b.txt')],
      conflicts: [join(ws, 'a.txt')],
      failed: [],
    });
    expect([...read(ws, 'a.txt', 'b.txt'), ...readdirSync(ws)]).toEqual(['foreign', 'new b.txt', 'a.txt', 'b.txt']);
  });

  it('reports a file whose folder is missing as a conflict', () => {
    const { ws, stateDir } = start();
    plantBatch(ws, stateDir, 'journal');
    rmSync(ws, { recursive: true });
    expect(recover({ stateDir })).toEqual({
      completed: [],
      conflicts: [join(ws, 'a.txt'), join(ws, 'b.txt')],
      failed: [],
    });
    expect(leftovers(stateDir)).toEqual([]);
  });

  it('leaves the batch of a live process to that process, after a short wait', () => {
    const { ws, stateDir } = start();
    plantBatch(ws, stateDir, 'journal', process.pid);
    const started = Date.now();
    expect(recover({ stateDir, batchWaitMs: 50 })).toEqual({ completed: [], conflicts: [], failed: [] });
    expect(Date.now() - started).toBeGreaterThanOrEqual(50);
    expect([...read(ws, 'a.txt'), leftovers(stateDir).length]).toEqual(['old a.txt', 1]);
  });

  it('reports and keeps a damaged journal, and blocks writes to files that it may name', () => {
    const { ws, stateDir } = start();
    plantBatch(ws, stateDir, 'journal');
    const [name] = leftovers(stateDir);
    writeFileSync(join(stateDir, 'journal', name!), '{"entries":[{}]}');
    const { failed } = recover({ stateDir });
    expect(failed).toEqual([{ journal: name!.replace('.journal', ''), reason: expect.stringContaining('is damaged') }]);
    expect(leftovers(stateDir)).toEqual([name]);
    const fault = faultOf(() => exclusively([locate(ws, 'a.txt')], { stateDir }, () => undefined));
    expect(fault.code).toBe('FS_JOURNAL_DAMAGED');
  });

  it('ignores journals in a folder that others can write to', () => {
    const { ws, stateDir } = start();
    plantBatch(ws, stateDir, 'journal');
    chmodSync(join(stateDir, 'journal'), 0o777);
    expect(recover({ stateDir }).failed).toEqual([
      { journal: join(stateDir, 'journal'), reason: `other users can write to ${join(stateDir, 'journal')}` },
    ]);
    expect(read(ws, 'a.txt')).toEqual(['old a.txt']);
  });

  it('runs before a writer changes a file of a dead batch', () => {
    const { ws, stateDir } = start();
    plantBatch(ws, stateDir, 'journal');
    const seen = exclusively([locate(ws, 'b.txt')], { stateDir }, () => read(ws, 'a.txt', 'b.txt'));
    expect(seen).toEqual(['new a.txt', 'new b.txt']);
  });

  it('stops a writer when a dead batch over its file cannot be completed', () => {
    const lockOf = (setting: ReturnType<typeof start>, file: string) => {
      const held = takeLocks([join(setting.ws, file)], setting);
      const [name] = readdirSync(join(setting.stateDir, 'locks'));
      const ticket = readFileSync(join(setting.stateDir, 'locks', name!));
      held.release();
      return { name, ticket };
    };
    // Where both files share a lock, the other one cannot be held alone.
    let setting = start();
    while (lockOf(setting, 'a.txt').name === lockOf(setting, 'b.txt').name) setting = start();
    const { ws, stateDir } = setting;
    plantBatch(ws, stateDir, 'journal');
    // Somebody else holds the other file of that batch: a living process, here this one under another name.
    const { name, ticket } = lockOf(setting, 'a.txt');
    writeFileSync(join(stateDir, 'locks', name!), ticket);
    const fault = faultOf(() => exclusively([locate(ws, 'b.txt')], { stateDir, lockWaitMs: 30 }, () => undefined));
    expect(fault).toMatchObject({
      code: 'FS_BATCH_UNFINISHED',
      message: `an interrupted batch over ${join(ws, 'b.txt')} cannot be completed: ${join(ws, 'a.txt')} is being written by process ${process.pid}`,
    });
    expect([...read(ws, 'a.txt', 'b.txt'), leftovers(stateDir).length]).toEqual(['old a.txt', 'old b.txt', 1]);
  });
});
