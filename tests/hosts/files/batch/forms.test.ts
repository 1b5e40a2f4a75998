/** The forms of a change: create, remove, move, each alone and in a batch. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/base/fault.ts';
import { commit } from '../../../../src/hosts/files/batch/commit.ts';
import { localFiles } from '../../../../src/hosts/files/files.ts';
import { newJournalId, writeIntent } from '../../../../src/hosts/files/batch/journal.ts';
import { leftovers } from '../../../../src/hosts/files/batch/leftovers.ts';
import { recover } from '../../../../src/hosts/files/batch/recover.ts';
import type { WriteOptions } from '../../../../src/hosts/files/write/write-options.ts';
import type { FileChange, Located, Stamp, Written } from '../../../../src/hosts/files/shape.ts';
import { withFailure } from '../../../support/failing-fs.ts';
import { faultOf } from '../../../support/fault.ts';
import { makeFolder } from '../../../support/folder.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const isRoot = process.getuid?.() === 0;

interface Setting {
  readonly ws: string;
  readonly top: string;
  at(name: string): { readonly file: Located; readonly stamp: Stamp };
  commit(...changes: readonly FileChange[]): readonly Written[];
  tree(): Record<string, string>;
}

function start(given: Readonly<Record<string, string>>, options: Partial<WriteOptions> = {}): Setting {
  const top = makeFolder(Object.fromEntries(Object.entries(given).map(([name, text]) => [`ws/${name}`, text])));
  const ws = join(top, 'ws');
  mkdirSync(ws, { recursive: true });
  const stateDir = join(top, 'state');
  const files = localFiles({ cwd: ws, stateDir });
  return {
    ws,
    top,
    at: (name) => {
      const { file, stamp } = files.placeOf(name, 'itself');
      return { file, stamp: stamp! };
    },
    commit: (...changes) => commit(changes, { stateDir, ...options }),
    tree: () => treeOf(ws),
  };
}

/** Every file of a folder with its content; a link with where it leads. */
function treeOf(folder: string, start = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (stats.isDirectory()) {
      tree[`${start}${name}/`] = '';
      Object.assign(tree, treeOf(path, `${start}${name}/`));
    } else tree[start + name] = stats.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8');
  }
  return tree;
}

const others = { 'x.txt': 'x', 'y.txt': 'y' };
/** The same change alone and among others, which take the way with a journal. */
const company = [
  ['alone', []],
  ['in a batch', ['x.txt', 'y.txt']],
] as const;

const edits = (setting: Setting, names: readonly string[]): FileChange[] =>
  names.map((name) => ({ ...setting.at(name), edit: { splices: [{ start: 1, end: 1, bytes: bytesOf('!') }] } }));
const othersNow = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(others).map(([name, text]) => [name, names.includes(name) ? `${text}!` : text]));

