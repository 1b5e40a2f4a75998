/** Subcommands of git that show commits and differences, with the options that they share. */
import type { SubcommandProfile } from '../../wire/profile.ts';
import { all, names } from './family.ts';

const DIFF_FLAGS = names(
  '-p -u -s -w -b -R -z -a -W -B --patch --no-patch --raw --patch-with-raw --patch-with-stat --name-only --name-status --shortstat --numstat --summary --compact-summary --minimal --patience --histogram --indent-heuristic --no-indent-heuristic --no-renames --rename-empty --no-rename-empty --check --full-index --binary --pickaxe-all --pickaxe-regex --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --function-context --exit-code --quiet --no-ext-diff --no-textconv --no-prefix --default-prefix --no-relative --no-color --no-color-moved --ita-invisible-in-index --irreversible-delete -D --cc -c --combined-all-paths',
);
const DIFF_VALUED = {
  ...all(
    'text',
    '-S -G --diff-filter --word-diff-regex --src-prefix --dst-prefix --ignore-matching-lines -I --anchored',
  ),
  ...all('num', '-l --inter-hunk-context --stat-width --stat-name-width --stat-count'),
  '--diff-algorithm': 'enum default myers minimal patience histogram',
};
const DIFF_OPTIONAL = {
  ...all('num', '-U --unified --abbrev'),
  ...all(
    'text',
    '-M -C --find-renames --find-copies --break-rewrites --stat --dirstat --color-words --relative --color-moved-ws',
  ),
  ...all('enum always never auto', '--color'),
  '--word-diff': 'enum color plain porcelain none',
  '--color-moved': 'enum no default plain blocks zebra dimmed-zebra dimmed_zebra',
  '--ws-error-highlight': 'list none default old new context all',
  '--ignore-submodules': 'enum none untracked dirty all',
};

const LOG_FLAGS = names(
  '-i -E -F -P -g -m -t -r --oneline --all --graph --no-graph --no-decorate --reverse --merges --no-merges --first-parent --follow --date-order --topo-order --author-date-order --left-right --cherry --cherry-pick --cherry-mark --left-only --right-only --show-pulls --full-history --dense --sparse --simplify-merges --simplify-by-decoration --ancestry-path --boundary --parents --children --abbrev-commit --no-abbrev-commit --no-notes --mailmap --no-mailmap --use-mailmap --source --clear-decorations --full-diff --log-size --relative-date --walk-reflogs --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --not --merge --remove-empty --no-expand-tabs --bisect',
);
const LOG_VALUED = {
  ...all('num', '-n --max-count --skip'),
  ...all(
    'text',
    '--since --after --until --before --author --committer --grep --grep-reflog --date --glob --exclude --encoding',
  ),
};
const LOG_OPTIONAL = {
  ...all(
    'text',
    '--pretty --format --branches --tags --remotes --notes --show-notes --decorate-refs --decorate-refs-exclude',
  ),
  '--no-walk': 'enum sorted unsorted',
  '--decorate': 'enum short full auto no',
  '--diff-merges': 'enum off none on m first-parent 1 separate combined c dense-combined cc remerge r',
  '--expand-tabs': 'num',
};

/** `log`, `show` and what prints their lists. */
const LOG: SubcommandProfile = {
  flags: [...new Set([...DIFF_FLAGS, ...LOG_FLAGS])],
  valued: { ...DIFF_VALUED, ...LOG_VALUED, '-L': 'text' },
  optional: { ...DIFF_OPTIONAL, ...LOG_OPTIONAL },
  operands: ['rev*'],
  count: true,
};

