/** What a hostile neighbour reaches who swaps, links or shuts what a write is about to use. */
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commit } from '../../../../src/hosts/files/batch/commit.ts';
import { localFiles } from '../../../../src/hosts/files/files.ts';
import { openContent } from '../../../../src/hosts/files/write/staged-content.ts';
import { overwrite } from '../../../../src/hosts/files/write/in-place.ts';
import { sameStamp } from '../../../../src/hosts/files/stamp.ts';
import { newJournalId, writeJournal } from '../../../../src/hosts/files/batch/journal.ts';
import { leftovers } from '../../../../src/hosts/files/batch/leftovers.ts';
import type { RecordedStep } from '../../../../src/hosts/files/changes/recorder-shape.ts';
import { recover } from '../../../../src/hosts/files/batch/recover.ts';
import type { WriteOptions } from '../../../../src/hosts/files/write/write-options.ts';
import type { FileChange, Located, Stamp } from '../../../../src/hosts/files/shape.ts';
import { watchingCalls } from '../../../support/failing-fs.ts';
import { faultOf } from '../../../support/fault.ts';
import { makeFolder } from '../../../support/folder.ts';
import { withoutPrivilege } from '../../../support/privilege.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const isRoot = process.getuid?.() === 0;
const DEAD = 4_194_303; // above what Linux gives out by default, so nobody has it
const WORD = 'mi0abcde0123456789';

function start(given: Readonly<Record<string, string>>, options: Partial<WriteOptions> = {}) {
  const top = makeFolder(Object.fromEntries(Object.entries(given).map(([name, text]) => [`ws/${name}`, text])));
  const ws = join(top, 'ws');
  const stateDir = join(top, 'state');
  writeFileSync(join(top, 'secret'), 'secret');
  const files = localFiles({ cwd: ws, stateDir });
  const at = (name: string): { readonly file: Located; readonly stamp: Stamp } => {
    const { file, stamp } = files.placeOf(name, 'itself');
    return { file, stamp: stamp! };
  };
  const write = (...changes: readonly FileChange[]) => commit(changes, { stateDir, ...options });
  return { top, ws, stateDir, at, write, read: (name: string) => readFileSync(join(ws, name), 'utf8') };
}

const edit = { splices: [{ start: 0, end: 1, bytes: bytesOf('new') }] };
const tempIn = (folder: string): string | undefined => readdirSync(folder).find((name) => name.includes('.pincer-'));

describe('a temporary file that another process replaces', () => {
  it.each([
    ['an edit', ['a']],
    ['a batch', ['a', 'b']],
  ])('with a link does not become the target in %s', (_what, names) => {
    const { top, ws, stateDir, at, write, read } = start({ a: 'a', b: 'b' });
    const swap = (name: string): void => {
      const temp = tempIn(ws);
      if (name !== 'renameSync' || temp === undefined || lstatSync(join(ws, temp)).isSymbolicLink()) return;
      rmSync(join(ws, temp));
      symlinkSync(join(top, 'secret'), join(ws, temp));
    };
    // The swap comes with the first renaming: of the journal, so before the last look at the unfinished file, or of
    // the file itself, so after it; then only the truth can be told.
    const fault = faultOf(() => watchingCalls(swap, () => write(...names.map((name) => ({ ...at(name), edit })))));
    expect(fault.code).toBe('FS_CHANGED');
    if (names.length > 1) expect([read('a'), read('b'), leftovers(stateDir)]).toEqual(['a', 'b', []]);
    expect(readFileSync(join(top, 'secret'), 'utf8')).toBe('secret');
  });

  it('is detected before a new file is renamed', () => {
    const { ws, at, write } = start({ a: 'a' });
    const swap = (name: string): void => {
      if (name !== 'fsyncSync') return;
      const temp = tempIn(ws);
      if (temp === undefined) return;
      rmSync(join(ws, temp));
      writeFileSync(join(ws, temp), 'a fake');
    };
    expect(faultOf(() => watchingCalls(swap, () => write({ file: at('c').file, create: bytesOf('c') }))).code).toBe(
      'FS_CHANGED',
    );
    expect(readdirSync(ws)).toEqual(['a']);
  });

  it.each([
    ['a link', (path: string, top: string) => symlinkSync(join(top, 'secret'), path)],
    ['a named pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a second name of an outside file', (path: string, top: string) => linkSync(join(top, 'secret'), path)],
    ['another file', (path: string) => writeFileSync(path, 'secreT')],
    ['nothing', () => undefined],
  ])('is not opened when it is %s', (_what, plant) => {
    const { top, ws } = start({ a: 'old' });
    const path = join(ws, 'temp');
    plant(path, top);
    const fault = faultOf(() => openContent({ path, size: 6, ino: 1n }, 'a'));
    expect([fault.code, fault.message]).toEqual([
      'FS_CHANGED',
      'another program replaced the temporary file for a; nothing was written',
    ]);
  });
});

