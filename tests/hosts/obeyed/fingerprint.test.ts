import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { differencesOf, takeFingerprint } from '../../../src/hosts/obeyed/fingerprint.ts';
import { makeFolder } from '../../support/folder.ts';

async function changed(folder: string, work: () => void) {
  const before = await takeFingerprint(folder);
  work();
  return differencesOf(before, await takeFingerprint(folder)).map(({ path, reader, change }) => [change, path, reader]);
}

it('tells new and changed files with their readers, and of a new folder only itself', async () => {
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
  ]);
});

it('says nothing of what git writes in the course of its own work', async () => {
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

it('tells what a link leads to, and a link that was turned', async () => {
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
