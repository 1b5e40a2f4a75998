/** A repository that reaches out of the workspace: git changes nothing there unasked. Through the built program. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type JudgedExec, judgedExec } from '../../../support/judged-exec.ts';

const ASKED = 'approval-pending';
const RAN = 'completed';
const OUTSIDE = 'outside-workspace';
/** The profile of git has neither `mv`, `stash` nor most of `worktree`, so an entry names them. */
const ALLOW = ['/usr/bin/git', { pattern: '/usr/bin/git', args: ['mv', 'stash', 'worktree'] }];
const git = (workspace: string): JudgedExec => judgedExec({ allow: ALLOW, workspace, maxOpen: 20 });

it('git changes nothing of a home that is a repository around the workspace', () => {
  const { home, user, pincer, exec, asked } = git('proj');
  user('git init -q .; echo mine > .bashrc; git add .bashrc; git commit -qm i');
  const steps = [
    exec('git worktree add wt'),
    pincer(['write', 'wt/x.txt', 'evil']).stderr,
    exec('git -C wt add x.txt'),
    exec('git -C wt mv -f x.txt .bashrc'),
    exec('git -C wt commit -m e'),
    exec('git checkout wt -- :/.bashrc'),
  ];
  expect(steps).toEqual([ASKED, '', ASKED, ASKED, ASKED, ASKED]);
  expect(asked().map(([, code]) => code)).toEqual(Array(5).fill(OUTSIDE));
  expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('mine\n');
});

it('in a folder of a repository git neither writes nor deletes beside it, and goes on to look', () => {
  const { home, user, exec, asked } = git('repo/pkg');
  user('cd repo; git init -q .; echo a > a; echo b > pkg/b; git add .; git commit -qm i; git branch other');
  const changing = ['git checkout other -- ../a', 'git rm ../a', 'git commit --allow-empty -m x', 'git branch new'];
  const more = ['git stash', 'git tag v1', 'git reset --hard', 'git add b', 'git worktree prune', 'git reflog expire'];
  expect([...changing, ...more].map((command) => [command, exec(command)])).toEqual(
    [...changing, ...more].map((command) => [command, ASKED]),
  );
  expect(asked()).toEqual([...changing, ...more].map((command) => [command, OUTSIDE]));
  expect(existsSync(join(home, 'repo/a'))).toBe(true);
  const looking = ['git status', 'git log -1', 'git diff', 'git branch -a', 'git tag -l', 'git stash list'];
  const others = [
    'git remote -v',
    'git worktree list',
    'git reflog',
    'git config --get user.name',
    'git merge-base HEAD other',
  ];
  expect([...looking, ...others].map((command) => [command, exec(command)])).toEqual(
    [...looking, ...others].map((command) => [command, RAN]),
  );
});

it.each([
  [
    'the common folder',
    'git init -q main; cd main; git commit -qm i --allow-empty; git worktree add -q ../proj/wt',
    RAN,
  ],
  ['the folder of the repository', 'git init -q --separate-git-dir=kept proj/wt', RAN],
  [
    'the folder of a submodule',
    'git init -q --separate-git-dir=kept proj/wt/s; cd proj/wt; git init -q .; git -C s commit -qm i --allow-empty; git add s',
    ASKED,
  ],
])('git asks where %s is outside the workspace, but for commits on the own branch', (_, script, commits) => {
  const { user, exec, asked } = git('proj');
  user(script);
  expect(exec('git -C wt commit --allow-empty -m x')).toBe(commits);
  expect(exec('git -C wt branch x')).toBe(ASKED);
  expect(exec('git -C wt checkout -b y')).toBe(ASKED);
  expect(exec('git -C wt status')).toBe(RAN);
  expect(new Set(asked().map(([, code]) => code))).toEqual(new Set([OUTSIDE]));
});

it('a worktree outside the workspace is neither moved nor deleted by its name, and the rest of git runs', () => {
  const { home, user, exec, asked } = git('proj');
  user('cd proj; git init -q .; echo a > a; git add .; git commit -qm i; git worktree add -q ../other');
  expect(exec('git worktree remove --force other')).toBe(ASKED);
  expect(exec('git worktree move other here')).toBe(ASKED);
  expect(asked().map(([, code]) => code)).toEqual([OUTSIDE, OUTSIDE]);
  expect(existsSync(join(home, 'other/a'))).toBe(true);
  for (const command of ['git worktree add mine', 'git commit --allow-empty -m x', 'git rm -q a'])
    expect(exec(command)).toBe(RAN);
});

it('with a folder outside the workspace git asks, and an approved call keeps the forced settings', () => {
  const { user, pincer, exec } = git('repo/pkg');
  user('cd repo; git init -q .; git config core.fsmonitor "touch ran; false"; git commit -qm i --allow-empty');
  expect(exec('git commit --allow-empty -m x', { workdir: '..' })).toBe(ASKED);
  expect(exec('git log -1', { workdir: '..' })).toBe(RAN);
  const { stdout } = pincer(['policy', 'explain', '--json', 'git commit --allow-empty -m x']);
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: 'ask',
    code: 'outside-workspace',
    plan: { stages: [{ argv: expect.arrayContaining(['core.fsmonitor=false']) as string[] }] },
  });
});