it('a file that changed since it was read is not written in place', () => {
  const { ws, at, read } = start({ a: 'old', new: 'new' });
  const { stamp } = at('a');
  writeFileSync(join(ws, 'a'), 'foreign');
  const content = { path: join(ws, 'new'), size: 3 };
  const place = { target: join(ws, 'a'), name: 'a', content, backup: join(ws, 'backup') };
  expect(faultOf(() => overwrite(place, (now) => sameStamp(now, stamp), true)).code).toBe('FS_CHANGED');
  expect([read('a'), readdirSync(ws)]).toEqual(['foreign', ['a', 'new']]);
});

it.skipIf(!isRoot)('a new file is never setuid (only root creates files of others)', () => {
  const { ws, at, write } = start({ a: 'a', b: 'b' });
  write({ file: at('alone').file, create: bytesOf(''), mode: 0o4755 });
  write({ file: at('both').file, create: bytesOf(''), mode: 0o6755 }, { ...at('b'), edit });
  expect(['alone', 'both'].map((name) => statSync(join(ws, name)).mode & 0o7777)).toEqual([0o755, 0o755]);
});

describe('a batch whose removal fails', () => {
  it.skipIf(!isRoot).each([
    ['', false],
    [', after a move out of the same folder', true],
  ])('changes nothing%s (only root can drop root)', (_when, moves) => {
    const { top, ws, stateDir, at, write, read } = start({ a: 'a', 'shut/b': 'b', 'shut/c': 'c', d: 'd' });
    const changes: FileChange[] = [
      { ...at('a'), edit },
      { ...at('d'), remove: true },
      { ...at('shut/b'), remove: true },
      ...(moves ? [{ ...at('shut/c'), moveTo: at('moved').file }] : []),
      { file: at('made/e').file, create: bytesOf('e') },
    ];
    mkdirSync(stateDir, { mode: 0o700 });
    for (const path of [stateDir, top, ws, join(ws, 'a'), join(ws, 'd'), join(ws, 'shut/b'), join(ws, 'shut/c')])
      chownSync(path, 65_534, 65_534);
    chmodSync(join(ws, 'shut'), 0o555);
    const stamped = changes.map((change) =>
      'create' in change ? change : { ...change, stamp: at(change.file.path.slice(ws.length + 1)).stamp },
    );
    const fault = withoutPrivilege(() => faultOf(() => write(...stamped)));
    expect(fault.code).toBe('FS_WRITE_FAILED');
    expect([readdirSync(ws), readdirSync(join(ws, 'shut')), read('a'), leftovers(stateDir)]).toEqual([
      ['a', 'd', 'shut'],
      ['b', 'c'],
      'a',
      [],
    ]);
    expect(statSync(join(ws, 'shut/c')).nlink).toBe(1);
  });

  it('is completed by recovery when its process dies with the file set aside', () => {
    const { ws, stateDir, at } = start({ a: 'a', b: 'b' });
    const aside = `.a.${DEAD}.${WORD}.pincer-batch`;
    const { file, stamp: old } = at('a');
    renameSync(join(ws, 'a'), join(ws, aside));
    writeFileSync(join(ws, 'a'), 'made later by somebody else');
    writeJournal(stateDir, newJournalId().replace(/^\d+/u, String(DEAD)), [{ do: 'drop', file, old, aside }]);
    expect(recover({ stateDir })).toEqual({ completed: [join(ws, 'a')], conflicts: [], failed: [] });
    expect(readdirSync(ws)).toEqual(['a', 'b']);
  });
});

describe('recovery of a file that was written in place', () => {
  const staged = 'content.staged';
  const cases = [
    ['has its old bytes', 'old bytes', undefined, 'completed', 'new'],
    ['was cut short', 'new bytes', 'old bytes', 'completed', 'new'],
    ['has its new bytes', 'new', undefined, 'completed', 'new'],
    ['was written by another program since', 'work of others', undefined, 'conflicts', 'work of others'],
    ['was written by another program after an interruption', 'worktes', 'old bytes', 'conflicts', 'worktes'],
  ] as const;
  it.each(cases)('finds one that %s', (_what, now, backup, fate, wanted) => {
    const { top, ws, stateDir, at, read } = start({ a: 'old bytes' });
    const { file, stamp: old } = at('a');
    mkdirSync(join(stateDir, 'staged'), { recursive: true, mode: 0o700 });
    chmodSync(stateDir, 0o700);
    writeFileSync(join(stateDir, 'staged', staged), 'new');
    if (backup !== undefined) writeFileSync(join(stateDir, 'staged', `${staged}.old`), backup);
    if (now !== 'old bytes') writeFileSync(join(ws, 'a'), now);
    const id = newJournalId().replace(/^\d+/u, String(DEAD));
    writeJournal(stateDir, id, [{ do: 'fill', file, old, staged, size: 3 }]);
    const none = { completed: [], conflicts: [], failed: [] };
    expect(recover({ stateDir })).toEqual({ ...none, [fate]: [join(ws, 'a')] });
    const kept = [`${staged}.kept`, ...(backup === undefined ? [] : [`${staged}.old.kept`])].sort();
    expect([read('a'), readdirSync(join(top, 'state/staged')).sort()]).toEqual([
      wanted,
      fate === 'conflicts' ? kept : [],
    ]);
  });
});

