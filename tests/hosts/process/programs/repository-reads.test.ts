import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { repositoryReads } from '../../../../src/hosts/process/programs/repository-reads.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-reads-')));
  execFileSync('git', ['init', '-q', folder]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['a setting', () => execFileSync('git', ['-C', folder, 'config', 'core.fsmonitor', 'x'])],
  ['an enabled hook', () => writeHook('pre-commit')],
  ['no repository any more', () => rmSync(join(folder, '.git'), { recursive: true })],
])('a repository with %s that is new has changed', (_, change) => {
  const reads = repositoryReads(folder);
  reads.repositoryAt(folder);
  expect(reads.changed()).toBeUndefined();
  change();
  expect(reads.changed()).toBe(`the repository of ${folder}`);
});

it('a repository with new commits and files has not changed', () => {
  const reads = repositoryReads(folder);
  reads.repositoryAt(folder);
  writeFileSync(join(folder, 'a.txt'), 'x');
  execFileSync('git', ['-C', folder, 'add', '.']);
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'x']);
  expect(reads.changed()).toBeUndefined();
});

function writeHook(name: string): void {
  const path = join(folder, '.git', 'hooks', name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
}
