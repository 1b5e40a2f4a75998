import { table } from '../machine.ts';

/** Calls of git that ask nobody. `program: command`. */
export const ORDINARY_GIT = table(String.raw`
    git: git status
    git: git config get alias.x --file /x
    git: git config --list --file=/x
    git: git config -f x --list
    go: go version
    git: git status --short --branch
    git: git status --porcelain=v2
    git: git log --format='%h %s' -n 5
    git: git log --oneline -5
    git: git log --oneline --graph --all
    git: git log --since='2 weeks ago' --author=me
    git: git log --pretty=format:"%h - %an, %ar : %s"
    git: git log -p -- src/a.ts
    git: git log -S foo
    git: git log -G'a|b'
    git: git log --grep='fix: x'
    git: git log main..feature
    git: git log --follow -- a
    git: git log --date=iso
    git: git log --stat -1
    git: git log -1 --format=%H
    git: git log --name-only
    git: git log --no-merges
    git: git log --first-parent
    git: git log --decorate=short
    git: git log --topo-order --reverse
    git: git log --text
    git: git log --tags --remotes --branches
    git: git log -i --grep x
    git: git log -c
    git: git log --cc
    git: git log --exclude='x' --all
    git: git diff
    git: git diff HEAD~1 -- src/a.ts
    git: git diff --name-only HEAD^
    git: git diff --cached
    git: git diff --staged --stat
    git: git diff main...HEAD
    git: git diff -U10
    git: git diff -w --color=never
    git: git diff --word-diff
    git: git diff --no-ext-diff
    git: git diff --exit-code
    git: git diff --check
    git: git diff --diff-filter=AM
    git: git show HEAD:README.md
    git: git show HEAD
    git: git show --stat HEAD
    git: git show --name-status HEAD~2
    git: git show 'HEAD@{1}'
    git: git show :/fix
    git: git blame -L 1,5 a
    git: git branch
    git: git branch -a --contains HEAD
    git: git branch --show-current
    git: git branch -r
    git: git branch --remotes
    git: git branch -vv
    git: git tag
    git: git tag -l 'v*'
    git: git tag --list --sort=-creatordate
    git: git remote -v
    git: git remote get-url origin
    git: git rev-parse HEAD
    git: git rev-parse --abbrev-ref HEAD
    git: git rev-parse --git-dir
    git: git rev-list --count HEAD
    git: git ls-files
    git: git ls-files --others --exclude-standard
    git: git ls-tree -r HEAD --name-only
    git: git describe --tags --always
    git: git stash list
    git: git reflog
    git: git shortlog -sn HEAD
    git: git cat-file -p HEAD
    git: git config --get user.email
    git: git config --list
    git: git config -l
    git: git config user.name
    git: git config --get-regexp 'remote.*'
    git: git grep -n foo
    git: git grep -e 'a b' -- '*.ts'
    git: git merge-base main HEAD
    git: git for-each-ref --format='%(refname)' refs/heads
    git: git show-ref
    git: git worktree list
    git: git --no-pager log -3
    git: git -P diff
    git: git --version
    git: git version
    git: git -C sub status
    git: git -C . status
    git: git -C sub/x log --oneline
    git: git add .
    git: git add -A
    git: git add src/a.ts
    git: git commit -m "fix: a (b)"
    git: git commit -am 'x'
    git: git commit --message=x
    git: git commit -m x -m y --no-verify
    git: git commit --amend --no-edit
    git: git commit -F msg.txt
    git: git commit -q -m x
    git: git commit --allow-empty -m x
    git: git checkout -b feature/x
    git: git switch -c x
    git: git reset HEAD~1
    git: git rm a
    git: git symbolic-ref HEAD
    git: git symbolic-ref --short HEAD
    git: git symbolic-ref refs/remotes/origin/HEAD
    git: git check-ignore -v x
    git: git count-objects -v
    git: git name-rev HEAD
`);
