/** Git runs aliases, hooks, pagers, editors and helpers: what is plain is a closed list. */
import { type Finding, programFlag, projectCode } from './finding.ts';
import { findFlag } from './flags.ts';
import type { ToolFlags } from './tools.ts';

const PLAIN_GLOBALS = new Set(
  '--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice'.split(
    ' ',
  ),
);
const QUESTIONS = new Set([
  '--version',
  '-v',
  '--help',
  '-h',
  '--exec-path',
  '--html-path',
  '--man-path',
  '--info-path',
]);

/** Commands of git itself: any other word can be an alias that a repository brings along. */
const PLAIN_COMMANDS = new Set(
  (
    'add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout ' +
    'cherry cherry-pick clean clone column commit commit-graph commit-tree count-objects describe diff diff-files diff-index diff-tree ' +
    'fetch fmt-merge-msg for-each-ref format-patch fsck gc grep hash-object init log ls-files ' +
    'ls-remote ls-tree merge merge-base merge-tree mktag mktree mv name-rev notes ' +
    'pack-redundant pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog remote repack replace request-pull ' +
    'rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stage stash ' +
    'status stripspace submodule switch symbolic-ref tag update-index update-ref var ' +
    'verify-pack version whatchanged worktree write-tree bisect config'
  ).split(' '),
);

const ANY_COMMAND: ToolFlags = {
  words: '--help',
  long: 'upload-pack receive-pack exec ext-diff textconv open-files-in-pager extcmd tool template config config-env output output-directory interactive remote-exec sequence-editor filters show-signature gpg-sign unsafe-paths index-output edit edit-todo',
  harmless: 'text tool-help out o e ex te i in t f filter fi fil filt filte c co con conf',
  like: /^(?:[a-z0-9][a-z0-9+.-]*::|ssh:\/\/-|--rebase=i)/i,
};
const BY_COMMAND: Readonly<Record<string, ToolFlags>> = {
  grep: { short: 'O', valued: 'ABCefm' },
  clone: { short: 'cu', valued: 'bjo', long: 'recurse-submodules recursive' },
  commit: { short: 'ecpS', valued: 'mFCt', long: 'edit reedit-message patch' },
  add: { short: 'eip', long: 'edit patch' },
  tag: { short: 'esu', valued: 'mFn', long: 'edit sign local-user' },
  branch: { long: 'edit-description' },
  notes: { words: 'edit' },
  replace: { short: 'e' },
  revert: { short: 'eS' },
  'cherry-pick': { short: 'eS', valued: 'mX' },
  am: { short: 'iS', valued: 'Cp' },
  rebase: { short: 'xi', valued: 'CsSX' },
  archive: { short: 'o' },
  'format-patch': { short: 'o', valued: 'v' },
  bisect: { words: 'run visualize view' },
  submodule: { words: 'foreach add update sync set-url' },
  var: { like: /EDITOR|PAGER/ },
};

/** What keeps `git commit` from opening an editor. */
const MESSAGE = /^-[a-zA-Z]*[mFCh]|^--(?:message|file|reuse-message|no-edit|fixup|dry-run|help)(?:=|$)/;

/** Whether a call of git does something that its name does not say. */
export function gitFinding(names: ReadonlySet<string>, args: readonly string[]): Finding | undefined {
  const name = [...names].find((one) => one === 'git' || one.startsWith('git-'));
  if (name === undefined) return undefined;
  if (!names.has('git') || [...names].some((one) => one.startsWith('git-')))
    return projectCode(0, `${name} is a part of git that is not looked into`);
  let at = 0;
  for (; at < args.length && args[at]!.startsWith('-'); at++) {
    const arg = args[at]!;
    if (QUESTIONS.has(arg))
      return args.length === at + 1 ? undefined : projectCode(at + 1, `git ${arg} with further words opens a viewer`);
    if (PLAIN_GLOBALS.has(arg)) continue;
    if (arg === '-C' && isOutside(args[at + 1] ?? ''))
      return programFlag(
        at + 2,
        'the configuration of a repository in another folder can name programs for git to run',
      );
    if (arg !== '-C') return programFlag(at + 1, `the option ${arg} of git changes its configuration or its programs`);
    at++;
  }
  const command = args[at];
  if (command === undefined) return undefined;
  if (!PLAIN_COMMANDS.has(command))
    return projectCode(at + 1, `git ${command} is an alias, or a command that runs other programs`);
  const rest = args.slice(at + 1);
  if (command === 'config' && !isReadingConfig(rest))
    return programFlag(at + 1, 'git config can name programs for git to run');
  if (command === 'clean' && !rest.some((arg) => /^-[a-z]*n|^--dry-run$/.test(arg)))
    return programFlag(at + 1, 'git clean deletes files that git does not keep');
  if (command === 'commit' && !rest.some((arg) => MESSAGE.test(arg)))
    return programFlag(at + 1, 'git commit without a message opens an editor');
  const found =
    findFlag(ANY_COMMAND, rest) ??
    (Object.hasOwn(BY_COMMAND, command) ? findFlag(BY_COMMAND[command]!, rest) : undefined);
  return found === undefined
    ? undefined
    : programFlag(at + 1 + found.word, `${found.what} of git ${command} can run a program or write a file`);
}

function isReadingConfig(rest: readonly string[]): boolean {
  const words = rest.filter(
    (word) =>
      !/^--(?:global|local|system|worktree|show-origin|show-scope|null|name-only|includes|no-includes|bool|int|path|type=\w+)$/.test(
        word,
      ),
  );
  if (
    /^(?:--get|--get-all|--get-regexp|--list|-l|list|get|--get-urlmatch|--get-color|--get-colorbool)$/.test(
      words[0] ?? '',
    )
  )
    return !words.some((word) => /^(?:-e|--edit|-f|--file|--blob|--add|--unset|--replace)/.test(word));
  return words.length === 1 && /^[A-Za-z0-9-]+\.[A-Za-z0-9.-]+$/.test(words[0]!);
}

/** Whether a path leads out of the folder, or to files by which git runs programs. */
function isOutside(path: string, cwd = ''): boolean {
  const inside = cwd.length > 1 && (path === cwd || path.startsWith(`${cwd}/`)) ? path.slice(cwd.length) : path;
  const segments = inside.split('/');
  if (segments.includes('..') || segments.includes('.git')) return true;
  return inside === path && /^[/~]/.test(path);
}