it('a link whose target is not UTF-8 is removed without being recorded, because it would be restored with another target', () => {
  const steps: RecordedStep[] = [];
  const record = () => ({ add: (step: RecordedStep) => void steps.push(step), publish() {}, withdraw() {} });
  const { ws, stateDir } = start({ a: 'a' }, { record });
  symlinkSync(Buffer.from([0x67, 0xff]), join(ws, 'odd'));
  const { file, stamp } = localFiles({ cwd: ws, stateDir }).placeOf('odd', 'itself');
  commit([{ file, stamp: stamp!, remove: true }], { stateDir, record });
  const unkept = `the target of the symlink ${join(ws, 'odd')} was not valid UTF-8`;
  expect([steps, readdirSync(ws)]).toEqual([[{ action: 'delete', file, unkept, mode: 0o777 }], ['a']]);
});

describe('a file with hard links', () => {
  it.each([
    ['alone', []],
    ['in a batch', ['b']],
  ])('is removed %s without recording its content, if it may not be read', (_how, more) => {
    const steps: RecordedStep[] = [];
    const record = () => ({ add: (step: RecordedStep) => void steps.push(step), publish() {}, withdraw() {} });
    const { top, ws, at, write } = start({ a: 'a', b: 'b' }, { hardLinks: 'refuse', record });
    linkSync(join(top, 'secret'), join(ws, 'hard'));
    write({ ...at('hard'), remove: true }, ...more.map((name) => ({ ...at(name), edit })));
    expect(steps[0]).toEqual({
      action: 'delete',
      file: at('hard').file,
      unkept: `${join(ws, 'hard')} had 2 hard links`,
      mode: statSync(join(top, 'secret')).mode & 0o7777,
    });
    expect(readdirSync(ws)).toEqual(['a', 'b']);
  });

  it('is read when the second link is the temporary name of a dead writer', () => {
    const { ws, stateDir } = start({ a: 'a', b: 'b' });
    const files = localFiles({ cwd: ws, stateDir, hardLinks: 'refuse' });
    const left = `.a.${DEAD}.${WORD}.pincer-tmp`;
    linkSync(join(ws, 'a'), join(ws, left));
    linkSync(join(ws, 'b'), join(ws, 'second'));
    execFileSync('touch', ['-d', '1 hour ago', join(ws, 'a')]);
    const open = files.openPath('a');
    open.close();
    expect(faultOf(() => files.openPath('b')).code).toBe('FS_HARD_LINKED');
    expect(readdirSync(ws)).toEqual(['a', 'b', 'second']);
  });
});

it.each([`.a.${DEAD}.${WORD}.pincer-tmp`, '.a.1.x.pincer-batch', '.A.1.x.PINCER-TMP'])(
  'the reserved name %s is neither created, moved to nor removed',
  (name) => {
    const { ws, at, write } = start({ a: 'a', [name]: 'left' });
    const there = at(name);
    const protectedFrom = (change: FileChange) => faultOf(() => write(change)).code;
    expect([
      protectedFrom({ file: there.file, create: bytesOf('') }),
      protectedFrom({ ...at('a'), moveTo: there.file, over: there.stamp }),
      protectedFrom({ ...there, remove: true }),
      protectedFrom({ ...there, edit }),
    ]).toEqual(['FS_PROTECTED', 'FS_PROTECTED', 'FS_PROTECTED', 'FS_PROTECTED']);
    expect(readdirSync(ws).sort()).toEqual([name, 'a'].sort());
  },
);

it('a named pipe is refused without opening it', () => {
  const { ws, stateDir } = start({ a: 'a' });
  execFileSync('mkfifo', [join(ws, 'pipe')]);
  const files = localFiles({ cwd: ws, stateDir });
  const opened: string[] = [];
  const note = (name: string): void => void opened.push(name);
  const before = watchingCalls(note, () => faultOf(() => files.openPath('pipe')).code);
  expect([before, opened]).toEqual(['FS_NOT_REGULAR', []]);
});
