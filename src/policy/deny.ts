/**
 * Deny rules win over everything, and see through whatever carries a command. What they cannot see through is unknown:
 * only programs that are known to start no others are plain.
 */
import type { Binary, Lookup, Rule } from '../wire/policy.ts';
import type { Effort } from './effort.ts';
import { namesOf } from './programs/names.ts';
import { firstOf, isCarrier, isQuestion, SHELLS } from './programs/carriers.ts';
import { flagFinding } from './programs/flags.ts';
import { isPlainProgram } from './programs/plain.ts';
import { judgeGit } from './programs/git.ts';
import { placeOf } from './programs/place.ts';
import { isInTrustedFolder } from './programs/system.ts';
import { dependsOnFiles, isReader } from './order.ts';
import { unwrap, WRAPPERS } from './programs/wrappers.ts';
import { denyMatches } from './rule-match.ts';
import { commandsInAnyShell } from './shell/any-shell.ts';
import { commandsIn } from './shell/commands.ts';
import { hiddenRun, PLAIN_UNARY } from './shell/evaluation.ts';

const DEEPEST = 6;
const NO_RULES = { safeBinTrustedDirs: [] };
/** Programs whose arguments can be a command. */
const CARRYING = new Set('eval trap coproc find fd fdfind git ssh docker podman'.split(' '));
/** Built-ins in front of a command. */
const PREFIXES = new Set('command builtin exec time'.split(' '));
/** Built-ins that start nothing and change no name. */
const PLAIN_BUILTINS = new Set('cd echo printf test [ pwd true false : exit return wait umask ulimit'.split(' '));

/** Those that calculate no argument in any shell. */
const PLAIN_IN_ANY_SHELL = new Set('cd echo pwd true false :'.split(' '));
/** Comparisons of texts and numbers; `test` calculates nothing, unlike `[[`. */
const PLAIN_BINARY = new Set('= == != < > -nt -ot -ef -eq -ne -lt -le -gt -ge'.split(' '));

/** Shells with the language of sh; others have other quotes. */
const LIKE_SH = new Set('sh ash bash dash ksh mksh lksh oksh pdksh zsh yash posh'.split(' '));
/** Options that change nothing about how a shell reads a text. */
const PLAIN_SHELL_OPTION = /^-[elux]*c?$/;

