import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scanObeyed, scanObeyedSlowly } from '../../../src/hosts/obeyed/scan.ts';
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
  const { found, isComplete } = scanObeyed(folder);
  const told = found.map(({ path, kind, row }) => `${row.class} ${kind} ${path}`).sort();
  expect(isComplete).toBe(true);
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
    '1 link .mcp.json',
    '2 file packages/prod/.npmrc',
  ]);
  expect((await scanObeyedSlowly(folder)).found).toEqual(found);
});

it('says when there is more than it looks at', () => {
  const folder = makeFolder({});
  for (const name of ['a', 'b', 'c', 'd']) mkdirSync(join(folder, name));
  expect(scanObeyed(folder, { folders: 4, found: 10 }).isComplete).toBe(false);
  expect(scanObeyed(folder, { folders: 5, found: 10 }).isComplete).toBe(true);
  mkdirSync(join(folder, Array.from({ length: 140 }, () => 'x').join('/')), { recursive: true });
  expect(scanObeyed(folder).isComplete).toBe(false);
});
