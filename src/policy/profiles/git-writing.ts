/**
 * Subcommands of git that change the repository on this machine, or connect to another. What discards work is not listed: `reset
 * --hard`, `checkout FILE`, `restore FILE`, `rm -f`, `switch -f`, `clean`, `stash`. Neither is what opens an editor or asks (`-p`,
 * `-e`), or signs (`-S`).
 */
import type { SubcommandProfile } from '../../wire/profile.ts';
import { all, names } from './family.ts';

const LOCAL = 'git-local';
const NETWORK = 'network';

export const GIT_WRITING: Readonly<Record<string, SubcommandProfile>> = {
  add: {
    class: LOCAL,
    flags: names(
      '-A -v -f -n -u -N --all --no-all --update --verbose --force --dry-run --intent-to-add --ignore-removal --no-ignore-removal --ignore-errors --ignore-missing --sparse',
    ),
    valued: { '--chmod': 'enum +x -x' },
    operands: ['rev*'],
    pass: ['git add a.txt', 'git add -A', 'git add -u src', 'git add --chmod=+x run.sh'],
    ask: [
      'git add -p',
      'git add -i',
      'git add -e',
      'git add --patch',
      'git add --pathspec-from-file=list.txt',
      'git add --renormalize .',
      'git add ../a.txt',
      'git add --al',
    ],
  },
  // Without one of `requires` it opens an editor.
  commit: {
    class: LOCAL,
    flags: names(
      '-a -q -v -n -s -o -i --all --quiet --verbose --no-verify --signoff --no-signoff --only --include --dry-run --no-edit --amend --reset-author --allow-empty --allow-empty-message --no-gpg-sign --no-status --status --short --branch --porcelain --long --no-post-rewrite',
    ),
    valued: {
      ...all('text', '-m --message --author --date --trailer -C --reuse-message --fixup'),
      ...all('in', '-F --file'),
      '--cleanup': 'enum strip whitespace verbatim scissors default',
    },
    optional: all('enum no normal all', '-u --untracked-files'),
    operands: ['rev*'],
    requires: names('-m --message -F --file --no-edit -C --reuse-message --fixup --dry-run --short --porcelain'),
    env: names('GIT_AUTHOR_DATE GIT_COMMITTER_DATE'),
    pass: [
      "git commit -m 'fix a'",
      "git commit -am 'fix a'",
      'git commit --amend --no-edit',
      'git commit -F message.txt',
    ],
    ask: [
      'git commit',
      'git commit --amend',
      'git commit -m x -e',
      'git commit -m x --edit',
      'git commit -m x -S',
      'git commit -m x --gpg-sign',
      'git commit -p -m x',
      'git commit -t /etc/shadow -m x',
      'git commit -F /etc/shadow',
      'git commit --mess=x',
      'git commit -m',
    ],
  },
  restore: {
    class: LOCAL,
    flags: names('-S -q --staged --quiet'),
    valued: all('text', '-s --source'),
    operands: ['rev*'],
    requires: names('-S --staged'),
    pass: ['git restore --staged a.txt', 'git restore -S .'],
    ask: [
      'git restore a.txt',
      'git restore --staged --worktree a.txt',
      'git restore -SW a.txt',
      'git restore -p a.txt',
      'git restore --stag a.txt',
    ],
  },
  reset: {
    class: LOCAL,
    flags: names('-q -N --quiet --no-quiet --soft --mixed --intent-to-add --refresh --no-refresh'),
    operands: ['rev*'],
    pass: ['git reset a.txt', 'git reset --soft HEAD~1', 'git reset'],
    ask: [
      'git reset --hard',
      'git reset --har',
      'git reset --merge',
      'git reset --keep HEAD~1',
      'git reset -p',
      'git reset --pathspec-from-file=a',
    ],
  },
  rm: {
    class: LOCAL,
    flags: names('-r -n -q --cached --dry-run --quiet --ignore-unmatch'),
    operands: ['rev*'],
    pass: ['git rm a.txt', 'git rm -r --cached dist'],
    ask: [
      'git rm -f a.txt',
      'git rm --force a.txt',
      'git rm -rf dist',
      'git rm --pathspec-from-file=a',
      'git rm --cach a.txt',
    ],
  },
  // Only with `-b`: otherwise an operand can be a file, whose changes are discarded.
  checkout: {
    class: LOCAL,
    flags: names('-q -t --quiet --no-track --no-progress'),
    valued: { '-b': 'ref' },
    optional: { '--track': 'enum direct inherit' },
    operands: ['ref'],
    requires: ['-b'],
    pass: ['git checkout -b new', 'git checkout -b new origin/main', 'git checkout -q -b new'],
    ask: [
      'git checkout main',
      'git checkout a.txt',
      'git checkout -- a.txt',
      'git checkout .',
      'git checkout -f main',
      'git checkout -B main',
      'git checkout -b new -- a.txt b.txt',
      'git checkout -p',
      'git checkout --orphan new',
      'git checkout -m main',
    ],
  },
  switch: {
    class: LOCAL,
    flags: names('-q -d -t --quiet --detach --guess --no-guess --no-track --no-progress'),
    valued: all('ref', '-c --create'),
    optional: { '--track': 'enum direct inherit' },
    operands: ['ref'],
    minOperands: 0,
    pass: ['git switch main', 'git switch -c new', 'git switch -c new origin/main', 'git switch -'],
    ask: [
      'git switch -f main',
      'git switch --discard-changes main',
      'git switch -C main',
      'git switch --force-create main',
      'git switch -m main',
      'git switch --orphan new',
      'git switch --recurse-submodules main',
      'git switch --detac main',
    ],
  },
  fetch: {
    class: NETWORK,
    flags: names(
      '-a -p -t -n -q -v --all --append --prune --tags --no-tags --dry-run --quiet --verbose --no-progress --progress',
    ),
    valued: all('num', '--depth --deepen'),
    operands: ['ref', 'ref*'],
    pass: [],
    ask: [
      'git fetch',
      'git fetch --upload-pack=x origin',
      'git fetch ext::sh',
      'git fetch --recurse-submodules',
      'git fetch origin +a:b',
    ],
  },
  pull: {
    class: NETWORK,
    flags: names('-q -v --ff-only --no-edit --quiet --verbose --tags --no-tags --prune --no-rebase --no-progress'),
    operands: ['ref', 'ref'],
    pass: [],
    ask: ['git pull', 'git pull --rebase', 'git pull --upload-pack=x', 'git pull -S', 'git pull --recurse-submodules'],
  },
  push: {
    class: NETWORK,
    flags: names(
      '-u -q -v -n --set-upstream --quiet --verbose --dry-run --porcelain --tags --follow-tags --no-progress --progress',
    ),
    operands: ['ref', 'ref*'],
    pass: [],
    ask: [
      'git push',
      'git push origin main',
      'git push -f',
      'git push --force',
      'git push --force-with-lease',
      'git push origin +main',
      'git push origin :main',
      'git push --delete origin main',
      'git push --mirror',
      'git push --exec=x',
      'git push --receive-pack=x',
    ],
  },
  'ls-remote': {
    class: NETWORK,
    flags: names('-q --heads --branches --tags --refs --quiet --symref --get-url --exit-code'),
    valued: { '--sort': 'text' },
    operands: ['ref', 'text*'],
    pass: [],
    ask: ['git ls-remote', 'git ls-remote origin', 'git ls-remote --upload-pack=x origin', 'git ls-remote ext::sh'],
  },
};
