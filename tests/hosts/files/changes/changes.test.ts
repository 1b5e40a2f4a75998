import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeRecorder } from '../../../../src/hosts/files/changes/recorder.ts';
import { faultOf } from '../../../support/fault.ts';
import { desk } from './desk.ts';

const lines = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i + 1}\n`).join('');
const at = (text: string, old: string, fresh: string) => {
  const start = Buffer.byteLength(text.slice(0, text.indexOf(old)));
  return [{ start, end: start + Buffer.byteLength(old), bytes: Buffer.from(fresh) }];
};

describe('the list of changes', () => {
  it('shows who changed what with which tool, newest first', async () => {
    const place = await desk({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, { agent: 'ann', tool: 'apply_patch' });
    const first = place.commit({ edit: 'a.txt', splices: at('one\n', 'one', 'uno') });
    const second = place.commit(
      { remove: 'b.txt' },
      { write: 'sub/c.txt', bytes: 'c\n' },
      { move: 'a.txt', to: 'd.txt' },
    );
    const who = {
      agent: 'ann',
      client: 'editor',
      tool: 'apply_patch',
      state: 'done',
      time: expect.stringMatching(/^20\d\d-.*Z$/),
    };
    expect(place.changes.list()).toEqual([
      {
        id: second,
        ...who,
        files: [
          { action: 'delete', path: 'b.txt', bytesBefore: 4, bytesAfter: 0 },
          { action: 'add', path: 'sub/c.txt', bytesBefore: 0, bytesAfter: 2 },
          { action: 'move', path: 'a.txt', movedTo: 'd.txt', bytesBefore: 4, bytesAfter: 4 },
        ],
      },
      { id: first, ...who, files: [{ action: 'modify', path: 'a.txt', bytesBefore: 4, bytesAfter: 4 }] },
    ]);
  });

  it('applies the filter', async () => {
    const ann = await desk({ 'src/a.txt': 'one\n', 'b.txt': 'two\n' }, { agent: 'ann' });
    const bob = await desk({}, { agent: 'bob', at: ann });
    const a = ann.commit({ write: 'src/a.txt', bytes: '1\n' });
    const b = bob.commit({ write: 'b.txt', bytes: '2\n' });
    const c = ann.commit({ move: 'b.txt', to: 'src/b.txt' });
    const ids = (filter: object): string[] => ann.changes.list(filter).map(({ id }) => id);
    expect(ids({})).toEqual([c, b, a]);
    expect(ids({ agent: 'bob' })).toEqual([b]);
    expect(ids({ limit: 2 })).toEqual([c, b]);
    expect(ids({ path: join(ann.root, 'b.txt') })).toEqual([c, b]);
    expect(ids({ path: join(ann.root, 'src') })).toEqual([c, a]);
    expect(ids({ since: Date.parse(ann.changes.find(b)!.time) })).toEqual([c, b]);
    expect(ids({ since: Date.now() + 60_000 })).toEqual([]);
  });

  it('finds a change by a unique prefix of its id', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: '1\n' });
    const other = place.commit({ write: 'a.txt', bytes: '2\n' });
    expect(place.changes.find(id.slice(0, -1))?.id).toBe(id);
    expect(place.changes.find(other)?.id).toBe(other);
    expect(place.changes.find(id.slice(0, 4))).toBe(undefined);
    expect(place.changes.find('')).toBe(undefined);
  });

  it('is refused in a folder that others can write to', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: '1\n' });
    chmodSync(join(place.stateDir, 'changes'), 0o777);
    expect(faultOf(() => place.changes.undo())).toMatchObject({
      code: 'FS_STATE_UNUSABLE',
      message: expect.stringContaining('other users can write to'),
    });
    expect(place.text('a.txt')).toBe('1\n');
  });
});

describe('the diff of a change', () => {
  it('shows no unchanged line between two changed ones', async () => {
    const place = await desk({ 'a.txt': '1\n2\n3\n4\n5\n' });
    const id = place.commit({
      edit: 'a.txt',
      splices: [
        { start: 2, end: 4, bytes: new Uint8Array() },
        { start: 6, end: 7, bytes: Buffer.from('four') },
        { start: 10, end: 10, bytes: Buffer.from('6\n') },
      ],
    });
    expect(place.changes.diff(id)!.map(({ diff }) => diff)).toEqual([
      '--- a.txt\n+++ a.txt\n@@ -1,5 +1,5 @@\n 1\n-2\n 3\n-4\n+four\n 5\n+6\n',
    ]);
  });

  it('has the line numbers of the whole file', async () => {
    const text = lines(1000);
    const place = await desk({ 'src/long.txt': text });
    const splices = [...at(text, 'line 300\n', 'three hundred\nand a bit\n'), ...at(text, 'line 900\n', '')];
    const id = place.commit({ edit: 'src/long.txt', splices });
    expect(place.changes.diff(id)).toEqual([
      {
        path: 'src/long.txt',
        added: 2,
        removed: 2,
        diff: [
          '--- src/long.txt',
          '+++ src/long.txt',
          '@@ -297,7 +297,8 @@',
          ' line 297',
          ' line 298',
          ' line 299',
          '-line 300',
          '+three hundred',
          '+and a bit',
          ' line 301',
          ' line 302',
          ' line 303',
          '@@ -897,7 +898,6 @@',
          ' line 897',
          ' line 898',
          ' line 899',
          '-line 900',
          ' line 901',
          ' line 902',
          ' line 903',
          '',
        ].join('\n'),
      },
    ]);
  });

  it('shows only the changed lines when the whole file was rewritten', async () => {
    const place = await desk({ 'a.txt': 'α\nβ\nγ\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'α\nδ\nγ\n' });
    expect(place.changes.diff(id)?.[0]?.diff).toBe('--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n α\n-β\n+δ\n γ\n');
  });

  it('shows what was created, deleted and moved', async () => {
    const place = await desk({ 'b.txt': 'bye', 'c.txt': 'stay\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'hi\n' }, { remove: 'b.txt' }, { move: 'c.txt', to: 'd.txt' });
    expect(place.changes.diff(id)).toEqual([
      { path: 'a.txt', added: 1, removed: 0, diff: '--- /dev/null\n+++ a.txt\n@@ -0,0 +1,1 @@\n+hi\n' },
      {
        path: 'b.txt',
        added: 0,
        removed: 1,
        diff: '--- b.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-bye\n\\ No newline at end of file\n',
      },
      { path: 'c.txt', movedTo: 'd.txt', added: 0, removed: 0, diff: 'rename from c.txt\nrename to d.txt\n' },
    ]);
  });

  it('marks binary bytes', async () => {
    const place = await desk({ 'a.bin': Buffer.from([1, 0, 2, 3]) });
    const id = place.commit({ edit: 'a.bin', splices: [{ start: 2, end: 3, bytes: Buffer.of(9, 9) }] });
    expect(place.changes.diff(id)?.[0]?.diff).toBe('--- a.bin\n+++ a.bin\n@@ at byte 2 @@\nbinary: 1 bytes become 2\n');
  });

  it('shows a part of an over-long line without an end-of-file mark', async () => {
    const place = await desk({ 'a.txt': 'x'.repeat(40_000) });
    const id = place.commit({ edit: 'a.txt', splices: [{ start: 20_000, end: 20_001, bytes: Buffer.from('Y') }] });
    const part = 'x'.repeat(64);
    expect(place.changes.diff(id)?.[0]?.diff).toBe(
      `--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-${part}x${part}\n+${part}Y${part}\n`,
    );
  });

  it('has no line numbers for a big file, and costs little', async () => {
    const place = await desk({ 'big.txt': lines(300_000) });
    const id = place.commit({
      edit: 'big.txt',
      splices: [{ start: 3_000_000, end: 3_000_001, bytes: Buffer.from('X') }],
    });
    const [log] = [join(place.stateDir, 'changes')];
    const size = sizeOfFolder(log);
    expect(size).toBeLessThan(1000);
    expect(place.changes.diff(id)?.[0]).toMatchObject({
      added: 1,
      removed: 1,
      diff: expect.stringMatching(/@@ near byte \d+ @@/),
    });
    expect(place.changes.undo()).toMatchObject({ ok: true });
    expect(place.text('big.txt')).toBe(lines(300_000));
  });
});

describe('undo', () => {
  it('undoes the newest change in effect, with modes and moves', async () => {
    const place = await desk({ 'run.sh': '#!/bin/sh\n', 'a.txt': 'a\n', 'over.txt': 'over\n' });
    chmodSync(join(place.root, 'run.sh'), 0o755);
    const id = place.commit({ remove: 'run.sh' }, { move: 'a.txt', to: 'over.txt' });
    const outcome = place.changes.undo();
    expect(outcome).toMatchObject({ ok: true, changes: [{ id }], already: [] });
    const modes = ['run.sh', 'a.txt', 'over.txt'].map((name) => statSync(join(place.root, name)).mode & 0o777);
    expect([...modes, place.text('a.txt'), place.text('over.txt')]).toEqual([0o755, 0o644, 0o644, 'a\n', 'over\n']);
    expect(place.changes.list().map(({ state, undoes }) => ({ state, undoes }))).toEqual([
      { state: 'done', undoes: [id] },
      { state: 'undone', undoes: undefined },
    ]);
  });

  it('is refused when another program changed the file, and shows all three states', async () => {
    const place = await desk({ 'a.txt': 'one\ntwo\nthree\n' });
    const id = place.commit({ edit: 'a.txt', splices: at('one\ntwo\nthree\n', 'two', 'TWO') });
    writeFileSync(join(place.root, 'a.txt'), 'one\nTWO\nthree\nfour\n');
    expect(place.changes.undo()).toEqual({
      ok: false,
      reason: 'changed-since',
      message: `a.txt was changed since ${id} by another program; nothing was undone`,
      hint: 'compare the content after the change with the current content, and change the file by hand',
      conflicts: [
        {
          path: 'a.txt',
          change: id,
          leftAs: '14 bytes',
          isNow: '19 bytes',
          wouldBecome: '14 bytes',
          later: [],
          since: '--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n one\n TWO\n three\n+four\n',
          back: '--- a.txt\n+++ a.txt\n@@ -1,4 +1,3 @@\n one\n-TWO\n+two\n three\n-four\n',
        },
      ],
    });
    expect(place.text('a.txt')).toBe('one\nTWO\nthree\nfour\n');
    expect(place.changes.list()[0]).toMatchObject({ id, state: 'done' });
  });

  it('names the later change to undo first, and undoes both together', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const first = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const second = place.commit({ write: 'a.txt', bytes: 'three\n' });
    expect(place.changes.undo([first])).toMatchObject({
      ok: false,
      reason: 'changed-since',
      message: `a.txt was changed since ${first} by ${second}; nothing was undone`,
      hint: `undo ${second} first`,
      conflicts: [{ later: [second], since: '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-two\n+three\n' }],
    });
    expect(place.changes.undo([first, second])).toMatchObject({ ok: true, changes: [{ id: second }, { id: first }] });
    expect(place.text('a.txt')).toBe('one\n');
  });

  it('changes nothing when one of many files was changed', async () => {
    const place = await desk({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    place.commit({ write: 'a.txt', bytes: 'A\n' }, { write: 'b.txt', bytes: 'B\n' });
    writeFileSync(join(place.root, 'b.txt'), 'foreign\n');
    expect(place.changes.undo()).toMatchObject({ ok: false, conflicts: [{ path: 'b.txt' }] });
    expect([place.text('a.txt'), place.text('b.txt')]).toEqual(['A\n', 'foreign\n']);
  });

  it.each([
    ['a longer file', lines(1000)],
    ['a file too big to be hashed', lines(300_000)],
  ])('detects another change of the same size elsewhere in %s', async (_what, text) => {
    const place = await desk({ 'a.txt': text });
    place.commit({ edit: 'a.txt', splices: at(text, 'line 20\n', 'line xx\n') });
    const left = place.text('a.txt');
    writeFileSync(join(place.root, 'a.txt'), left.replace('line 500\n', 'line 5oo\n'));
    utimesSync(join(place.root, 'a.txt'), new Date(), new Date(Date.now() + 10_000));
    expect(place.changes.undo()).toMatchObject({ ok: false, reason: 'changed-since' });
  });

  it('keeps a file that another program created in place of the deleted one', async () => {
    const place = await desk({ 'a.txt': 'a\n' });
    const id = place.commit({ remove: 'a.txt' });
    mkdirSync(join(place.root, 'a.txt'));
    expect(place.changes.undo()).toMatchObject({
      ok: false,
      message: `a.txt was changed since ${id} by another program; nothing was undone`,
      conflicts: [{ leftAs: 'no file', isNow: 'a folder', wouldBecome: '2 bytes' }],
    });
  });

  it('does not remove a created file that was changed since', async () => {
    const place = await desk({});
    place.commit({ write: 'new.txt', bytes: 'mine\n' });
    writeFileSync(join(place.root, 'new.txt'), 'mine\nand yours\n');
    expect(place.changes.undo()).toMatchObject({ ok: false, conflicts: [{ wouldBecome: 'no file' }] });
    expect(place.text('new.txt')).toBe('mine\nand yours\n');
  });

  it('does not remove a large file of the same size from another program, whatever its mtime', async () => {
    const place = await desk({});
    place.commit({ write: 'big', bytes: Buffer.alloc(3 << 20, 'x') });
    writeFileSync(join(place.root, 'big'), Buffer.alloc(3 << 20, 'y'));
    utimesSync(join(place.root, 'big'), 1, 1);
    expect(place.changes.undo()).toMatchObject({ ok: false, reason: 'changed-since' });
    expect(place.text('big').slice(0, 3)).toBe('yyy');
  });

  it('restores a file together with its folders', async () => {
    const place = await desk({ 'sub/deep/a.txt': 'a\n' });
    place.commit({ remove: 'sub/deep/a.txt' });
    rmSync(join(place.root, 'sub'), { recursive: true });
    expect(place.changes.undo()).toMatchObject({ ok: true });
    expect(place.text('sub/deep/a.txt')).toBe('a\n');
  });

  it('does not follow a link that replaced a folder', async () => {
    const place = await desk({ 'sub/a.txt': 'a\n', 'other/a.txt': 'A\n' });
    const outside = join(place.root, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a.txt'), 'A\n');
    place.commit({ write: 'sub/a.txt', bytes: 'A\n' });
    rmSync(join(place.root, 'sub'), { recursive: true });
    symlinkSync('other', join(place.root, 'sub'));
    expect(place.changes.undo()).toMatchObject({
      ok: false,
      reason: 'changed-since',
      conflicts: [{ isNow: `reached through a symlink, as ${join(place.root, 'other/a.txt')}` }],
    });
    rmSync(join(place.root, 'sub'));
    symlinkSync(outside, join(place.root, 'sub'));
    expect(faultOf(() => place.changes.undo()).code).toBe('FS_OUTSIDE_WORKSPACE');
    expect([place.text('other/a.txt'), place.text('../outside/a.txt')]).toEqual(['A\n', 'A\n']);
  });

  it('succeeds when the files already have their old content', async () => {
    const place = await desk({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const id = place.commit({ write: 'a.txt', bytes: '1\n' }, { write: 'c.txt', bytes: 'c\n' });
    writeFileSync(join(place.root, 'a.txt'), 'one\n');
    rmSync(join(place.root, 'c.txt'));
    expect(place.changes.undo()).toEqual({
      ok: true,
      id: expect.any(String),
      changes: [expect.objectContaining({ id })],
      written: [],
      already: ['c.txt', 'a.txt'],
      diffs: [],
    });
    expect(place.changes.undo()).toMatchObject({ ok: false, reason: 'nothing-to-do' });
  });

  it('does not skip a file whose old content a later change restored', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const first = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const second = place.commit({ write: 'a.txt', bytes: 'one\n' });
    expect(place.changes.undo([first])).toMatchObject({ ok: false, hint: `undo ${second} first` });
    expect([place.changes.undo().ok, place.changes.undo().ok, place.text('a.txt')]).toEqual([true, true, 'one\n']);
  });

  it('finds nothing to do for a change whose process died before it was made', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const recorder = changeRecorder({
      stateDir: place.stateDir,
      workspace: place.root,
      author: { agent: 'main', client: 'editor' },
    });
    const source = place.files.openPath('a.txt');
    const record = recorder.begin('edit');
    record.add({ action: 'modify', source, splices: [{ start: 0, end: 3, bytes: Buffer.from('two') }], mode: 0o644 });
    record.publish();
    source.close();
    expect(place.changes.undo()).toMatchObject({ ok: true, written: [], already: ['a.txt'] });
  });

  it('shows in a dry run what it would write, and writes nothing', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: 'two\n' });
    expect(place.changes.undo(undefined, { dryRun: true })).toMatchObject({
      ok: true,
      id: undefined,
      written: [],
      diffs: [{ path: 'a.txt', added: 1, removed: 1, diff: '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-two\n+one\n' }],
    });
    expect([place.text('a.txt'), place.changes.list().length]).toEqual(['two\n', 1]);
  });

  it.each([
    ['an unknown id', () => ['nope'], 'no-such-change', 'no single recorded change has an id that starts with "nope"'],
    ['an empty list', () => [], 'nothing-to-do', 'there is no change to undo'],
  ])('is refused for %s', async (_what, ids, reason, message) => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: 'two\n' });
    expect(place.changes.undo(ids())).toMatchObject({ ok: false, reason, message });
  });

  it('is refused for an undone change and for an undo', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const undo = place.changes.undo();
    expect(place.changes.undo([id])).toMatchObject({
      ok: false,
      reason: 'nothing-to-do',
      message: `${id} is already undone`,
    });
    const undoId = undo.ok ? undo.id! : '';
    expect(place.changes.undo([undoId])).toMatchObject({ ok: false, message: `${undoId} is itself an undo or redo` });
  });
});

describe('redo', () => {
  it('reverses an undo by its own id, by that of the change, or the newest', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'two\n' });
    for (const pick of [(undo: string) => [undo], () => [id], () => undefined]) {
      const undone = place.changes.undo();
      expect([undone.ok, place.text('a.txt')]).toEqual([true, 'one\n']);
      expect(place.changes.redo(pick(undone.ok ? undone.id! : ''))).toMatchObject({ ok: true, changes: [{ id }] });
      expect(place.text('a.txt')).toBe('two\n');
    }
    expect(place.changes.redo([id])).toMatchObject({ ok: false, message: `${id} is not undone` });
  });

  it('redoes what the undo had skipped', async () => {
    const place = await desk({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'd.txt': 'd\n', 'm.txt': 'm\n' });
    place.commit(
      { write: 'a.txt', bytes: '1\n' },
      { write: 'b.txt', bytes: '2\n' },
      { write: 'c.txt', bytes: 'c\n' },
      { remove: 'd.txt' },
      { move: 'm.txt', to: 'n.txt', splices: at('m\n', 'm', 'n') },
    );
    writeFileSync(join(place.root, 'a.txt'), 'one\n');
    rmSync(join(place.root, 'c.txt'));
    writeFileSync(join(place.root, 'd.txt'), 'd\n');
    rmSync(join(place.root, 'n.txt'));
    writeFileSync(join(place.root, 'm.txt'), 'm\n');
    expect(place.changes.undo()).toMatchObject({ ok: true, already: ['m.txt', 'd.txt', 'c.txt', 'a.txt'] });
    expect(place.changes.redo()).toMatchObject({ ok: true, already: [] });
    const stands = readdirSync(place.root).map((name) => [name, place.text(name)]);
    expect(Object.fromEntries(stands)).toEqual({
      '.keep': '',
      'a.txt': '1\n',
      'b.txt': '2\n',
      'c.txt': 'c\n',
      'n.txt': 'n\n',
    });
    expect(place.changes.undo()).toMatchObject({ ok: true, already: [] });
  });

  it('is refused when the undo skipped a file whose content was not kept', async () => {
    const place = await desk({});
    const id = place.commit({ write: 'big', bytes: Buffer.alloc(2 << 20, 'x') });
    rmSync(join(place.root, 'big'));
    expect(place.changes.undo()).toMatchObject({ ok: true, already: ['big'] });
    expect(place.changes.redo()).toMatchObject({
      ok: false,
      reason: 'not-kept',
      message: `${id} cannot be redone: the undo skipped big, which had its old content, and the new one was not kept`,
    });
  });

  it('is refused when the file has changed since', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: 'two\n' });
    place.changes.undo();
    const later = place.commit({ write: 'a.txt', bytes: 'three\n' });
    expect(place.changes.redo()).toMatchObject({ ok: false, reason: 'changed-since', conflicts: [{ later: [later] }] });
    expect(place.text('a.txt')).toBe('three\n');
  });
});

function sizeOfFolder(folder: string): number {
  return readdirRecursive(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

function readdirRecursive(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
