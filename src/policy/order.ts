/**
 * Commands that run one after the other. All are judged before the first one runs, so what is judged by files (a repository,
 * a program that others can write) holds only while no command before it changes files.
 */
import type { Binary, Lookup } from '../wire/policy.ts';
import { firstOf } from './programs/carriers.ts';
import { flagFinding } from './programs/flags.ts';
import { globalOptions } from './programs/git.ts';
import { READING } from './programs/git-forced.ts';
import { looksOnly } from './programs/git-writes.ts';
import { folderOf, namesOf } from './programs/names.ts';
import { isOfTheSystem } from './programs/system.ts';
import { unwrap, WRAPPERS } from './programs/wrappers.ts';

/** Programs of the system that write no file, but by the options that `flagFinding` knows. */
const READERS = new Set(
  `
  [ basename cat cksum cmp column comm cut date df diff dirname du echo egrep expand false fgrep file find fmt fold free grep head id join jq ls md5sum nl
  nproc od paste printf ps pwd readlink realpath rev sha1sum sha256sum sha512sum sleep sort stat strings tac tail test tr tree true uname unexpand uniq uptime
  wc whereis which whoami
`
    .trim()
    .split(/\s+/),
);
/**
 * Commands of git that write no file of the working tree, and make no submodule of a folder, as `add` does. `fetch`, `push -u` and
 * `branch` write settings about branches and remotes, which start no program.
 */
const GIT_READERS = new Set([...READING, 'branch', 'tag', 'reflog', 'commit', 'push', 'fetch', 'ls-remote', 'version']);
/** Folders that belong to the system. */
const FIXED = new Set('/bin /usr/bin /sbin /usr/sbin /usr/local/bin /usr/local/sbin'.split(' '));
/** Wrappers within wrappers. */
const DEEPEST = 4;
const NO_RULES = { safeBinTrustedDirs: [] };

/** One command: its words, undefined where a word is only known when it runs, and its program. */
export interface OrderedCommand {
  readonly words: readonly (string | undefined)[];
  readonly binary: Binary | undefined;
  /** It sends output to a file. */
  readonly writes?: boolean;
}

/** The place of the first command whose judgement an earlier one may change; -1 where the order does not matter. */
export function firstUnsettled(commands: readonly OrderedCommand[], lookup: Lookup): number {
  const writer = commands.findIndex((command) => !isReader(command));
  return writer < 0 ? -1 : commands.findIndex((command, i) => i > writer && dependsOnFiles(command, lookup));
}

/** The same for commands that run at the same time: any other one may change files first. */
export function firstUnsettledInPipe(commands: readonly OrderedCommand[], lookup: Lookup): number {
  const writers = commands.map((command) => !isReader(command));
  return commands.findIndex(
    (command, i) => writers.some((writes, other) => writes && other !== i) && dependsOnFiles(command, lookup),
  );
}

/** Whether a command changes no file of the working folder. */
export function isReader(command: OrderedCommand): boolean {
  return changesNothing(command, (gitCommand) => GIT_READERS.has(gitCommand));
}

/** Whether a command changes nothing at all, in a repository either. */
export function isLooking(command: OrderedCommand): boolean {
  return changesNothing(command, looksOnly);
}

function changesNothing({ words, binary, writes }: OrderedCommand, isPlainGit: typeof looksOnly): boolean {
  const [word] = words;
  if (writes === true || word === undefined) return false;
  if (binary === undefined) return READERS.has(word); // a shell answers these by itself
  const names = namesOf(word, binary);
  const args = words.slice(1);
  const known = args.filter((arg) => arg !== undefined);
  if (names.has('git')) {
    const options = globalOptions(known, '');
    if (known.length < args.length || 'finding' in options) return false;
    return isPlainGit(known[options.at] ?? '', known.slice(options.at + 1));
  }
  return [...READERS].some((name) => isOfTheSystem(name, binary, NO_RULES)) && flagFinding(names, known) === undefined;
}

/** Whether files that commands can change decide what a command does, or what a wrapper such as `timeout` starts. */
export function dependsOnFiles(command: OrderedCommand, lookup: Lookup, depth = 0): boolean {
  if (isChangeable(command, lookup)) return true;
  const [word = '', ...args] = command.words;
  const wrapper = firstOf(namesOf(word, command.binary), WRAPPERS);
  if (wrapper === undefined) return false;
  const known = args.filter((arg) => arg !== undefined);
  const inside = known.length === args.length && depth < DEEPEST ? unwrap(wrapper, known) : { refused: 0 };
  if ('refused' in inside) return true;
  if ('alone' in inside) return false;
  const words = known.slice(inside.inner);
  return dependsOnFiles({ words, binary: lookup.find(words[0] ?? '') }, lookup, depth + 1);
}

/**
 * Git obeys its repository, a path can come to mean another file, and so can a name where a folder that is searched earlier is
 * not the system's.
 */
function isChangeable({ words, binary }: OrderedCommand, { folders }: Lookup): boolean {
  const [word = ''] = words;
  if (binary === undefined) return word.includes('/');
  if (namesOf(word, binary).has('git') || binary.writable) return true;
  const found = folderOf(binary.path);
  const earlier = word.includes('/') ? [] : folders.slice(0, Math.max(0, folders.indexOf(found)));
  return [found, folderOf(binary.real), ...earlier].some((folder) => !FIXED.has(folder));
}
