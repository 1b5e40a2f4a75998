import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { differencesOf } from '../../../src/hosts/obeyed/fingerprint.ts';
import { takeFingerprint } from '../../../src/hosts/obeyed/take-fingerprint.ts';
import { makeFolder } from '../../support/folder.ts';

async function changed(folder: string, work: () => void) {
  const before = await takeFingerprint(folder);
  work();
  return differencesOf(before, await takeFingerprint(folder)).map(({ path, reader, change }) => [change, path, reader]);
}

it('reports new, changed and removed files with their readers, and for a new folder only the folder', async () => {
  const folder = makeFolder({ '.envrc': 'a', '.vscode/tasks.json': '{}', 'src/x': '', '.npmrc': '' });
  expect(
    await changed(folder, () => {
      appendFileSync(join(folder, '.envrc'), 'b');
      appendFileSync(join(folder, 'src/x'), 'b');
      mkdirSync(join(folder, 'sub/.git/hooks'), { recursive: true });
      writeFileSync(join(folder, 'sub/.git/config'), '');
      writeFileSync(join(folder, '.vscode/settings.json'), '{}');
      rmSync(join(folder, '.npmrc'));
    }),
  ).toEqual([
    ['changed', '.envrc', 'direnv'],
    ['new', '.vscode/settings.json', 'editors'],
    ['new', 'sub/.git', 'git'],
    ['gone', '.npmrc', 'npm, pnpm'],
  ]);
});

it('ignores files that git writes during normal work', async () => {
  const folder = makeFolder({ '.git/HEAD': 'ref: x', '.git/index': '', '.git/objects/a': '', '.git/refs/b': '' });
  expect(
    await changed(folder, () => {
      for (const name of ['index', 'index.lock', 'HEAD', 'ORIG_HEAD', 'COMMIT_EDITMSG', 'objects/b', 'refs/c'])
        writeFileSync(join(folder, '.git', name), 'x');
      writeFileSync(join(folder, '.git/pincer-sandbox-1-x'), '');
    }),
  ).toEqual([]);
  expect(await changed(folder, () => writeFileSync(join(folder, '.git/config'), ''))).toEqual([
    ['new', '.git/config', 'git'],
  ]);
});

it('reports changed targets of symlinks, and redirected symlinks', async () => {
  const folder = makeFolder({ 'conf/a': '', 'conf/b': '' });
  symlinkSync('conf/a', join(folder, '.mcp.json'));
  expect(await changed(folder, () => appendFileSync(join(folder, 'conf/a'), 'x'))).toEqual([
    ['changed', '.mcp.json', 'Claude Code'],
  ]);
  const turned = await changed(folder, () => {
    rmSync(join(folder, '.mcp.json'));
    symlinkSync('conf/b', join(folder, '.mcp.json'));
  });
  expect(turned).toEqual([['changed', '.mcp.json', 'Claude Code']]);
});

it('R3-14, F4-1: reports the targets of symlinks in a folder, and new programs in a folder on PATH', async () => {
  const folder = makeFolder({ 'scripts/pc.sh': '', 'scripts/hooks/h': '', '.husky/x': '', '.envrc': 'PATH_add bin' });
  symlinkSync('../scripts/pc.sh', join(folder, '.husky/pre-commit'));
  symlinkSync('../scripts/hooks', join(folder, '.husky/hooks'));
  symlinkSync('..', join(folder, '.husky/all'));
  const told = await changed(folder, () => {
    appendFileSync(join(folder, 'scripts/pc.sh'), 'x');
    writeFileSync(join(folder, 'scripts/hooks/new'), '');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/ls'), '');
    writeFileSync(join(folder, 'scripts/other'), '');
  });
  expect(told.map(([change, path]) => `${change} ${path}`).sort()).toEqual([
    'changed .husky/pre-commit',
    'changed scripts/pc.sh',
    'new bin',
    'new scripts/hooks/new',
  ]);
});

