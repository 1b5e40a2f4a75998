/**
 * Deny rules override everything and apply to commands inside other commands. Where a command cannot be analysed, the answer is
 * "unknown". Only programs on a closed list count as starting no others.
 */
import type { Binary, Lookup, Rule } from '../wire/policy.ts';
import type { WorkBudget } from './work-budget.ts';
import { namesOf } from './programs/names.ts';
import { firstOf, isCarrier, isVersionOrHelp, SHELLS } from './programs/carriers.ts';
import { flagFinding } from './programs/flags.ts';
import { isPlainProgram } from './programs/plain-programs.ts';
import { judgeGit } from './programs/git.ts';
import { resolveWithoutLinks } from './programs/resolve-without-links.ts';
import { isInTrustedFolder } from './programs/trusted-programs.ts';
import { dependsOnFiles, isReader } from './command-order.ts';
import { unwrap, WRAPPERS } from './programs/wrappers.ts';
import { denyMatches } from './rules/rule-match.ts';
import { commandsInAnyShell } from './shell/any-shell.ts';
import { commandsIn } from './shell/commands.ts';
import { whyHidden, PLAIN_UNARY } from './shell/evaluation.ts';

const DEEPEST = 6;
const NO_RULES = { safeBinTrustedDirs: [] };
/** Programs whose arguments can contain a command. */
const CARRYING = new Set('eval trap coproc find fd fdfind git ssh docker podman'.split(' '));
/** Built-ins that run the command that follows them. */
const PREFIXES = new Set('command builtin exec time'.split(' '));
/** Built-ins that start no program and define no name. */
const PLAIN_BUILTINS = new Set('cd echo printf test [ pwd true false : exit return wait umask ulimit'.split(' '));

/** Built-ins that evaluate no arguments in any shell. */
const PLAIN_IN_ANY_SHELL = new Set('cd echo pwd true false :'.split(' '));
/** Comparisons of strings and numbers; unlike `[[`, `test` evaluates no arithmetic. */
const PLAIN_BINARY = new Set('= == != < > -nt -ot -ef -eq -ne -lt -le -gt -ge'.split(' '));

/** Shells with the syntax of sh; others quote differently. */
const LIKE_SH = new Set('sh ash bash dash ksh mksh lksh oksh pdksh zsh yash posh'.split(' '));
/** Options that do not change how a shell parses its text. */
const PLAIN_SHELL_OPTION = /^-[elux]*c?$/;

