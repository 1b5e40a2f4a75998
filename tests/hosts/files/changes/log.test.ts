import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeRecorder } from '../../../../src/hosts/files/changes/recorder.ts';
import { appendRecord, logFolder, segmentsOf } from '../../../../src/hosts/files/changes/log.ts';
import { encodeRecord, newChangeId } from '../../../../src/hosts/files/changes/record.ts';
import { fixtureProgram } from '../../../support/program.ts';
import { type Desk, desk } from './desk.ts';

const folderOf = ({ stateDir, root }: Desk): string => logFolder(stateDir, root);
const newestLog = (place: Desk): string => segmentsOf(folderOf(place)).at(-1)!.path;
const ids = (place: Desk): string[] => place.changes.list().map(({ id }) => id);

describe('the log', () => {
  it('keeps only as many whole files of one change as fit, and can undo all of them', async () => {
    const text = 'line\n'.repeat(200_000);
    const names = Array.from({ length: 20 }, (_, i) => `${i}.txt`);
    const place = await desk(Object.fromEntries(names.map((name) => [name, text])));
    const bytes = Buffer.from('first');
    const splices = Array.from({ length: 1000 }, (_, i) => ({ start: i * 1000, end: i * 1000 + 4, bytes }));
    place.commit(...names.map((name) => ({ edit: name, splices })));
    const { size } = statSync(newestLog(place));
    expect([names.length * text.length > 19 << 20, size > 15 << 20, size < 18 << 20]).toEqual([true, true, true]);
    expect(place.changes.undo()).toMatchObject({ ok: true });
    expect(names.filter((name) => place.text(name) !== text)).toEqual([]);
  });

  it('undoes a change with many splices, some of which change nothing', async () => {
    const text = Array.from({ length: 400 }, (_, i) => `line ${i}\n`).join('');
    const place = await desk({ 'a.txt': text, 'b.txt': text });
    const splices = Array.from({ length: 200 }, (_, i) => {
      const start = text.indexOf(`line ${i * 2}\n`);
      const old = `line ${i * 2}\n`;
      return { start, end: start + old.length, bytes: Buffer.from(i % 3 === 0 ? old : `LINE ${i * 2}\n`) };
    });
    const id = place.commit({ edit: 'a.txt', splices }, { edit: 'b.txt', splices });
    const [diff] = place.changes.diff(id)!;
    expect(diff!.diff.match(/^-line \d+$/gmu)).toHaveLength(133);
    expect(place.changes.undo()).toMatchObject({ ok: true });
    expect([place.text('a.txt'), place.text('b.txt')]).toEqual([text, text]);
  });

  it('is private to the user', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: 'two\n' });
    const modes = [join(place.stateDir, 'changes'), folderOf(place), newestLog(place)].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it('skips a torn record and reads the ones after it', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const first = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const whole = statSync(newestLog(place)).size;
    place.commit({ write: 'a.txt', bytes: 'three\n' });
    const both = statSync(newestLog(place)).size;
    for (let size = both - 1; size > whole; size -= 7) {
      truncateSync(newestLog(place), size);
      expect(ids(place)).toEqual([first]);
    }
    truncateSync(newestLog(place), whole + 30);
    writeFileSync(join(place.root, 'a.txt'), 'two\n');
    const second = place.commit({ write: 'a.txt', bytes: 'four\n' });
    expect(ids(place)).toEqual([second, first]);
    expect([place.changes.undo().ok, place.changes.undo().ok, place.text('a.txt')]).toEqual([true, true, 'one\n']);
  });

  it('does not mistake the content of a file for a record', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const first = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const forged = encodeRecord(
      'guessed',
      { ...newChangeId(), workspace: place.root, agent: 'main', tool: 'edit' },
      [],
    );
    const second = place.commit({ write: 'b.txt', bytes: Buffer.concat([Buffer.from('\n'), forged, forged]) });
    appendFileSync(newestLog(place), forged);
    const third = place.commit({ write: 'a.txt', bytes: 'three\n' });
    expect(ids(place)).toEqual([third, second, first]);
  });

  it.each([4, 3 << 20])('refuses to undo a change of %i bytes whose record is damaged', async (size) => {
    const place = await desk({ 'a.txt': Buffer.alloc(size, 65) });
    const id = place.commit({ remove: 'a.txt' });
    const bytes = readFileSync(newestLog(place));
    bytes[bytes.length - 3] = bytes[bytes.length - 3]! ^ 1;
    writeFileSync(newestLog(place), bytes);
    expect(place.changes.undo()).toMatchObject({
      ok: false,
      reason: 'not-kept',
      message: `${id} cannot be undone: its record is damaged`,
    });
  });

  it('continues in the next segment and removes the oldest', async () => {
    const limits = { segmentBytes: 2000, totalBytes: 12_000 };
    const place = await desk({}, { limits });
    const all = Array.from({ length: 60 }, (_, i) => place.commit({ write: `${i}.txt`, bytes: `${i}\n`.repeat(40) }));
    const sizes = readdirSync(folderOf(place)).map((name) => statSync(join(folderOf(place), name)).size);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limits.totalBytes + 1000);
    const left = ids(place);
    expect(left.length).toBeLessThan(60);
    expect(left).toEqual(all.toReversed().slice(0, left.length));
    expect(place.changes.undo()).toMatchObject({ ok: true, changes: [{ id: all.at(-1) }] });
  });

  it('keeps the workspaces of one state folder apart', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: 'two\n' });
    const foreign = { ...newChangeId(), workspace: '/elsewhere', agent: 'main', tool: 'edit' };
    appendRecord(place.stateDir, place.root, (word) => encodeRecord(word, foreign, []));
    expect(place.changes.list()).toHaveLength(1);
  });
});