export const GIT_HISTORY: Readonly<Record<string, SubcommandProfile>> = {
  log: {
    ...LOG,
    pass: [
      'git log --oneline -5',
      "git log -1 --format='%H %an'",
      'git log -n 3 --stat -- a.txt',
      'git log --since=2.weeks --author=me',
      'git log -p -S word -- src',
    ],
    ask: [
      'git log --output=out.txt',
      'git log --outp=out.txt',
      'git log --format --output=out.txt',
      'git log --author --output=out.txt',
      'git log --ext-diff -p',
      'git log --textconv -p',
      'git log --show-signature',
      'git log -O /etc/shadow',
      'git log --submodule=log -p',
      'git log --stdin',
      'git log --onel',
    ],
  },
  show: {
    ...LOG,
    pass: ['git show HEAD', 'git show HEAD:a.txt', 'git show --stat HEAD~1'],
    ask: ['git show --output=out.txt', 'git show --textconv HEAD:a.txt', 'git show --ext-diff', 'git show --sta'],
  },
  diff: {
    flags: [...DIFF_FLAGS, ...names('--cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3')],
    valued: DIFF_VALUED,
    optional: DIFF_OPTIONAL,
    operands: ['rev*'],
    listsWith: ['--name-only'],
    listsNotWith: names('-p -u --patch --stat --raw --numstat --summary --color --src-prefix --dst-prefix --check'),
    pass: [
      'git diff',
      'git diff HEAD~1 -- a.ts',
      'git diff --cached --stat',
      'git diff -U5 -w main...HEAD',
      'git diff --name-only',
    ],
    ask: [
      'git diff --output=out.txt',
      'git diff --output out.txt',
      'git diff --ext-diff',
      'git diff --textconv',
      'git diff --no-index a.txt b.txt',
      'git diff /etc/shadow /dev/null',
      'git diff -- ../a.txt',
      'git diff --submodule=diff',
      'git diff --line-prefix=x',
      'git diff -Oa.txt',
      'git diff --stage',
    ],
  },
  'stash list': {
    ...LOG,
    operands: [],
    pass: ['git stash list', 'git stash list --oneline'],
    ask: ['git stash', 'git stash push', 'git stash pop', 'git stash drop', 'git stash clear', 'git stash list x'],
  },
  'stash show': {
    flags: [...DIFF_FLAGS, ...names('--include-untracked --only-untracked')],
    valued: DIFF_VALUED,
    optional: DIFF_OPTIONAL,
    operands: ['rev'],
    pass: ['git stash show', 'git stash show -p stash@{1}'],
    ask: ['git stash show --output=out.txt', 'git stash show --ext-diff', 'git stash apply'],
  },
  // Another operand is a command, such as `expire` and `delete`.
  reflog: {
    ...LOG,
    operands: [],
    pass: ['git reflog', 'git reflog -5 --oneline'],
    ask: [
      'git reflog expire --all',
      'git reflog delete HEAD@{1}',
      'git reflog drop --all',
      'git reflog --output=out.txt',
    ],
  },
  'reflog show': {
    ...LOG,
    pass: ['git reflog show', 'git reflog show main'],
    ask: ['git reflog show --output=out.txt', 'git reflog show --ext-diff', 'git reflog show --onel'],
  },
  'rev-list': {
    flags: [
      ...LOG_FLAGS,
      ...names(
        '-q --quiet --count --objects --objects-edge --timestamp --header --no-object-names --unpacked --disk-usage',
      ),
    ],
    valued: LOG_VALUED,
    optional: { ...LOG_OPTIONAL, '--abbrev': 'num' },
    operands: ['rev*'],
    count: true,
    pass: ['git rev-list --count HEAD', 'git rev-list -3 main..HEAD'],
    ask: [
      'git rev-list --stdin',
      'git rev-list --use-bitmap-index HEAD',
      'git rev-list --filter=blob:none HEAD',
      'git rev-list --coun HEAD',
    ],
  },
  shortlog: {
    flags: [
      ...LOG_FLAGS.filter((name) => !['-m', '-g', '-t', '-r'].includes(name)),
      ...names('-s -n -e -c --summary --numbered --email'),
    ],
    // `-n` sorts.
    valued: Object.fromEntries(Object.entries(LOG_VALUED).filter(([name]) => name !== '-n')),
    optional: { ...LOG_OPTIONAL, '-w': 'text', '--group': 'text' },
    operands: ['rev*'],
    pass: ['git shortlog -sn HEAD', 'git shortlog -sne --all'],
    ask: ['git shortlog --summ HEAD', 'git shortlog --output=out.txt HEAD', 'git shortlog -x HEAD'],
  },
};
