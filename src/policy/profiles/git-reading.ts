/**
 * Subcommands of git that show. Not listed: what writes (`--output`), starts a program (`grep -O`, `--ext-diff`, `--textconv`,
 * `cat-file --filters`, `log --show-signature`), starts git in submodules, where their own settings hold (`--submodule`,
 * `--recurse-submodules`), or reads names from input (`--stdin`).
 *
 * Options whose value git takes only after `=` are `optional`: a word after them is another argument.
 */
import type { SubcommandProfile } from '../../wire/profile.ts';
import { all, names } from './family.ts';
import { GIT_HISTORY } from './git-history.ts';

const REFS: Pick<SubcommandProfile, 'valued'> = {
  valued: all('text', '--sort --format --points-at'),
};

/** With one of these, `branch` and `tag` list, and their operands are commits and patterns. */
const LISTING = all('text', '--contains --no-contains --merged --no-merged');

/** `git annotate` is `git blame -c`. */
const BLAME: Omit<SubcommandProfile, 'pass' | 'ask'> = {
  flags: names(
    '-l -s -e -w -M -C -b -t -f -n -p -c --root --show-stats --show-name --show-number --show-email --porcelain --line-porcelain --incremental --first-parent --no-ext-diff --no-textconv --no-progress --color-lines --color-by-age --minimal',
  ),
  valued: { '-L': 'text', '--ignore-rev': 'text', '--ignore-revs-file': 'in', '--since': 'text', '--date': 'text' },
  optional: { '--abbrev': 'num' },
  operands: ['rev*'],
};