describe.each(company)('%s', (_how, names) => {
  it('a file is created with its folders and the default mode', () => {
    const setting = start(others);
    const { file } = setting.at('a/b/new.txt');
    expect(setting.commit({ file, create: bytesOf('text') }, ...edits(setting, names))[0]).toEqual({
      path: join(setting.ws, 'a/b/new.txt'),
      size: 4,
      changed: true,
    });
    expect(setting.tree()).toEqual({ 'a/': '', 'a/b/': '', 'a/b/new.txt': 'text', ...othersNow(names) });
    const { mode, nlink } = statSync(join(setting.ws, 'a/b/new.txt'));
    expect([mode & 0o7777, nlink]).toEqual([0o666 & ~process.umask(), 1]);
  });

  it('a file is created with the requested mode', () => {
    const setting = start(others);
    setting.commit({ file: setting.at('run.sh').file, create: bytesOf(''), mode: 0o755 }, ...edits(setting, names));
    expect(statSync(join(setting.ws, 'run.sh')).mode & 0o7777).toBe(0o755);
  });

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'there')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a dangling link', (path: string) => symlinkSync('nowhere', path)],
  ])('nothing is created over %s', (_what, put) => {
    const setting = start(others);
    const { file } = setting.at('new/a.txt');
    mkdirSync(join(setting.ws, 'new'));
    put(join(setting.ws, 'new/a.txt'));
    const before = setting.tree();
    const fault = faultOf(() => setting.commit({ file, create: bytesOf('mine') }, ...edits(setting, names)));
    expect(fault.code).toBe('FS_EXISTS');
    expect(setting.tree()).toEqual(before);
  });

  it('nothing is created below a file, and no folder stays', () => {
    const setting = start({ ...others, 'a/keep': '' });
    const { file } = setting.at('a/b/c/new.txt');
    writeFileSync(join(setting.ws, 'a/b'), 'a file now');
    expect(faultOf(() => setting.commit({ file, create: bytesOf('') }, ...edits(setting, names))).code).toMatch(
      /^FS_(?:NOT_FOLDER|NOT_FOUND)$/u,
    );
    expect(setting.tree()).toEqual({ 'a/': '', 'a/b': 'a file now', 'a/keep': '', ...othersNow([]) });
  });

  it('a file and a link are removed, and the target of the link stays', () => {
    const setting = start({ ...others, 'old.txt': 'old', 'target.txt': 'target' });
    symlinkSync('target.txt', join(setting.ws, 'link'));
    setting.commit({ ...setting.at('old.txt'), remove: true }, ...edits(setting, names));
    setting.commit({ ...setting.at('link'), remove: true });
    expect(setting.tree()).toEqual({ 'target.txt': 'target', ...othersNow(names) });
  });

  it('neither a folder nor a changed file is removed', () => {
    const setting = start({ ...others, 'd/x': 'x', 'old.txt': 'old' });
    const folder = setting.at('d');
    expect(faultOf(() => setting.commit({ ...folder, remove: true }, ...edits(setting, names))).code).toBe(
      'FS_NOT_REGULAR',
    );
    const old = setting.at('old.txt');
    writeFileSync(join(setting.ws, 'old.txt'), 'foreign');
    expect(faultOf(() => setting.commit({ ...old, remove: true }, ...edits(setting, names))).code).toBe('FS_CHANGED');
    expect(setting.tree()).toEqual({ 'd/': '', 'd/x': 'x', 'old.txt': 'foreign', ...othersNow([]) });
  });

  it('a file moves with its inode and mode', () => {
    const setting = start({ ...others, 'run.sh': 'run' });
    chmodSync(join(setting.ws, 'run.sh'), 0o754);
    const { ino } = statSync(join(setting.ws, 'run.sh'));
    setting.commit({ ...setting.at('run.sh'), moveTo: setting.at('bin/run').file }, ...edits(setting, names));
    expect(setting.tree()).toEqual({ 'bin/': '', 'bin/run': 'run', ...othersNow(names) });
    const moved = statSync(join(setting.ws, 'bin/run'));
    expect([moved.ino, moved.mode & 0o777, moved.nlink]).toEqual([ino, 0o754, 1]);
  });

  it('a file moves and changes with its mode', () => {
    const setting = start({ ...others, 'a.txt': 'one two' });
    chmodSync(join(setting.ws, 'a.txt'), 0o755);
    const splices = [{ start: 0, end: 3, bytes: bytesOf('1') }];
    const [written] = setting.commit(
      { ...setting.at('a.txt'), moveTo: setting.at('b.txt').file, splices },
      ...edits(setting, names),
    );
    expect(written).toEqual({ path: join(setting.ws, 'b.txt'), size: 5, changed: true });
    expect(setting.tree()).toEqual({ 'b.txt': '1 two', ...othersNow(names) });
    expect(statSync(join(setting.ws, 'b.txt')).mode & 0o777).toBe(0o755);
  });

  it.each([
    ['', []],
    [' with a change', [{ start: 0, end: 0, bytes: bytesOf('>') }]],
  ] as const)('a move%s replaces only the file that `over` names', (_what, splices) => {
    const setting = start({ ...others, 'a.txt': 'a', 'b.txt': 'b' });
    const [a, b] = [setting.at('a.txt'), setting.at('b.txt')];
    const move = { ...a, moveTo: b.file, splices };
    expect(faultOf(() => setting.commit(move, ...edits(setting, names))).code).toBe('FS_EXISTS');
    expect(setting.tree()).toEqual({ 'a.txt': 'a', 'b.txt': 'b', ...othersNow([]) });
    setting.commit({ ...move, over: b.stamp }, ...edits(setting, names));
    expect(setting.tree()).toEqual({ 'b.txt': splices.length > 0 ? '>a' : 'a', ...othersNow(names) });
  });

  it('a move onto itself loses nothing', () => {
    const setting = start({ ...others, 'a.txt': 'a' });
    const a = setting.at('a.txt');
    expect(setting.commit({ ...a, moveTo: a.file }, ...edits(setting, names))[0]!.changed).toBe(false);
    setting.commit({ ...a, moveTo: a.file, splices: [{ start: 1, end: 1, bytes: bytesOf('b') }] });
    expect(setting.tree()).toEqual({ 'a.txt': 'ab', ...othersNow(names) });
  });

  it.skipIf(!existsSync('/dev/shm'))('a file moves to another disk as a copy with its mode', () => {
    const setting = start({ ...others, 'a.txt': 'a' });
    chmodSync(join(setting.ws, 'a.txt'), 0o640);
    const away = makeFolder();
    execFileSync('rmdir', [away]);
    const target = `/dev/shm/${away.split('/').at(-1)}`;
    const files = localFiles({ cwd: setting.ws, stateDir: join(setting.top, 'state'), workspaceOnly: false });
    try {
      const { file, stamp } = files.placeOf('a.txt');
      commit([{ file, stamp: stamp!, moveTo: files.placeOf(`${target}/a.txt`).file }, ...edits(setting, names)], {
        stateDir: join(setting.top, 'state'),
      });
      expect([readFileSync(`${target}/a.txt`, 'utf8'), statSync(`${target}/a.txt`).mode & 0o777]).toEqual(['a', 0o640]);
      expect(setting.tree()).toEqual(othersNow(names));
    } finally {
      execFileSync('rm', ['-r', target]);
    }
  });
});

