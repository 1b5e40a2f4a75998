/** Git runs aliases, hooks, pagers, editors and helpers, so harmless commands and options are a closed list. */
import type { Lookup, RepositoryFacts } from '../../wire/policy.ts';
import { type Finding, programFlag, projectCode } from './finding.ts';
import { findFlag } from './flags.ts';
import { forcedFor, withForced } from './git-forced.ts';
import { ASKING_OPTIONS, KNOWN_OPTIONS } from './git-options.ts';
import { isNetworkAddress, localRepository } from './git-remotes.ts';
import { repositoryFinding } from './git-repository.ts';
import { signatureFinding } from './git-signatures.ts';
import { userFinding } from './git-user.ts';
import { writesFinding } from './git-writes.ts';
import { resolveWithoutLinks } from './resolve-without-links.ts';
import type { ToolFlags } from './tool-flags.ts';

const PLAIN_GLOBALS = new Set(
  '--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice'.split(
    ' ',
  ),
);
const INFORMATION = new Set([
  '--version',
  '-v',
  '--help',
  '-h',
  '--exec-path',
  '--html-path',
  '--man-path',
  '--info-path',
]);

/** Git's own commands: any other name can be an alias that a repository defines. */
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

/** Commands that create files at a given path, also outside the repository; `mv` renames before it checks the name. */
const CREATING = new Set('bundle clone init mv worktree'.split(' '));

const ANY_COMMAND: ToolFlags = {
  words: '--help',
  like: /^(?:[a-z0-9][a-z0-9+.-]*::|ssh:\/\/-|--rebase=i)/i,
};
const BY_COMMAND: Readonly<Record<string, ToolFlags>> = {
  grep: { short: 'O', valued: 'ABCefm' },
  clone: { short: 'cu', valued: 'bjo' },
  commit: { short: 'ecpS', valued: 'mFCt' },
  add: { short: 'eip' },
  tag: { short: 'esuv', valued: 'mFn' },
  notes: { words: 'edit' },
  replace: { short: 'e' },
  revert: { short: 'eS' },
  'cherry-pick': { short: 'eS', valued: 'mX' },
  am: { short: 'iS', valued: 'Cp' },
  rebase: { short: 'xis', valued: 'CSX' },
  merge: { short: 'seS', valued: 'mFX' },
  pull: { short: 'sS', valued: 'jX' },
  archive: { short: 'o' },
  // It writes through an existing symlink.
  bundle: { words: 'create' },
  'format-patch': { short: 'o', valued: 'v' },
  remote: { short: 'f', valued: 'mt' },
  bisect: { words: 'run visualize view' },
  submodule: { words: 'foreach add update sync set-url' },
  var: { like: /EDITOR|PAGER/ },
};

/** Commands that write a ref of any name, and the names that stay in the refs folder. Git does not check them. */
const WRITING_REFS = new Set(['symbolic-ref', 'update-ref']);
const PLAIN_REF = /^(?:HEAD|refs\/(?!.*\.\.)[\w./-]+|[0-9a-f]{4,64})$/;

/** Options with which `git commit` opens no editor. */
const MESSAGE = /^-[a-zA-Z]*[mFCh]|^--(?:message|file|reuse-message|no-edit|fixup|dry-run|help)(?:=|$)/;

const OTHER_FOLDER = 'the configuration of a repository in another folder can name programs for git to run';

export interface GitContext {
  readonly lookup: Lookup;
  readonly cwd: string;
  /** The command runs in a shell that Pincer does not start, without the forced settings. */
  readonly foreignShell?: boolean | undefined;
}

/** A call of git that starts no other program. */
export interface GitCall {
  /** The arguments with which it runs. */
  readonly args: readonly string[];
  /** Why it may change what the agent may not. */
  readonly writes?: Finding;
}

/**
 * A finding about a call of git, or how it runs. Undefined for other programs. `isListed`: its profile lists the command and its
 * options, so only its repository and its paths decide.
 */
export function judgeGit(
  names: ReadonlySet<string>,
  args: readonly string[],
  context: GitContext,
  isListed = false,
): { readonly finding: Finding } | GitCall | undefined {
  const name = [...names].find((one) => one === 'git' || one.startsWith('git-'));
  if (name === undefined) return undefined;
  if (!names.has('git') || [...names].some((one) => one.startsWith('git-')))
    return { finding: projectCode(0, `${name} is a part of git that is not analysed`) };
  const global = globalOptions(args, context.cwd);
  if ('finding' in global) return global;
  const { at, folder } = global;
  const within = folder.slice(context.cwd.length + 1);
  if (within !== '' && resolveWithoutLinks(within, context.cwd, context.lookup) === undefined)
    return { finding: programFlag(at, OTHER_FOLDER) };
  const command = args[at];
  if (command === undefined) return { args };
  const inArguments = isListed ? undefined : findingIn(command, args, at);
  if (inArguments !== undefined) return { finding: inArguments };
  const isLinked = (path: string): boolean => resolveWithoutLinks(path, folder, context.lookup) === undefined;
  const linked = args.findIndex(
    (arg, i) => i > at && isCreatedPath(command, args.slice(at + 1), i - at - 1) && isLinked(arg),
  );
  if (linked >= 0)
    return {
      finding: programFlag(linked + 1, `git ${command} creates files at ${args[linked]}, which contains a symlink`),
    };
  const facts = context.lookup.repositoryAt(folder);
  const exists = (path: string): boolean => context.lookup.realPath(`${folder}/${path}`) !== undefined;
  const forced = context.foreignShell === true ? undefined : forcedFor(command, facts);
  const finding =
    repositoryFinding(command, at + 1, facts, forced) ??
    (forced === undefined
      ? userFinding(command, at + 1, context.lookup.gitUser())
      : signatureFinding(command, at + 1, facts, context.lookup.gitUser())) ??
    remoteFinding(args, at, facts, exists);
  if (finding !== undefined) return { finding };
  const obeyed = (): string | undefined => context.lookup.obeyedByGit(folder);
  const writes = writesFinding(command, args.slice(at + 1), at + 1, facts, obeyed);
  return {
    args: forced === undefined ? args : withForced(args, at, forced),
    ...(writes === undefined ? {} : { writes }),
  };
}

