import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withPauses } from '../../../src/hosts/obeyed/pauses.ts';
import { SCAN_BOUNDS, type Scan, scanObeyed, walkFrom } from '../../../src/hosts/obeyed/scan.ts';
import { makeFolder } from '../../support/folder.ts';

it('finds names at any depth, links, worktrees and folders that look like a repository', async () => {
  const folder = makeFolder({
    '.git/HEAD': '',
    'app/.git/config': '',
    'wt/.git': 'gitdir: ../.git/worktrees/wt\n',
    'store/HEAD': '',
    'store/objects/x': '',
    'store/refs/x': '',
    'linked/HEAD': '',
    'linked/commondir': '..',
    'packages/prod/.claude/settings.json': '{}',
    'packages/prod/.npmrc': '',
    'packages/prod/package.json': '{}',
    '.envrc': '',
    '.env': '',
    'other/.env': '',
    'a/b/c/.Husky/pre-commit': '',
    'node_modules/x/.npmrc': '',
    'conf/mcp.json': '{}',
    'only/HEAD': '',
  });
  symlinkSync('conf/mcp.json', join(folder, '.mcp.json'));
  symlinkSync('/', join(folder, 'out'));
  symlinkSync('conf', join(folder, '.config'));
  const { found, unsearched } = scanObeyed(folder);
  const told = found.map(({ path, kind, row }) => `${row.class} ${kind} ${path}`).sort();
  expect(unsearched).toEqual([]);
  expect(told).toEqual([
    '1 file .env',
    '1 file .envrc',
    '1 file wt/.git',
    '1 folder .git',
    '1 folder a/b/c/.Husky',
    '1 folder app/.git',
    '1 folder linked',
    '1 folder packages/prod/.claude',
    '1 folder store',
    '1 link .config',
    '1 link .mcp.json',
    '2 file packages/prod/.npmrc',
  ]);
  expect((await withPauses(walkFrom(folder, SCAN_BOUNDS))).found).toEqual(found);
});

it('reports which limit was exceeded, and where', () => {
  const folder = makeFolder({});
  for (const name of ['a', 'b', 'c', 'd']) mkdirSync(join(folder, name));
  const bounds = { entries: 4, folders: 5, found: 10 };
  expect(scanObeyed(folder, bounds).unsearched).toEqual([]);
  expect(scanObeyed(folder, { ...bounds, folders: 4 }).unsearched).toEqual([
    { path: '.', why: 'the workspace has more than 4 folders' },
  ]);
  expect(scanObeyed(folder, { ...bounds, entries: 3 }).unsearched).toEqual([
    { path: '.', why: 'the workspace has more than 3 files and folders' },
  ]);
});

it('S-8: pauses inside a folder with many files', () => {
  const folder = makeFolder(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${i}`, ''])));
  expect([...walkFrom(folder, SCAN_BOUNDS)].length).toBeGreaterThan(4);
});

it('searches the folders that it knows when there are too many, and stops at too many findings', () => {
  const folder = makeFolder({ 'a/.envrc': '', 'a/.npmrc': '', 'a/b/x': '', 'a/c/x': '' });
  const bounds = { entries: 100, folders: 2, found: 2 };
  const { found, unsearched } = scanObeyed(folder, bounds);
  expect(found.map(({ path }) => path)).toEqual(['a/.envrc', 'a/.npmrc']);
  expect(unsearched).toEqual([{ path: 'a', why: 'the workspace has more than 2 folders' }]);
  expect(scanObeyed(folder, { ...bounds, folders: 9, found: 1 }).unsearched).toEqual([
    { path: 'a', why: 'the workspace has more than 1 files that programs on the host obey' },
  ]);
});

it('G-5: finds obeyed files in and next to a deep folder', () => {
  const folder = makeFolder({ 'aa/.envrc': '' });
  const deep = Array.from({ length: 300 }, () => 'd').join('/');
  mkdirSync(join(folder, 'zz', deep), { recursive: true });
  writeFileSync(join(folder, 'zz', deep, '.envrc'), '');
  const { found, unsearched } = scanObeyed(folder);
  expect(found.map(({ path }) => path)).toEqual(['aa/.envrc', `zz/${deep}/.envrc`]);
  expect(unsearched).toEqual([]);
});

it('G-5: a path that is too long for the system is named, and the others are searched', () => {
  const folder = makeFolder({ 'aa/.envrc': '' });
  const name = 'n'.repeat(250);
  // Only relative paths reach that far down.
  execFileSync('/bin/sh', ['-c', `for i in $(seq 1 20); do mkdir ${name} && cd -P ${name} || exit 1; done`], {
    cwd: folder,
  });
  const { found, unsearched } = scanObeyed(folder);
  expect(found.map(({ path }) => path)).toEqual(['aa/.envrc']);
  expect(unsearched).toEqual([
    { path: expect.stringMatching(/^(?:n{250}\/)+n{250}$/u) as string, why: 'its path is too long for the system' },
  ]);
  execFileSync('/bin/rm', ['-rf', name], { cwd: folder });
});

it('G-3: finds files below a name that is not UTF-8', () => {
  const folder = makeFolder({});
  const odd = Buffer.concat([Buffer.from(`${folder}/s`), Buffer.from([0xff, 0x63])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from('/.envrc')]), '');
  expect(scanObeyed(folder).found.map(({ path }) => path)).toEqual(['s\udcffc/.envrc']);
});

it.runIf(process.geteuid?.() === 0)('R3-10: a folder that another user keeps from being listed hides nothing', () => {
  const folder = makeFolder({ 'a/.envrc': '', 'open/.envrc': '', 'shut/.envrc': '' });
  chmodSync(folder, 0o755);
  for (const [name, mode] of [
    ['open', 0o711],
    ['shut', 0o700],
  ] as const) {
    chownSync(join(folder, name), 100_999, 100_999);
    chmodSync(join(folder, name), mode);
  }
  process.seteuid!(65_534);
  let scan: Scan;
  try {
    scan = scanObeyed(folder);
  } finally {
    process.seteuid!(0);
  }
  expect(scan.found.map(({ path }) => path)).toEqual(['a/.envrc']);
  expect(scan.unsearched).toEqual([
    { path: 'open', why: 'it belongs to another user and cannot be listed, but its files can be opened by name' },
  ]);
});