describe('a file with hard links', () => {
  it('is written in place with `in-place`, and all its links have the new bytes', () => {
    const setting = start({ 'a.txt': 'one two', 'b.txt': 'b' }, { hardLinks: 'in-place' });
    linkSync(join(setting.ws, 'a.txt'), join(setting.top, 'second'));
    const before = statSync(join(setting.ws, 'a.txt')).ino;
    for (const [text, size] of [
      ['a much longer beginning', 27],
      ['1', 5],
    ] as const) {
      const end = readFileSync(join(setting.ws, 'a.txt'), 'utf8').length - 4;
      const edit = { splices: [{ start: 0, end, bytes: bytesOf(text) }] };
      expect(setting.commit({ ...setting.at('a.txt'), edit })[0]).toMatchObject({ size, changed: true });
      expect(readFileSync(join(setting.top, 'second'), 'utf8')).toBe(`${text} two`);
    }
    setting.commit(
      { ...setting.at('a.txt'), edit: { splices: [{ start: 0, end: 1, bytes: bytesOf('2') }] } },
      ...edits(setting, ['b.txt']),
    );
    expect([statSync(join(setting.ws, 'a.txt')).ino, setting.tree()]).toEqual([
      before,
      { 'a.txt': '2 two', 'b.txt': 'b!' },
    ]);
    expect(readdirSync(join(setting.top, 'state/staged'))).toEqual([]);
  });

  it('is old or new when any call fails during a write in place', () => {
    for (let n = 1; ; n++) {
      const setting = start({ 'a.txt': 'old' }, { hardLinks: 'in-place' });
      linkSync(join(setting.ws, 'a.txt'), join(setting.top, 'second'));
      const change = { ...setting.at('a.txt'), edit: { splices: [{ start: 0, end: 3, bytes: bytesOf('longer') }] } };
      const { fired, error } = withFailure(n, 'ENOSPC', () => setting.commit(change));
      const { failed } = recover({ stateDir: join(setting.top, 'state') });
      expect(failed).toEqual([]);
      expect([n, error === undefined || error instanceof Fault]).toEqual([n, true]);
      expect([n, setting.tree()['a.txt']]).toEqual([
        n,
        error === undefined ? 'longer' : expect.stringMatching(/^(?:old|longer)$/u),
      ]);
      if (!fired) break;
    }
  });
});

