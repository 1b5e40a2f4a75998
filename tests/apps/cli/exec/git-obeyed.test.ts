/** Git writes no file unasked by which it starts programs because settings name it. Through the built program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judgedExec } from '../../../support/judged-exec.ts';

const ASKED = 'approval-pending';
const RAN = 'completed';
/** The profile of git has neither of these commands, so an entry names them. */
const ALLOW = ['/usr/bin/git', { pattern: '/usr/bin/git', args: ['mv', 'stash', 'init', 'update-ref'] }];
const MADE =
  'cd proj; git init -q .; echo a > a; echo "[user]" > gitconfig; mkdir -p tools; echo > tools/x; git add .; git commit -qm i';

it.each([
  ['a file that the settings of the user include', 'git config --global include.path "$HOME/proj/gitconfig"'],
  ['the settings of the user, over a link', 'cat .gitconfig >> proj/gitconfig; ln -sf proj/gitconfig .gitconfig'],
  ['a file that is included and missing', 'git config --global include.path "$HOME/proj/later"'],
  ['a program of the user', 'git config --global filter.x.clean tools/x'],
  ['a folder for hooks', 'git config --global core.hooksPath "$HOME/proj/hooks"; mkdir proj/hooks'],
  ['a script that a hook is a link to', 'ln -s ../../tools/x proj/.git/hooks/post-update; chmod -x proj/tools/x'],
])('git asks before it may write %s', (_, script) => {
  const { workspace, user, pincer, exec, asked } = judgedExec({ allow: ALLOW });
  user(MADE);
  user(script);
  const before = readFileSync(join(workspace, 'gitconfig'), 'utf8');
  expect(pincer(['write', 'g2', '[filter "x"]\n\tclean = "touch ran; cat"\n']).stderr).toBe('');
  expect(exec('git add g2')).toBe(RAN);
  const writing = ['git mv -f g2 gitconfig', 'git checkout HEAD -- gitconfig', 'git stash', 'git rm -q --cached a'];
  expect(writing.map((command) => exec(command))).toEqual(writing.map(() => ASKED));
  expect(asked()).toEqual(writing.map((command) => [command, 'project-code']));
  const others = ['git status', 'git commit -m x', 'git update-ref refs/heads/new HEAD'];
  expect(others.map((command) => exec(command))).toEqual([RAN, RAN, RAN]);
  expect(readFileSync(join(workspace, 'gitconfig'), 'utf8')).toBe(before);
});

it('without a repository, git asks before it may make such a file', () => {
  const { user, exec, asked } = judgedExec({ allow: ALLOW });
  user('git config --global include.path "$HOME/proj/sub/gitconfig"');
  expect(exec('git init sub')).toBe(ASKED);
  expect(asked()).toEqual([['git init sub', 'project-code']]);
});

it('with usual settings git writes files unasked', () => {
  const { user, exec } = judgedExec({ allow: ALLOW });
  user(MADE);
  user(`cat >> .gitconfig <<'E'
[core]
	editor = vim
	excludesFile = ~/.ignore
	pager = delta --width=80
[alias]
	lg = log origin/main..HEAD
	x = "!tools/x"
[http]
	proxy = http://proxy.example:80/
[init]
	defaultBranch = a
[credential "https://example.org"]
	helper = !/usr/bin/gh auth git-credential
[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
[includeIf "gitdir:~/work/"]
	path = ~/work/.gitconfig
E
git -C proj config blame.ignoreRevsFile tools/x`);
  expect(['git mv a b', 'git stash', 'git checkout -b new'].map((command) => exec(command))).toEqual([RAN, RAN, RAN]);
});