it('M16: compares what is only named like state of git', async () => {
  const folder = makeFolder({ '.git/HEAD': '', '.git/modules/refs/config': '', '.git/hooks/index.js': '' });
  expect(
    await changed(folder, () => {
      for (const path of ['modules/refs/config', 'modules/x.lock/hooks/post-checkout', 'hooks/index.js']) {
        mkdirSync(dirname(join(folder, '.git', path)), { recursive: true });
        writeFileSync(join(folder, '.git', path), 'x');
      }
    }),
  ).toEqual([
    ['changed', '.git/hooks/index.js', 'git'],
    ['new', '.git/modules/x.lock', 'git'],
    ['changed', '.git/modules/refs/config', 'git'],
  ]);
});

it('G-1, G-7: compares what obeyed files name, whether it exists or not, and no folder of that name', async () => {
  const folder = makeFolder({
    '.envrc': 'source_env_if_exists .envrc.local\ndotenv_if_exists .env.local\nsource linked.sh\nexport OUT=build\n',
    'shared/real.sh': '',
    '.claude/settings.json': String.raw`{"command": "\"$CLAUDE_PROJECT_DIR\"/scripts/hook.sh", "b": "\${CLAUDE_PROJECT_DIR}/scripts/hook2.sh"}`,
    'scripts/hook.sh': '',
    'scripts/hook2.sh': '',
    '.git/config': '[core]\n hooksPath = hooks\n pager = tools/pager.sh --x\n[include]\n path = ../inc\n',
    'hooks/pre-commit': '',
    inc: '',
  });
  symlinkSync('shared/real.sh', join(folder, 'linked.sh'));
  const names = ['.envrc.local', '.env.local', 'shared/real.sh', 'scripts/hook.sh', 'scripts/hook2.sh', 'inc'];
  const told = await changed(folder, () => {
    mkdirSync(join(folder, 'build'));
    mkdirSync(join(folder, 'tools'));
    for (const name of [...names, 'hooks/pre-commit', 'hooks/index.js', 'tools/pager.sh', 'src.txt'])
      writeFileSync(join(folder, name), 'x');
  });
  expect(told.map(([change, path]) => `${change} ${path}`).sort()).toEqual([
    'changed hooks/pre-commit',
    'changed inc',
    'changed linked.sh',
    'changed scripts/hook.sh',
    'changed scripts/hook2.sh',
    'new .env.local',
    'new .envrc.local',
    'new hooks/index.js',
    'new tools/pager.sh',
  ]);
});

it('reports a new file that names others, but not the old files that it names', async () => {
  const folder = makeFolder({ 'src/index.ts': '' });
  expect(await changed(folder, () => writeFileSync(join(folder, '.envrc'), 'source src/index.ts'))).toEqual([
    ['new', '.envrc', 'direnv'],
  ]);
});

it('compares the entries of a folder that a symlink with an obeyed name points to', async () => {
  const folder = makeFolder({ 'tools/hooks/pre-commit': '' });
  symlinkSync('tools/hooks', join(folder, '.husky'));
  expect(await changed(folder, () => writeFileSync(join(folder, 'tools/hooks/pre-commit'), 'x'))).toEqual([
    ['changed', 'tools/hooks/pre-commit', 'git hooks'],
  ]);
});

it('G-5: reports unsearched paths every time', async () => {
  const folder = makeFolder({ '.git/config': `[include]\n path = ${'x'.repeat(1024 * 1024)}\n` });
  const told = [['not-searched', '.git', expect.stringContaining('longer than') as string]];
  expect(await changed(folder, () => {})).toEqual(told);
  expect(await changed(folder, () => {})).toEqual(told);
});

it('S-8: reports an obeyed folder with too many files as not searched', async () => {
  const files = Object.fromEntries([1, 2, 3].map((i) => [`.claude/skills/${i}`, '']));
  const folder = makeFolder({ ...files, '.envrc': '' });
  const { entries, unsearched } = await takeFingerprint(folder, [], 4);
  expect([...entries.keys()]).toEqual(['.claude', '.claude/skills', '.envrc']);
  expect(unsearched).toEqual([{ path: '.claude/skills', why: 'it has more than 2 entries' }]);
  expect((await takeFingerprint(folder, [], 6)).unsearched).toEqual([]);
});