it.skipIf(!isRoot)('a file that is a mount point is written in place (only root can mount)', () => {
  const setting = start({ 'a.txt': 'inside', 'b.txt': 'b' });
  writeFileSync(join(setting.top, 'mounted'), 'mounted');
  execFileSync('mount', ['--bind', join(setting.top, 'mounted'), join(setting.ws, 'a.txt')]);
  try {
    const splices = [{ start: 0, end: 1, bytes: bytesOf('M') }];
    setting.commit({ ...setting.at('a.txt'), edit: { splices } });
    expect(readFileSync(join(setting.top, 'mounted'), 'utf8')).toBe('Mounted');
    setting.commit(
      { ...setting.at('a.txt'), edit: { splices: [{ start: 7, end: 7, bytes: bytesOf('!') }] } },
      ...edits(setting, ['b.txt']),
    );
    expect(readFileSync(join(setting.top, 'mounted'), 'utf8')).toBe('Mounted!');
    expect(readdirSync(setting.ws)).toEqual(['a.txt', 'b.txt']);
  } finally {
    execFileSync('umount', ['-l', join(setting.ws, 'a.txt')]);
  }
  expect(setting.tree()).toEqual({ 'a.txt': 'inside', 'b.txt': 'b!' });
});

it.skipIf(!isRoot)('a batch into a read-only mount changes nothing and leaves nothing (only root can mount)', () => {
  const setting = start({ 'a.txt': 'a', 'ro/b.txt': 'b' });
  const ro = join(setting.ws, 'ro');
  const stateDir = join(setting.top, 'state');
  execFileSync('mount', ['--bind', ro, ro]);
  try {
    execFileSync('mount', ['-o', 'remount,ro,bind', ro]);
    for (const name of ['ro/new', 'ro/made/deep/new', 'ro/b.txt']) {
      const { file, stamp } = setting.at(name);
      const change = stamp === undefined ? { file, create: bytesOf('new') } : { file, stamp, remove: true as const };
      const fault = faultOf(() => setting.commit(...edits(setting, ['a.txt']), change));
      expect([name, fault.code, leftovers(stateDir)]).toEqual([name, 'FS_WRITE_FAILED', []]);
    }
    // What a process left that died there before it had made anything is nothing to remove either.
    const intent = ['ro/new', 'ro/made'].map((name) => setting.at(name).file);
    writeIntent(stateDir, newJournalId().replace(/^\d+/u, '4194303'), [
      { do: 'put', file: intent[0]!, temp: '.new.pincer-batch', ino: 0n, size: 0 },
      { do: 'folder', file: intent[1]! },
    ]);
    expect([recover({ stateDir }).failed, leftovers(stateDir)]).toEqual([[], []]);
  } finally {
    execFileSync('umount', ['-l', ro]);
  }
  expect(setting.tree()).toEqual({ 'a.txt': 'a', 'ro/': '', 'ro/b.txt': 'b' });
});

describe('a batch with every kind of change', () => {
  const old = { a: 'old a', b: 'old b', c: 'old c', d: 'old d', e: 'old e' };
  const changed = {
    a: 'new a',
    e: 'new d',
    'made/': '',
    'made/deep/': '',
    'made/deep/g': 'new',
    'moved/': '',
    'moved/c': 'old c',
  };
  const every = (setting: Setting): FileChange[] => {
    const splices = [{ start: 0, end: 3, bytes: bytesOf('new') }];
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => setting.at(name)) as [
      ReturnType<Setting['at']>,
      ...ReturnType<Setting['at']>[],
    ];
    return [
      { ...a, edit: { splices } },
      { ...b!, remove: true },
      { ...c!, moveTo: setting.at('moved/c').file },
      { ...d!, moveTo: e!.file, over: e!.stamp, splices },
      { file: setting.at('made/deep/g').file, create: bytesOf('new') },
    ];
  };

  it.each(['ENOSPC', 'EIO'])('is complete or absent when any call fails with %s', (code) => {
    const fates = new Set<string>();
    for (let n = 1; ; n++) {
      const setting = start(old);
      const stateDir = join(setting.top, 'state');
      const { fired, error } = withFailure(n, code, () => setting.commit(...every(setting)));
      expect(error === undefined || error instanceof Fault).toBe(true);
      const unfinished = error instanceof Fault && error.code === 'FS_BATCH_UNFINISHED';
      const wanted = error === undefined || unfinished ? changed : old;
      if (!unfinished) expect([n, setting.tree()]).toEqual([n, wanted]);
      expect([n, recover({ stateDir }).failed, setting.tree(), leftovers(stateDir)]).toEqual([n, [], wanted, []]);
      fates.add(unfinished ? 'unfinished' : error === undefined ? 'done' : 'refused');
      if (!fired) break;
      expect(n).toBeLessThan(300);
    }
    expect([...fates]).toEqual(expect.arrayContaining(['done', 'refused']));
  });
});