export const GIT_READING: Readonly<Record<string, SubcommandProfile>> = {
  ...GIT_HISTORY,
  status: {
    flags: names(
      '-s -b -v -z --short --branch --long --verbose --show-stash --no-show-stash --ahead-behind --no-ahead-behind --renames --no-renames --no-column --null',
    ),
    optional: {
      '--porcelain': 'enum v1 v2 1 2',
      ...all('enum no normal all', '-u --untracked-files'),
      '--ignored': 'enum traditional no matching',
      '--ignore-submodules': 'enum none untracked dirty all',
      ...all('text', '--column --find-renames -M'),
    },
    operands: ['rev*'],
    pass: ['git status', 'git status -sb', 'git status --porcelain=v2 -uno', 'git status src'],
    ask: ['git status --porc', 'git status -x', 'git status --renames=x', 'git status -usx'],
  },
  'rev-parse': {
    flags: names(
      '-q --quiet --verify --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --all --revs-only --no-revs --flags --no-flags --not --end-of-options --no-path-format',
    ),
    valued: all('text', '--git-path --default'),
    optional: {
      '--short': 'num',
      ...all('text', '--branches --tags --remotes --glob'),
      '--abbrev-ref': 'enum strict loose',
      '--show-object-format': 'enum storage input output',
      '--path-format': 'enum absolute relative',
    },
    operands: ['rev*'],
    pass: [
      'git rev-parse HEAD',
      'git rev-parse --abbrev-ref HEAD',
      'git rev-parse --short=8 HEAD',
      'git rev-parse --show-toplevel',
    ],
    ask: [
      'git rev-parse --parseopt',
      'git rev-parse --sq-quote x',
      'git rev-parse --resolve-git-dir /etc',
      'git rev-parse --show-top',
    ],
  },
  'merge-base': {
    flags: names('-a --all --is-ancestor --fork-point --octopus --independent'),
    operands: ['rev*'],
    pass: ['git merge-base main HEAD', 'git merge-base --is-ancestor main HEAD'],
    ask: ['git merge-base --is main HEAD', 'git merge-base -x main', 'git merge-base --all=x main'],
  },
  'ls-files': {
    flags: names(
      '-c -d -m -o -s -k -t -u -v -z -i --cached --deleted --modified --others --stage --killed --unmerged --ignored --exclude-standard --directory --no-empty-directory --error-unmatch --full-name --deduplicate --eol',
    ),
    valued: { ...all('text', '-x --exclude --format'), ...all('in', '-X --exclude-from') },
    optional: { '--abbrev': 'num' },
    operands: ['rev*'],
    lists: true,
    listsNotWith: names('-s --stage -t -v -u --unmerged --eol --format --full-name'),
    pass: ['git ls-files', 'git ls-files --others --exclude-standard', "git ls-files -z '*.ts'"],
    ask: [
      'git ls-files --recurse-submodules',
      'git ls-files -X /etc/shadow -o',
      'git ls-files --exclude-from=/etc/shadow -o',
      'git ls-files --oth',
      'git ls-files --debug',
    ],
  },
  'ls-tree': {
    flags: names('-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree'),
    valued: { '--format': 'text' },
    optional: { '--abbrev': 'num' },
    operands: ['rev*'],
    pass: ['git ls-tree HEAD', 'git ls-tree -r --name-only HEAD src'],
    ask: ['git ls-tree --name HEAD', 'git ls-tree -x HEAD', 'git ls-tree --long=x HEAD'],
  },
  'cat-file': {
    flags: names('-e -t -p -s --batch-all-objects --unordered --buffer'),
    optional: all('text', '--batch --batch-check'),
    operands: ['rev*'],
    pass: ['git cat-file -p HEAD', 'git cat-file -t HEAD', 'git cat-file blob HEAD:a.txt'],
    ask: [
      'git cat-file --filters HEAD:a.txt',
      'git cat-file --textconv HEAD:a.txt',
      'git cat-file --batch-command',
      'git cat-file --batch-ch',
    ],
  },
  blame: {
    ...BLAME,
    pass: ['git blame a.txt', 'git blame -L 10,20 -w HEAD -- a.txt'],
    ask: [
      'git blame --contents b.txt a.txt',
      'git blame -S /etc/shadow a.txt',
      'git blame --ignore-revs-file=/etc/shadow a.txt',
      'git blame --textconv a.txt',
      'git blame --porc a.txt',
    ],
  },
  annotate: {
    ...BLAME,
    pass: ['git annotate a.txt', 'git annotate -L 10,20 -w HEAD -- a.txt'],
    ask: ['git annotate --contents b.txt a.txt', 'git annotate -S /etc/shadow a.txt', 'git annotate --textconv a.txt'],
  },
  describe: {
    flags: names('--all --tags --long --always --contains --exact-match --first-parent'),
    valued: { ...all('text', '--match --exclude'), '--candidates': 'num' },
    optional: { '--abbrev': 'num', '--dirty': 'text' },
    operands: ['rev*'],
    pass: ['git describe --tags --always', 'git describe --dirty'],
    ask: ['git describe --broken', 'git describe --tag', 'git describe -x'],
  },
  // `-l` creates a reflog in git before 2.19.
  branch: {
    flags: names(
      '-a -r -v -vv -q -i --all --remotes --verbose --quiet --list --show-current --no-color --no-column --no-abbrev --ignore-case --omit-empty',
    ),
    ...REFS,
    optional: { ...LISTING, '--color': 'enum always never auto', '--abbrev': 'num', '--column': 'text' },
    operands: [],
    operandsWith: {
      '--list': ['text*'],
      '--contains': ['text*'],
      '--no-contains': ['text*'],
      '--merged': ['text*'],
      '--no-merged': ['text*'],
      '--points-at': ['text*'],
    },
    pass: [
      'git branch',
      'git branch -a -vv',
      "git branch --list 'feature/*'",
      'git branch --show-current',
      'git branch --merged main',
    ],
    ask: [
      'git branch new',
      'git branch -D old',
      'git branch -d old',
      'git branch -m new',
      'git branch -f main HEAD~1',
      'git branch -u origin/main',
      'git branch --edit-description',
      'git branch -l new',
      'git branch -v new',
      'git branch --sort=name new',
      'git branch --delete old',
    ],
  },
  tag: {
    flags: names('-l -i --list --ignore-case --no-column --omit-empty'),
    ...REFS,
    optional: { ...LISTING, '-n': 'num', '--color': 'enum always never auto', '--column': 'text' },
    operands: [],
    operandsWith: {
      '-l': ['text*'],
      '--list': ['text*'],
      '--contains': ['text*'],
      '--no-contains': ['text*'],
      '--merged': ['text*'],
      '--no-merged': ['text*'],
      '--points-at': ['text*'],
    },
    pass: ['git tag', "git tag -l 'v1.*'", 'git tag --sort=-creatordate', 'git tag -n3', 'git tag --contains HEAD'],
    ask: [
      'git tag v1',
      'git tag -d v1',
      'git tag -a v1 -m x',
      'git tag -s v1',
      'git tag -v v1',
      'git tag -f v1',
      'git tag --verify v1',
      'git tag -n 3',
    ],
  },
  remote: {
    flags: names('-v --verbose'),
    operands: [],
    pass: ['git remote', 'git remote -v'],
    ask: [
      'git remote add x https://example.org/x',
      'git remote remove origin',
      'git remote set-url origin x',
      'git remote update',
      'git remote prune origin',
    ],
  },
  'remote get-url': {
    flags: names('--push --all'),
    operands: ['text'],
    pass: ['git remote get-url origin', 'git remote get-url --push origin'],
    ask: ['git remote get-url --pu origin', 'git remote get-url a b', 'git remote get-url -x origin'],
  },
  // Without `-n` it asks the other machine.
  'remote show': {
    flags: ['-n'],
    requires: ['-n'],
    operands: ['text*'],
    pass: ['git remote show -n', 'git remote show -n origin'],
    ask: ['git remote show origin', 'git remote show', 'git remote show -x origin'],
  },
  grep: {
    flags: names(
      '-n -i -l -w -c -v -h -H -E -F -G -P -I -r -q -L -o -a -z -p -W --line-number --column --ignore-case --files-with-matches --name-only --files-without-match --word-regexp --count --invert-match --extended-regexp --fixed-strings --basic-regexp --perl-regexp --cached --untracked --no-index --exclude-standard --no-exclude-standard --and --or --not --break --heading --show-function --function-context --only-matching --text --recursive --no-recursive --all-match --full-name --null --quiet --no-color --no-textconv',
    ),
    valued: {
      ...all('pattern', '-e'),
      ...all('patterns', '-f'),
      ...all('num', '-A -B -C -m --after-context --before-context --context --max-count --max-depth --threads'),
    },
    optional: { '--color': 'enum always never auto' },
    operands: ['pattern', 'rev*'],
    count: true,
    listsWith: names('-l --files-with-matches --name-only -L --files-without-match'),
    listsNotWith: names('--color --full-name'),
    pass: [
      'git grep -n word',
      "git grep -e a --and -e b -- '*.ts'",
      'git grep -l word HEAD~1',
      'git grep -C3 word src',
    ],
    ask: [
      'git grep -O word',
      'git grep -Ovi word',
      'git grep --open-files-in-pager=x word',
      'git grep --no-index word ../other',
      'git grep -f /etc/shadow',
      'git grep --textconv word',
      'git grep --recurse-submodules word',
      'git grep --ext-grep word',
      'git grep --line word',
    ],
  },
  'for-each-ref': {
    flags: ['--ignore-case', '--omit-empty'],
    valued: { ...REFS.valued, '--count': 'num', '--exclude': 'text' },
    optional: { ...LISTING, '--color': 'enum always never auto' },
    operands: ['text*'],
    pass: ['git for-each-ref', "git for-each-ref --sort=-committerdate --count=5 --format='%(refname)' refs/heads"],
    ask: ['git for-each-ref --shell', 'git for-each-ref --stdin', 'git for-each-ref --form=x'],
  },
  'show-ref': {
    flags: names('-d -s -q --heads --branches --tags --verify --head --dereference --quiet'),
    optional: all('num', '--hash --abbrev'),
    operands: ['text*'],
    pass: ['git show-ref', 'git show-ref --verify refs/heads/main'],
    ask: ['git show-ref --exclude-existing', 'git show-ref --head=x', 'git show-ref --verif x'],
  },
  'symbolic-ref': {
    flags: names('--short -q --quiet'),
    operands: ['text'],
    pass: ['git symbolic-ref HEAD', 'git symbolic-ref --short HEAD'],
    ask: ['git symbolic-ref HEAD refs/heads/x', 'git symbolic-ref -d HEAD', 'git symbolic-ref -m x HEAD'],
  },
  'count-objects': {
    flags: names('-v -H --verbose --human-readable'),
    operands: [],
    pass: ['git count-objects', 'git count-objects -vH'],
    ask: ['git count-objects x', 'git count-objects --verb', 'git count-objects -x'],
  },
  'check-ignore': {
    flags: names('-v -q -n --verbose --quiet --non-matching --no-index'),
    operands: ['rev*'],
    pass: ['git check-ignore a.txt', 'git check-ignore -v dist'],
    ask: ['git check-ignore --stdin', 'git check-ignore --verb a', 'git check-ignore -x a'],
  },
  'name-rev': {
    flags: names('--name-only --tags --all --always --no-undefined'),
    valued: all('text', '--refs --exclude'),
    operands: ['rev*'],
    pass: ['git name-rev HEAD', 'git name-rev --tags --name-only HEAD'],
    ask: ['git name-rev --stdin', 'git name-rev --annotate-stdin', 'git name-rev --tag HEAD'],
  },
  cherry: {
    flags: names('-v --verbose'),
    optional: { '--abbrev': 'num' },
    operands: ['rev*'],
    pass: ['git cherry main', 'git cherry -v main HEAD'],
    ask: ['git cherry --verb main', 'git cherry -x main', 'git cherry --edit main'],
  },
  // One operand is a name that is read. A second one is the new value.
  config: {
    flags: names(
      '-l -z --list --get --get-all --get-regexp --global --system --local --worktree --show-origin --show-scope --name-only --null --no-includes --bool --int --path',
    ),
    valued: { '--type': 'enum bool int bool-or-int path expiry-date color', ...all('in', '-f --file') },
    operands: ['text'],
    operandsWith: {
      '--get': ['text', 'text'],
      '--get-all': ['text', 'text'],
      '--get-regexp': ['text', 'text'],
      '-l': [],
      '--list': [],
    },
    minOperands: 0,
    pass: [
      'git config user.name',
      'git config --get core.editor',
      'git config --list --show-origin',
      'git config -f .gitmodules --get-regexp path',
    ],
    ask: [
      'git config core.pager x',
      'git config --global core.pager x',
      'git config --add core.pager x',
      'git config --unset core.pager',
      'git config --replace-all core.pager x',
      'git config --edit',
      'git config -e',
      'git config set core.pager x',
      'git config -f /etc/shadow --list',
      'git config --lis',
    ],
  },
  'config list': {
    flags: names('-z --global --system --local --worktree --show-origin --show-scope --name-only --null --no-includes'),
    valued: { '--type': 'enum bool int bool-or-int path expiry-date color', ...all('in', '-f --file') },
    operands: [],
    pass: ['git config list', 'git config list --show-origin'],
    ask: ['git config list x', 'git config list --sho', 'git config unset x.y'],
  },
  'config get': {
    flags: names(
      '-z --all --regexp --fixed-value --global --system --local --worktree --show-origin --show-scope --show-names --null',
    ),
    valued: {
      '--type': 'enum bool int bool-or-int path expiry-date color',
      '--default': 'text',
      '--value': 'text',
      ...all('in', '-f --file'),
    },
    operands: ['text'],
    pass: ['git config get user.name', 'git config get --all remote.origin.fetch'],
    ask: ['git config get a.b c', 'git config get --al a.b', 'git config rename-section a b'],
  },
  'worktree list': {
    flags: names('-v -z --porcelain --verbose'),
    operands: [],
    pass: ['git worktree list', 'git worktree list --porcelain'],
    ask: ['git worktree add ../x', 'git worktree remove x', 'git worktree prune', 'git worktree list x'],
  },
  'sparse-checkout list': {
    operands: [],
    pass: ['git sparse-checkout list', 'git sparse-checkout list --'],
    ask: ['git sparse-checkout set src', 'git sparse-checkout list x', 'git sparse-checkout disable'],
  },
  'notes list': {
    operands: ['rev'],
    pass: ['git notes list', 'git notes list HEAD'],
    ask: ['git notes add -m x', 'git notes edit', 'git notes list a b'],
  },
  version: {
    flags: ['--build-options'],
    operands: [],
    pass: ['git version', 'git version --build-options'],
    ask: ['git version x', 'git version --build', 'git version -x'],
  },
};