/** Directives of `printf` that print; `%n` would set a variable, PATH for example. */
const PLAIN_FORMAT = /^(?!-)(?:[^%]|%%|%[-+ #0']{0,5}\d{0,4}(?:\.\d{0,4})?[bcdeEfFgGiosuxXq])*$/s;

/** A rule that forbids, and the name that it forbids; or why no answer is possible. */
export interface Denial {
  readonly rule?: Rule;
  readonly name?: string;
  readonly unknown?: string;
}

/** What deny rules are held against. */
export interface DenyBench {
  readonly deny: readonly Rule[];
  readonly lookup: Lookup;
  readonly cwd: string;
  /** What is left of it for the whole judgement. */
  readonly effort: Effort;
  /** Commands that run before may have changed files since they were looked at. */
  readonly filesMayChange?: boolean;
  /** The text is for a shell that is not known to be bash: only what means the same to every shell is read. */
  readonly anyShell?: boolean | undefined;
}

type Words = readonly (string | undefined)[];

/** Whether a rule forbids a call or anything that it carries. */
export function denialOf(argv: Words, bench: DenyBench, depth = 0): Denial | undefined {
  const [word] = argv;
  if (bench.deny.length === 0) return undefined;
  if (word === undefined) return { unknown: 'the name of a command is only known when it runs' };
  if (!bench.effort.mayLook()) return { unknown: 'it has more commands than are looked at' };
  const args = argv.slice(1);
  const direct = ruleAgainst(word, args, bench);
  if (direct !== undefined) return { rule: direct, name: word };
  if (depth >= DEEPEST) return { unknown: 'commands are nested too deeply' };
  const binary = binaryOf(word, bench.lookup);
  if (bench.filesMayChange === true && dependsOnFiles({ words: argv, binary }, bench.lookup))
    return { unknown: `commands before ${word} may change the files that it depends on` };
  const names = namesOf(word, binary);
  // Another file of such a name does anything.
  if (PREFIXES.has(word) || (binary !== undefined && isFixed(binary))) {
    const inner = innerCall(word, names, args);
    if (inner !== undefined) return inner.length === 0 ? undefined : denialOf(inner, bench, depth + 1);
    if (firstOf(names, SHELLS) !== undefined) return denialOfShell(names, args, bench, depth);
  }
  if (isTransparent(word, binary, names, args, bench)) return undefined;
  const carries = isCarrier(names) || [...names].some((name) => CARRYING.has(name) || WRAPPERS.has(name));
  const rule = carries ? carriedRule(args, bench, depth) : undefined;
  return rule ?? { unknown: `${word} can start other programs` };
}

/** Whether a program is the system's, and no agent could have written it. */
function isFixed(binary: Binary): boolean {
  return !binary.writable && isInTrustedFolder(binary, NO_RULES);
}

/** What a wrapper or a prefix starts: `nice -n 5 rm x`. Nothing for one that stands alone, undefined where that is not known. */
function innerCall(word: string, names: ReadonlySet<string>, args: Words): Words | undefined {
  if (PREFIXES.has(word)) return args[0]?.startsWith('-') === true ? undefined : args;
  const wrapper = firstOf(names, WRAPPERS);
  if (wrapper === undefined || args.some((arg) => arg === undefined)) return undefined;
  const inside = unwrap(wrapper, args as readonly string[]);
  if ('refused' in inside) return undefined;
  return 'alone' in inside ? [] : args.slice(inside.inner);
}

/** A shell is seen through where its text is an argument, and its language is known. */
function denialOfShell(names: ReadonlySet<string>, args: Words, bench: DenyBench, depth: number): Denial | undefined {
  if (isQuestion(args)) return undefined;
  const at = args.findIndex((arg) => arg === undefined || /^-[A-Za-z]*c[A-Za-z]*$/.test(arg) || !/^[-+]/.test(arg));
  const text = args[at]?.startsWith('-') === true ? args[at + 1] : undefined;
  const isPlain = args.slice(0, at + 1).every((arg) => PLAIN_SHELL_OPTION.test(arg ?? '-?'));
  const isKnown = [...names].every((name) => LIKE_SH.has(name));
  if (text === undefined || !isPlain || !isKnown)
    return carriedRule(args, bench, depth) ?? { unknown: `${[...names][0]} reads commands in ways that are not known` };
  const isBash = [...names].every((name) => name === 'bash');
  return denialInText(text, isBash ? bench : { ...bench, anyShell: true }, depth + 1);
}

/** A rule against one of the arguments of a program that carries commands in ways that are not looked through. */
function carriedRule(args: Words, bench: DenyBench, depth: number): Denial | undefined {
  for (const [i, arg] of args.entries()) {
    if (!bench.effort.mayLook()) break; // unknown, as all that is not looked through
    const inner = arg === undefined ? undefined : carried(arg, args.slice(i + 1), bench, depth);
    if (inner?.rule !== undefined) return inner;
  }
  return undefined;
}

/** Whether a program starts no other one with these arguments. */
function isTransparent(
  word: string,
  binary: Binary | undefined,
  names: ReadonlySet<string>,
  args: Words,
  { lookup, cwd, anyShell }: DenyBench,
): boolean {
  if (PLAIN_BUILTINS.has(word)) return isPlainBuiltin(word, args, anyShell === true);
  if (binary === undefined || firstOf(names, WRAPPERS) !== undefined || args.some((arg) => arg === undefined))
    return false;
  const known = args as readonly string[];
  const git = judgeGit(names, known, { lookup, cwd, foreignShell: true });
  if (git !== undefined) return 'args' in git;
  return isPlainProgram(binary, NO_RULES) && flagFinding(names, known) === undefined;
}

/** Some built-ins take the name of a variable, and calculate the index that it may have. */
function isPlainBuiltin(word: string, args: Words, inAnyShell: boolean): boolean {
  const [first] = args;
  if (inAnyShell) return PLAIN_IN_ANY_SHELL.has(word);
  if (word === 'printf') return first !== undefined && PLAIN_FORMAT.test(first);
  if (word === 'wait') return args.every((arg) => arg !== undefined && /^%?\d+$/.test(arg));
  if (word !== 'test' && word !== '[') return true;
  const operands = args.filter((arg) => arg !== '!' && arg !== ']');
  if (operands.length === 3) return PLAIN_BINARY.has(operands[1] ?? '');
  if (operands.length === 2) return PLAIN_UNARY.has(operands[0] ?? '');
  return operands.length < 2;
}

function carried(arg: string, rest: Words, bench: DenyBench, depth: number): Denial | undefined {
  const rule = arg.startsWith('-') ? undefined : ruleAgainst(arg, rest, bench);
  if (rule !== undefined) return { rule, name: arg };
  const text = arg.replace(/^--?[A-Za-z-]+=?/, '');
  return /[\s;|&$`<>()]/.test(text) ? denialInText(text, bench, depth + 1) : undefined;
}

/** Whether a rule forbids any command of a text that a shell is to run. */
export function denialInText(text: string, bench: DenyBench, depth = 0): Denial | undefined {
  if (bench.deny.length === 0) return undefined;
  const read = bench.anyShell === true ? commandsInAnyShell(text) : commandsIn(text, hiddenRun);
  const { inOrder, unknown: unread } = read;
  // A `cd` in front and one more than may be looked at, so that the answer is unknown where there are more.
  const looked = read.commands.slice(0, bench.effort.callsLeft + 2);
  const ordered = looked.map((one) => ({ ...one, binary: binaryOf(one.words[0], bench.lookup) }));
  const folder = inOrder && read.folder !== undefined ? certainFolder(read.folder, bench) : undefined;
  const rest = folder === undefined ? ordered : ordered.slice(1);
  const lookup = folder === undefined ? bench.lookup : elsewhere(bench.lookup);
  const cwd = folder ?? bench.cwd;
  let filesMayChange = bench.filesMayChange === true || (!inOrder && rest.length > 1 && !rest.every(isReader));
  let unknown = unread;
  for (const command of rest) {
    filesMayChange ||= command.writes;
    const denial = denialOf(command.words, { ...bench, lookup, cwd, filesMayChange }, depth);
    if (denial?.rule !== undefined) return denial;
    unknown ??= denial?.unknown;
    filesMayChange ||= !isReader(command);
  }
  return unknown === undefined ? undefined : { unknown };
}

function binaryOf(word: string | undefined, lookup: Lookup): Binary | undefined {
  return word === undefined || word === '' ? undefined : lookup.find(word);
}

/** Where `cd` leads for sure: not by CDPATH, which only a shell of others can have. */
function certainFolder(folder: string, { lookup, cwd, anyShell }: DenyBench): string | undefined {
  if (/^[-~]/.test(folder) || folder === '' || (anyShell === true && !/^\.?\//.test(folder))) return undefined;
  const place = placeOf(folder, cwd, lookup);
  return place?.exists === true ? place.path : undefined;
}

/** A lookup for commands in another folder: a relative path means nothing that was looked at. */
function elsewhere(lookup: Lookup): Lookup {
  return { ...lookup, find: (word) => (/^[^/]+\//.test(word) ? undefined : lookup.find(word)) };
}

function ruleAgainst(word: string, args: Words, { deny, lookup, effort }: DenyBench): Rule | undefined {
  const binary = binaryOf(word, lookup);
  if (binary === undefined) return undefined;
  // A word that is not known could be any: rules about arguments then hold for the program as a whole.
  const known = args.every((arg) => arg !== undefined);
  return deny.find((rule) =>
    known
      ? denyMatches(rule, { binary, args }, lookup, effort)
      : denyMatches({ pattern: rule.pattern }, { binary, args: [] }, lookup),
  );
}
