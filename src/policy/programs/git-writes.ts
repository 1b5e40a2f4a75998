/**
 * Calls of git that may change what the agent itself may not change. In a repository that extends outside the workspace,
 * these are all that do more than read. Where settings name files of the workspace, these are all that may write files.
 */
import type { RepositoryFacts } from '../../wire/policy.ts';
import { type Finding, outsideWorkspace, projectCode } from './finding.ts';
import { READING } from './git-forced.ts';

/** Commands that only read, whatever arguments follow. For `config`, only calls that read settings arrive here. */
const READ_ONLY: ReadonlySet<string> = new Set([
  ...READING,
  ...(
    'check-attr check-ignore check-mailmap check-ref-format cherry column config count-objects diff-files diff-index diff-tree ' +
    'fmt-merge-msg ls-remote merge-base name-rev patch-id range-diff request-pull show-branch show-index stripspace var verify-pack ' +
    'version whatchanged'
  ).split(' '),
]);

const LISTING_BRANCHES = new Set('-a -r -l -v -vv --all --remotes --list --show-current --verbose'.split(' '));
const isOperand = (word: string): boolean => !word.startsWith('-');

/** Commands that only read with certain arguments. */
const READ_ONLY_WITH: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  branch: (words) => words.every((word) => LISTING_BRANCHES.has(word)),
  reflog: ([first = 'show']) => first === 'show',
  remote: ([first, ...rest]) =>
    first === 'get-url' ? rest.every(isOperand) : (first ?? '-v') === '-v' && rest.length === 0,
  stash: ([first]) => first === 'list' || first === 'show',
  tag: ([first, ...rest]) => first === undefined || (/^(?:-l|--list)$/.test(first) && rest.every(isOperand)),
  worktree: ([first]) => first === 'list',
};

/** Commands that change a repository, but no file of the working tree. */
const WRITING_NO_FILES = new Set(
  (
    'add archive branch bundle commit commit-graph commit-tree fetch format-patch fsck gc hash-object merge-tree mktag mktree notes pack-redundant ' +
    'pack-refs prune prune-packed push reflog remote repack replace stage symbolic-ref tag update-index update-ref write-tree'
  ).split(' '),
);

/** Commands that change only index, new objects and current branch, which a linked worktree keeps outside the workspace. */
const CURRENT_BRANCH_ONLY = new Set(['add', 'stage', 'commit']);

/** Subcommands of `git worktree` that change no other worktree. */
const OF_ONE_WORKTREE = new Set('list add prune lock unlock'.split(' '));

export function isReadOnlyGit(command: string, words: readonly string[]): boolean {
  return READ_ONLY.has(command) || (Object.hasOwn(READ_ONLY_WITH, command) && READ_ONLY_WITH[command]!(words));
}

/**
 * Why a call may change what the agent may not. `words` follow the command at index `word`; `obeyed` returns a file because of
 * which git starts programs.
 */
export function writesFinding(
  command: string,
  words: readonly string[],
  word: number,
  facts: RepositoryFacts | undefined,
  obeyed: () => string | undefined,
): Finding | undefined {
  if (isReadOnlyGit(command, words)) return undefined;
  const { outside, isTreeInside, worktreeOutside } = facts ?? {};
  if (outside !== undefined && !(isTreeInside === true && CURRENT_BRANCH_ONLY.has(command)))
    return outsideWorkspace(
      word,
      `git ${command} may change files in ${outside}, which belongs to the repository and is not in the workspace`,
    );
  if (command === 'worktree' && worktreeOutside !== undefined && !OF_ONE_WORKTREE.has(words[0] ?? ''))
    return outsideWorkspace(
      word,
      `git worktree may move or delete ${worktreeOutside}, which is a worktree outside the workspace`,
    );
  const file = WRITING_NO_FILES.has(command) ? undefined : obeyed();
  return file === undefined
    ? undefined
    : {
        ...projectCode(
          word,
          `git ${command} may write ${file}, which git's settings name and because of which git starts programs`,
        ),
        explicit: true,
      };
}
