/**
 * Commands that run one after the other. All are judged before the first one runs, so what is judged by files (a repository,
 * a program that others can write) holds only while no command before it changes files.
 */
import type { Binary, Lookup } from '../wire/policy.ts';
import { READING } from './programs/git-forced.ts';
import { folderOf, namesOf } from './programs/names.ts';
import { isOfTheSystem } from './programs/system.ts';

/** Programs of the system that write no file, whatever their arguments are. */
const READERS = new Set(
  'true false echo pwd whoami id uname cat head tail wc ls stat basename dirname realpath readlink cut tr nl tac rev grep egrep fgrep sleep df du printf test [ date'.split(
    ' ',
  ),
);
/** Commands of git that write neither files of the working tree nor settings, and make no submodule of a folder, as `add` does. */
const GIT_READERS = new Set([...READING, 'branch', 'tag', 'reflog', 'commit', 'push', 'fetch', 'ls-remote', 'version']);
/** Folders that belong to the system. */
const FIXED = new Set('/bin /usr/bin /sbin /usr/sbin /usr/local/bin /usr/local/sbin'.split(' '));
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

/** Whether a command changes no file. */
export function isReader({ words, binary, writes }: OrderedCommand): boolean {
  const [word, ...args] = words;
  if (writes === true || word === undefined) return false;
  if (binary === undefined) return READERS.has(word); // a shell answers these by itself
  if (namesOf(word, binary).has('git')) return GIT_READERS.has(args.find((arg) => arg?.startsWith('-') !== true) ?? '');
  return [...READERS].some((name) => isOfTheSystem(name, binary, NO_RULES));
}

/**
 * Whether files that commands can change decide what a command does: git obeys its repository, a path can come to mean
 * another file, and so can a name where a folder that is searched earlier is not the system's.
 */
export function dependsOnFiles({ words, binary }: OrderedCommand, { folders }: Lookup): boolean {
  const [word = ''] = words;
  if (binary === undefined) return word.includes('/');
  if (namesOf(word, binary).has('git') || binary.writable) return true;
  const found = folderOf(binary.path);
  const earlier = word.includes('/') ? [] : folders.slice(0, Math.max(0, folders.indexOf(found)));
  return [found, folderOf(binary.real), ...earlier].some((folder) => !FIXED.has(folder));
}
