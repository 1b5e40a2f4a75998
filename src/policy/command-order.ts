/**
 * Commands that run one after the other. All are judged before the first one runs. A judgement that depends on files (a
 * repository, a program that others can write) is valid only while no earlier command changes files.
 */
import type { Binary, Lookup, Risk, Rule, StageReport } from '../wire/policy.ts';
import { firstOf } from './programs/carriers.ts';
import { describedCall } from './grammar/described-call.ts';
import { isTrusted } from './grammar/described.ts';
import { globalOptions } from './programs/git.ts';
import { READING } from './programs/git-forced.ts';
import { isReadOnlyGit } from './programs/git-writes.ts';
import { folderOf, namesOf } from './programs/names.ts';
import { unwrap, WRAPPERS } from './programs/wrappers.ts';

/** Built-ins of a shell that write no file. */
const READING_BUILTINS = new Set('[ echo false printf pwd test true'.split(' '));
/**
 * Git commands that write no file of the working tree and turn no folder into a submodule, as `add` does. `fetch`, `push -u`
 * and `branch` write settings about branches and remotes, which start no program.
 */
const GIT_READERS = new Set([...READING, 'branch', 'tag', 'reflog', 'commit', 'push', 'fetch', 'ls-remote', 'version']);
const FIXED = new Set('/bin /usr/bin /sbin /usr/sbin /usr/local/bin /usr/local/sbin'.split(' '));
/** Nested wrappers. */
const DEEPEST = 4;
const NO_RULES = { safeBinTrustedDirs: [], profiles: {} };

/** One command: its words (undefined where a word is known only when it runs) and its program. */
export interface OrderedCommand {
  readonly words: readonly (string | undefined)[];
  readonly binary: Binary | undefined;
  /** It redirects output to a file. */
  readonly writes?: boolean;
  /** What decides about it, or what it runs, is in files that commands can change. */
  readonly obeysFiles?: boolean;
  /** It writes files only when all commands before it have ended. */
  readonly writesLast?: boolean;
}

/** Whether a command runs code of files, or the rule that allows it is bound to their texts. */
export function obeysFiles({ risk, rule }: { readonly risk?: Risk; readonly rule?: Rule }): boolean {
  return risk === 'project' || (rule !== undefined && 'bound' in rule);
}

/** Whether a command may change its folder although the rule that allows it names no folder. */
export function mayChangeFolder({ argv, binary, rule }: Pick<StageReport, 'argv' | 'binary' | 'rule'>): boolean {
  return !isReadOnly({ words: argv, binary }) && !(rule !== undefined && ('cwd' in rule || 'below' in rule));
}

/** The index of the first command whose judgement an earlier one may invalidate; -1 where the order does not matter. */
export function firstInvalidated(commands: readonly OrderedCommand[], lookup: Lookup): number {
  const writer = commands.findIndex((command) => !isReader(command));
  return writer < 0 ? -1 : commands.findIndex((command, i) => i > writer && dependsOnFiles(command, lookup));
}

/** The same for a pipeline, where any other command may change files first. */
export function firstInvalidatedInPipe(commands: readonly OrderedCommand[], lookup: Lookup): number {
  const writers = commands.map((command) => !isReader(command));
  const isBehind = (other: number, i: number): boolean => other > i && commands[other]!.writesLast === true;
  return commands.findIndex(
    (command, i) =>
      writers.some((writes, other) => writes && other !== i && !isBehind(other, i)) && dependsOnFiles(command, lookup),
  );
}

/** Whether a command changes no file of the working folder. */
export function isReader(command: OrderedCommand): boolean {
  return changesNothing(command, (gitCommand) => GIT_READERS.has(gitCommand));
}

/** Whether a command changes nothing, not even in a repository. */
export function isReadOnly(command: OrderedCommand): boolean {
  return changesNothing(command, isReadOnlyGit);
}

function changesNothing({ words, binary, writes }: OrderedCommand, isPlainGit: typeof isReadOnlyGit): boolean {
  const [word] = words;
  if (writes === true || word === undefined) return false;
  if (binary === undefined) return READING_BUILTINS.has(word);
  const names = namesOf(word, binary);
  const args = words.slice(1);
  const known = args.filter((arg) => arg !== undefined);
  if (names.has('git')) {
    const options = globalOptions(known, '');
    if (known.length < args.length || 'finding' in options) return false;
    return isPlainGit(known[options.at] ?? '', known.slice(options.at + 1));
  }
  const accepted =
    known.length < args.length
      ? undefined
      : describedCall(binary, known, names, { rules: NO_RULES, cwd: '' })?.accepted;
  return accepted?.class === 'read' && accepted.carried.length === 0 && isTrusted(binary, NO_RULES);
}

/** Whether a command, or what a wrapper such as `timeout` starts, depends on files that commands can change. */
export function dependsOnFiles(command: OrderedCommand, lookup: Lookup, depth = 0): boolean {
  if (command.obeysFiles === true || isChangeable(command, lookup)) return true;
  const [word = '', ...args] = command.words;
  const wrapper = firstOf(namesOf(word, command.binary), WRAPPERS);
  if (wrapper === undefined) return false;
  const known = args.filter((arg) => arg !== undefined);
  const inside = known.length === args.length && depth < DEEPEST ? unwrap(wrapper, known) : { refused: 0 };
  if ('refused' in inside) return true;
  if ('runsNothing' in inside) return false;
  const words = known.slice(inside.inner);
  return dependsOnFiles({ words, binary: lookup.find(words[0] ?? '') }, lookup, depth + 1);
}

/** Git obeys its repository. A path can come to mean another file; so can a name, if PATH has other folders first. */
function isChangeable({ words, binary }: OrderedCommand, { folders }: Lookup): boolean {
  const [word = ''] = words;
  if (binary === undefined) return word.includes('/');
  if (namesOf(word, binary).has('git') || binary.writable) return true;
  const found = folderOf(binary.path);
  const earlier = word.includes('/') ? [] : folders.slice(0, Math.max(0, folders.indexOf(found)));
  return [found, folderOf(binary.real), ...earlier].some((folder) => !FIXED.has(folder));
}