/** Directives of `printf` that only print; `%n` would set a variable, for example PATH. */
const PLAIN_FORMAT = /^(?!-)(?:[^%]|%%|%[-+ #0']{0,5}\d{0,4}(?:\.\d{0,4})?[bcdeEfFgGiosuxXq])*$/s;

/** The rule that forbids the command and the name it matched, or why there is no answer. */
export interface Denial {
  readonly rule?: Rule;
  readonly name?: string;
  readonly unknown?: string;
}

export interface DenyContext {
  readonly deny: readonly Rule[];
  readonly lookup: Lookup;
  readonly cwd: string;
  /** Shared by the whole judgement. */
  readonly budget: WorkBudget;
  /** Earlier commands may have changed files since the lookup. */
  readonly filesMayChange?: boolean;
  /** The shell may not be bash: only syntax that all shells read alike is accepted. */
  readonly anyShell?: boolean | undefined;
}

type Words = readonly (string | undefined)[];

/** Whether a rule forbids a command or any command inside its arguments. */
export function denialOf(argv: Words, context: DenyContext, depth = 0): Denial | undefined {
  const [word] = argv;
  if (context.deny.length === 0) return undefined;
  if (word === undefined) return { unknown: 'the name of a command is only known when it runs' };
  if (!context.budget.mayCheck()) return { unknown: 'it has more commands than pincer analyses' };
  const args = argv.slice(1);
  const direct = ruleAgainst(word, args, context);
  if (direct !== undefined) return { rule: direct, name: word };
  if (depth >= DEEPEST) return { unknown: 'commands are nested too deeply' };
  const binary = binaryOf(word, context.lookup);
  if (context.filesMayChange === true && dependsOnFiles({ words: argv, binary }, context.lookup))
    return { unknown: `commands before ${word} may change the files that it depends on` };
  const names = namesOf(word, binary);
  // A file with the name of a wrapper that is not the system's can do anything.
  if (PREFIXES.has(word) || (binary !== undefined && isFixed(binary))) {
    const inner = innerCall(word, names, args);
    if (inner !== undefined) return inner.length === 0 ? undefined : denialOf(inner, context, depth + 1);
    if (firstOf(names, SHELLS) !== undefined) return denialOfShell(names, args, context, depth);
  }
  if (isTransparent(word, binary, names, args, context)) return undefined;
  const carries = isCarrier(names) || [...names].some((name) => CARRYING.has(name) || WRAPPERS.has(name));
  const rule = carries ? carriedRule(args, context, depth) : undefined;
  return rule ?? { unknown: `${word} can start other programs` };
}

/** Whether this is a program of the system that no agent could have written. */
function isFixed(binary: Binary): boolean {
  return !binary.writable && isInTrustedFolder(binary, NO_RULES);
}

/** The command that a wrapper or prefix starts: `nice -n 5 rm x`. Empty if it starts none, undefined if that is not known. */
function innerCall(word: string, names: ReadonlySet<string>, args: Words): Words | undefined {
  if (PREFIXES.has(word)) return args[0]?.startsWith('-') === true ? undefined : args;
  const wrapper = firstOf(names, WRAPPERS);
  if (wrapper === undefined || args.some((arg) => arg === undefined)) return undefined;
  const inside = unwrap(wrapper, args as readonly string[]);
  if ('refused' in inside) return undefined;
  return 'runsNothing' in inside ? [] : args.slice(inside.inner);
}

/** A shell is analysed where its script is an argument and its syntax is known. */
function denialOfShell(
  names: ReadonlySet<string>,
  args: Words,
  context: DenyContext,
  depth: number,
): Denial | undefined {
  if (isVersionOrHelp(args)) return undefined;
  const at = args.findIndex((arg) => arg === undefined || /^-[A-Za-z]*c[A-Za-z]*$/.test(arg) || !/^[-+]/.test(arg));
  const text = args[at]?.startsWith('-') === true ? args[at + 1] : undefined;
  const isPlain = args.slice(0, at + 1).every((arg) => PLAIN_SHELL_OPTION.test(arg ?? '-?'));
  const isKnown = [...names].every((name) => LIKE_SH.has(name));
  if (text === undefined || !isPlain || !isKnown)
    return (
      carriedRule(args, context, depth) ?? { unknown: `${[...names][0]} reads commands in a way that is not analysed` }
    );
  const isBash = [...names].every((name) => name === 'bash');
  return denialInText(text, isBash ? context : { ...context, anyShell: true }, depth + 1);
}

/** A rule against an argument of a program that runs commands in ways that are not analysed. */
function carriedRule(args: Words, context: DenyContext, depth: number): Denial | undefined {
  for (const [i, arg] of args.entries()) {
    if (!context.budget.mayCheck()) break; // unknown, like everything that is not analysed
    const inner = arg === undefined ? undefined : carried(arg, args.slice(i + 1), context, depth);
    if (inner?.rule !== undefined) return inner;
  }
  return undefined;
}

/** Whether a program starts no other program with these arguments. */
function isTransparent(
  word: string,
  binary: Binary | undefined,
  names: ReadonlySet<string>,
  args: Words,
  { lookup, cwd, anyShell }: DenyContext,
): boolean {
  if (PLAIN_BUILTINS.has(word)) return isPlainBuiltin(word, args, anyShell === true);
  if (binary === undefined || firstOf(names, WRAPPERS) !== undefined || args.some((arg) => arg === undefined))
    return false;
  const known = args as readonly string[];
  const git = judgeGit(names, known, { lookup, cwd, foreignShell: true });
  if (git !== undefined) return 'args' in git;
  return isPlainProgram(binary, NO_RULES) && flagFinding(names, known) === undefined;
}

/** Some built-ins take the name of a variable and evaluate its array index, which can run commands. */
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

function carried(arg: string, rest: Words, context: DenyContext, depth: number): Denial | undefined {
  const rule = arg.startsWith('-') ? undefined : ruleAgainst(arg, rest, context);
  if (rule !== undefined) return { rule, name: arg };
  const text = arg.replace(/^--?[A-Za-z-]+=?/, '');
  return /[\s;|&$`<>()]/.test(text) ? denialInText(text, context, depth + 1) : undefined;
}

/** Whether a rule forbids any command in a shell text. */
export function denialInText(text: string, context: DenyContext, depth = 0): Denial | undefined {
  if (context.deny.length === 0) return undefined;
  const read = context.anyShell === true ? commandsInAnyShell(text) : commandsIn(text, whyHidden);
  const { inOrder, unknown: unread } = read;
  // A leading `cd`, and one command above the limit, so that the answer is unknown where there are more.
  const looked = read.commands.slice(0, context.budget.callsLeft + 2);
  const ordered = looked.map((one) => ({ ...one, binary: binaryOf(one.words[0], context.lookup) }));
  const folder = inOrder && read.folder !== undefined ? certainFolder(read.folder, context) : undefined;
  const rest = folder === undefined ? ordered : ordered.slice(1);
  const lookup = folder === undefined ? context.lookup : elsewhere(context.lookup);
  const cwd = folder ?? context.cwd;
  let filesMayChange = context.filesMayChange === true || (!inOrder && rest.length > 1 && !rest.every(isReader));
  let unknown = unread;
  for (const command of rest) {
    filesMayChange ||= command.writes;
    const denial = denialOf(command.words, { ...context, lookup, cwd, filesMayChange }, depth);
    if (denial?.rule !== undefined) return denial;
    unknown ??= denial?.unknown;
    filesMayChange ||= !isReader(command);
  }
  return unknown === undefined ? undefined : { unknown };
}

function binaryOf(word: string | undefined, lookup: Lookup): Binary | undefined {
  return word === undefined || word === '' ? undefined : lookup.find(word);
}

/** The folder that `cd` certainly enters. CDPATH is ignored: only a shell that Pincer did not start can have it. */
function certainFolder(folder: string, { lookup, cwd, anyShell }: DenyContext): string | undefined {
  if (/^[-~]/.test(folder) || folder === '' || (anyShell === true && !/^\.?\//.test(folder))) return undefined;
  const place = resolveWithoutLinks(folder, cwd, lookup);
  return place?.exists === true ? place.path : undefined;
}

/** A lookup for commands in another folder, where relative program paths were not resolved. */
function elsewhere(lookup: Lookup): Lookup {
  return { ...lookup, find: (word) => (/^[^/]+\//.test(word) ? undefined : lookup.find(word)) };
}

function ruleAgainst(word: string, args: Words, { deny, lookup, budget }: DenyContext): Rule | undefined {
  const binary = binaryOf(word, lookup);
  if (binary === undefined) return undefined;
  // An unknown argument could be anything, so a rule about arguments then applies to every call of the program.
  const known = args.every((arg) => arg !== undefined);
  return deny.find((rule) =>
    known
      ? denyMatches(rule, { binary, args }, lookup, budget)
      : denyMatches({ pattern: rule.pattern }, { binary, args: [] }, lookup),
  );
}
