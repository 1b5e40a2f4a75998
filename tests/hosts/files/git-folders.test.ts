import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { isWithin } from '../../../src/hosts/files/gate/protect.ts';
import { isGitName } from '../../../src/hosts/obeyed/match.ts';
import type { Files } from '../../../src/hosts/files/shape.ts';
import { Fault } from '../../../src/base/fault.ts';
import { makeFolder } from '../../support/folder.ts';

function start(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): Files {
  const ws = makeFolder(files);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(ws, name));
  return localFiles({ cwd: ws, stateDir: makeFolder() });
}

async function create(files: Files, ...names: readonly string[]): Promise<string> {
  const writer = await files.writer('test');
  try {
    writer.commit(names.map((name) => ({ file: files.placeOf(name).file, create: new Uint8Array() })));
    return 'written';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

const REPOSITORY = { 'gd/HEAD': 'ref: refs/heads/main', 'gd/objects/x': '', 'gd/refs/x': '' };

it.each([
  ['the folder that .git is a link to', { 'store/config': '' }, { '.git': 'store' }, ['.git/hooks/x', 'store/hooks/x']],
  ['the folder that the file .git names', { '.git': 'gitdir: gd\n', 'gd/config': '' }, {}, ['gd/hooks/x', '.git']],
  ['a store beside a link further down', { 'a/store/x': '' }, { 'a/.git': './store' }, ['a/store/hooks/x', 'a/.git/x']],
  ['a folder with all that a repository has', REPOSITORY, {}, ['gd/hooks/x', 'gd/config']],
  ['the folder of a worktree', { 'gd/HEAD': '', 'gd/commondir': '..' }, {}, ['gd/config']],
  ['a name that makes its folder a repository', { 'b/objects/x': '', 'b/refs/x': '' }, {}, ['b/HEAD', 'b/head']],
  ['A4: a second piece of a repository', { 'b/config': '', 'c/HEAD': '' }, {}, ['b/HEAD', 'c/config', 'c/hooks/x']],
  [
    'A4: the folder that core.hooksPath names',
    { '.git/config': '[core]\n\thooksPath = .husky\n', '.husky/x': '' },
    {},
    ['.husky/pre-commit', '.husky/_/x'],
  ],
  [
    'A4: the scripts above the folder that core.hooksPath names',
    { '.git/config': '[core]\n\thooksPath = .husky/_\n', '.husky/_/h': '' },
    {},
    ['.husky/pre-commit', '.husky/_/h2'],
  ],
  [
    'M6: the folder that a link of core.hooksPath leads to',
    { '.git/config': '[core]\n\thooksPath = hks\n', 'real/x': '' },
    { hks: 'real' },
    ['hks/pre-commit', 'real/pre-commit'],
  ],
  [
    'M6: the folder that a link of core.hooksPath leads to as soon as it is created',
    { '.git/config': '[core]\n\thooksPath = hks/h\n' },
    { hks: 'later' },
    ['later/h/pre-commit'],
  ],
  [
    'M6: a script that a hook is a link to',
    { '.git/hooks/x': '', 'scripts/pre-commit': '' },
    { '.git/hooks/pre-commit': '../../scripts/pre-commit' },
    ['scripts/pre-commit'],
  ],
  [
    'M6: a file that settings include',
    { '.git/config': '# \\\n[a] [include] path = ../team\n', team: '[include]\n\tpath = more\n' },
    {},
    ['team', 'more'],
  ],
  [
    'H2: files beside settings that are too long to be read',
    { '.git/config': `${'#'.repeat(1024 * 1024)}\n[core]\n\thooksPath = h\n` },
    {},
    ['h/pre-commit', 'file'],
  ],
  [
    'the shared folder of a worktree',
    { '.git': 'gitdir: w', 'w/commondir': '../s', 's/x': '' },
    {},
    ['s/config', 'w/x'],
  ],
])('nothing is written into %s', async (_, files, links, names) => {
  const host = start(files, links);
  expect(await Promise.all(names.map((name) => create(host, name)))).toEqual(names.map(() => 'FS_PROTECTED'));
  if (!names.includes('file')) expect(await create(host, 'beside/HEAD')).toBe('written');
});

it('nothing is written into the hook folder of a repository around the workspace', async () => {
  const outer = makeFolder({ '.git/config': '[core]\n\thooksPath = ws/hooks\n', 'ws/x': '' });
  const host = localFiles({ cwd: join(outer, 'ws'), stateDir: makeFolder() });
  expect([await create(host, 'hooks/pre-commit'), await create(host, 'other/x')]).toEqual(['FS_PROTECTED', 'written']);
});

it.each([
  ['the home of the user', userInfo().homedir],
  ['HOME', '/somewhere/else'],
])('nothing is written into the hook folder in %s', async (_, home) => {
  const { HOME } = process.env;
  process.env['HOME'] = '/somewhere/else';
  onTestFinished(() => {
    if (HOME === undefined) delete process.env['HOME'];
    else process.env['HOME'] = HOME;
  });
  // From the home up to the root and down again: nothing is written in the home itself.
  const value = `~/${relative(home, '/')}`;
  const ws = makeFolder();
  mkdirSync(join(ws, '.git'));
  writeFileSync(join(ws, '.git/config'), `[core]\n\thooksPath = ${value}${ws}/hooks\n`);
  const host = localFiles({ cwd: ws, stateDir: makeFolder() });
  expect([await create(host, 'hooks/pre-commit'), await create(host, 'other/x')]).toEqual(['FS_PROTECTED', 'written']);
});

it('one batch creates neither a repository nor a part of one, and single parts are ordinary files', async () => {
  const host = start({});
  expect(await create(host, 'b/HEAD', 'b/objects/x', 'b/refs/x')).toBe('FS_PROTECTED');
  expect(await create(host, 'b/HEAD', 'b/objects/x')).toBe('FS_PROTECTED');
  expect(await create(host, 'b/objects/x', 'b/refs/x', 'b/config')).toBe('written');
});

it('the operator may disable the protection', async () => {
  const ws = makeFolder(REPOSITORY);
  const host = localFiles({ cwd: ws, stateDir: makeFolder(), protect: 'none' });
  expect(await create(host, 'gd/config')).toBe('written');
});

it.each(['\u00ad', '\u200b', '\u2060', '\u200d', '\ufeff', '\ufe0f', '\u034f'])(
  'a name with the unseen character %j is still .git',
  (char) => {
    expect([isGitName(`.g${char}it`), isGitName(`${char}.git`), isGitName(`.g${char}itx`)]).toEqual([
      true,
      true,
      false,
    ]);
  },
);

it('a folder is recognised in another case on a case-insensitive system', () => {
  const asked = [isWithin('/A/State/x', '/a/state', true), isWithin('/A/State/x', '/a/state', false)];
  expect([...asked, isWithin('/a/states', '/a/state', true), isWithin('/a/state', '/a/state', false)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