/** Parses the options before git's command; returns the index of the command and the folder that git works in. */
export function globalOptions(
  args: readonly string[],
  cwd: string,
): { readonly finding: Finding } | { readonly at: number; readonly folder: string } {
  let folder = cwd;
  let at = 0;
  for (; at < args.length && args[at]!.startsWith('-'); at++) {
    const arg = args[at]!;
    if (INFORMATION.has(arg))
      return args.length === at + 1
        ? { at: args.length, folder }
        : { finding: projectCode(at + 1, `git ${arg} with further arguments opens a viewer`) };
    if (PLAIN_GLOBALS.has(arg)) continue;
    if (arg !== '-C')
      return { finding: programFlag(at + 1, `the option ${arg} of git changes its configuration or its programs`) };
    const target = args[at + 1] ?? '';
    if (isOutside(target))
      return {
        finding: programFlag(at + 2, OTHER_FOLDER),
      };
    folder = target === '' ? folder : `${folder}/${target}`;
    at++;
  }
  return { at, folder };
}

function findingIn(command: string, args: readonly string[], at: number): Finding | undefined {
  if (!PLAIN_COMMANDS.has(command))
    return projectCode(at + 1, `git ${command} is an alias, or a command that runs other programs`);
  const rest = args.slice(at + 1);
  if (command === 'config')
    return isReadingConfig(rest) ? undefined : programFlag(at + 1, 'git config can name programs for git to run');
  if (command === 'clean' && !rest.some((arg) => /^-[a-z]*n|^--dry-run$/.test(arg)))
    return programFlag(at + 1, 'git clean deletes untracked files');
  if (command === 'format-patch' && !rest.includes('--stdout'))
    return programFlag(at + 1, 'git format-patch names files after commits and writes through symlinks; add --stdout');
  if (command === 'commit' && !rest.some((arg) => MESSAGE.test(arg)))
    return programFlag(at + 1, 'git commit without a message opens an editor');
  const target = rest.findIndex((arg, i) => isCreatedPath(command, rest, i) && isOutside(arg));
  if (target >= 0)
    return programFlag(at + 2 + target, `git ${command} creates files at ${rest[target]}, outside the folder`);
  const ref = WRITING_REFS.has(command) ? rest.findIndex((arg) => !arg.startsWith('-') && !PLAIN_REF.test(arg)) : -1;
  if (ref >= 0)
    return programFlag(at + 2 + ref, `git ${command} writes a file named ${rest[ref]}, which is not a plain ref`);
  const unknown = unknownOption(command, rest);
  if (unknown !== undefined)
    return programFlag(
      at + 2 + unknown,
      `the option ${rest[unknown]} of git ${command} is not known to be harmless, or is abbreviated`,
    );
  const found =
    findFlag(ANY_COMMAND, rest) ??
    (Object.hasOwn(BY_COMMAND, command) ? findFlag(BY_COMMAND[command]!, rest) : undefined);
  return found === undefined
    ? undefined
    : programFlag(at + 1 + found.word, `${found.what} of git ${command} can run a program or write a file`);
}

/** The index of the first unlisted long option; what follows `--` is not an option. */
function unknownOption(command: string, rest: readonly string[]): number | undefined {
  const asking = Object.hasOwn(ASKING_OPTIONS, command) ? ASKING_OPTIONS[command]!.split(' ') : [];
  for (const [i, arg] of rest.entries()) {
    if (arg === '--') return undefined;
    if (!arg.startsWith('--')) continue;
    const name = /^--([^=]*)/s.exec(arg)![1]!;
    const isKnown = KNOWN_OPTIONS.has(name) && !asking.includes(name);
    if (!isKnown && !isSwitchingOff(name)) return i;
  }
  return undefined;
}

/** `--no-verify`, `--no-ext-diff`: the opposite of an option starts nothing. */
function isSwitchingOff(name: string): boolean {
  return /^no-(?!no-)[a-z0-9-]+$/.test(name);
}

/** Whether the command contacts a repository that may be on this machine. */
function remoteFinding(
  args: readonly string[],
  at: number,
  facts: RepositoryFacts | undefined,
  exists: (path: string) => boolean,
): Finding | undefined {
  const local = localRepository(args[at]!, args.slice(at + 1), facts, exists);
  return local === undefined
    ? undefined
    : projectCode(
        at + 1,
        `git ${args[at]} runs hooks and settings of the repository ${local}, which may be on this machine`,
      );
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
    return !words.slice(1).some((word) => word.startsWith('-'));
  return words.length === 1 && /^[A-Za-z0-9-]+\.[A-Za-z0-9.-]+$/.test(words[0]!);
}

/** Whether the argument can be a path where the command creates files; after `--`, no argument is an option. */
function isCreatedPath(command: string, rest: readonly string[], at: number): boolean {
  const word = rest[at]!;
  const end = rest.indexOf('--');
  const isOption = word.startsWith('-') && (end < 0 || at <= end);
  return CREATING.has(command) && !isOption && !(command === 'clone' && isNetworkAddress(word));
}

/** Whether a path leaves the folder, or names files that make git run programs. */
function isOutside(path: string): boolean {
  const segments = path.split('/');
  return segments.includes('..') || segments.includes('.git') || /^[/~]/.test(path);
}