describe('a change that cannot be kept', () => {
  it('is listed with the reason, and the write succeeds', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    symlinkSync(Buffer.from([0xff]), join(place.root, 'link'));
    const id = place.commit({ remove: 'link' });
    const notKept = `the target of the symlink ${join(place.root, 'link')} was not valid UTF-8`;
    expect(place.changes.list()).toMatchObject([{ id, state: 'not-kept', notKept }]);
    expect(place.changes.undo()).toMatchObject({
      ok: false,
      reason: 'not-kept',
      message: `${id} cannot be undone: ${notKept}`,
    });
  });

  it('is one of more than 64 MB', async () => {
    const place = await desk({ 'big.bin': Buffer.alloc((64 << 20) + 1) });
    place.commit({ remove: 'big.bin' });
    expect(place.changes.list()).toMatchObject([
      {
        state: 'not-kept',
        notKept: 'it has more than 64 MB',
        files: [{ action: 'delete', path: 'big.bin', bytesBefore: (64 << 20) + 1 }],
      },
    ]);
    expect(statSync(newestLog(place)).size).toBeLessThan(1000);
  });

  it('is withdrawn when it did not happen', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const recorder = changeRecorder({
      stateDir: place.stateDir,
      workspace: place.root,
      author: { agent: 'main', client: 'editor' },
    });
    const record = recorder.begin('edit');
    record.add({ action: 'add', file: place.files.placeOf('n.txt').file, bytes: Buffer.from('n'), mode: 0o644 });
    record.publish();
    expect(place.changes.list()).toHaveLength(1);
    record.withdraw();
    record.withdraw();
    expect(place.changes.list()).toEqual([]);
    expect(place.changes.undo()).toMatchObject({ ok: false, reason: 'nothing-to-do' });
  });

  it('does not fail the write, and the next record reports the loss', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: 'two\n' });
    const writer = await place.files.writer('write');
    const create = (name: string) =>
      writer.commit([{ file: place.files.placeOf(name).file, create: Buffer.from('x') }]);
    renameSync(folderOf(place), `${folderOf(place)}.away`);
    writeFileSync(folderOf(place), 'in the way');
    create('b.txt');
    rmSync(folderOf(place));
    renameSync(`${folderOf(place)}.away`, folderOf(place));
    expect([place.text('b.txt'), ids(place).length]).toEqual(['x', 1]);
    create('c.txt');
    create('d.txt');
    const log = readFileSync(newestLog(place), 'latin1');
    expect([ids(place).length, log.split('"lost":"ENOTDIR: not a directory"').length]).toEqual([3, 2]);
  });

  it('does not fail the write when a file is in place of the folder', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    mkdirSync(place.stateDir, { mode: 0o700 });
    writeFileSync(join(place.stateDir, 'changes'), 'in the way');
    const { file, stamp } = place.files.placeOf('a.txt');
    (await place.files.writer('edit')).commit([
      { file, stamp: stamp!, edit: { splices: [{ start: 0, end: 3, bytes: Buffer.from('two') }] } },
    ]);
    expect(place.text('a.txt')).toBe('two\n');
  });
});

describe('processes that record at the same time', () => {
  const program = fixtureProgram('change-recorder');

  it('never mix their records', async () => {
    const place = await desk({});
    const agents = ['ann', 'bob', 'cid', 'dee'];
    const ended = await Promise.all(agents.map((agent) => program.run(place.root, place.stateDir, agent, '60')));
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(agents.map(() => ({ code: 0, stderr: '' })));
    const listed = place.changes.list();
    const expected = agents.flatMap((agent) => Array.from({ length: 60 }, (_, i) => `${agent}-${59 - i}.txt`));
    expect(
      agents.flatMap((agent) =>
        listed.filter((change) => change.agent === agent).flatMap(({ files }) => files.map(({ path }) => path)),
      ),
    ).toEqual(expected);
    expect(
      place.changes.undo(
        listed.map(({ id }) => id),
        { operator: true },
      ),
    ).toMatchObject({ ok: true });
    expect(readdirSync(place.root)).toEqual(['.keep']);
  });

  it('undo one change each', async () => {
    const place = await desk({ 'a.txt': '0\n' });
    const all = Array.from({ length: 6 }, (_, i) =>
      place.commit({ write: 'a.txt', bytes: `${i + 1}\n`.repeat(i + 2) }),
    );
    const ended = await Promise.all(all.map(() => program.run(place.root, place.stateDir, 'main', 'undo')));
    expect(ended.map(({ stdout, stderr }) => stdout + stderr).sort()).toEqual(all.toSorted());
    expect(place.text('a.txt')).toBe('0\n');
  });
});
