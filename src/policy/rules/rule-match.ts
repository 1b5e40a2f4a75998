import { isInside } from '../../base/inside.ts';
import type { AllowlistEntry, Binary, ChangedText, Lookup, Rule } from '../../wire/policy.ts';
import { changedTexts, obeyedTexts } from '../bindings/obeyed-texts.ts';
import { matchPattern } from '../argument-pattern.ts';
import { WorkBudget } from '../work-budget.ts';
import { isGlob, matchesGlob } from '../glob.ts';
import { NAMED_BY_CALL } from '../programs/carriers.ts';
import { baseName } from '../programs/names.ts';
import { hasShape } from './shape.ts';
import { includesOption, spellingsOf } from '../spellings.ts';

/** A program and its arguments, without argv[0]. */
export interface Call {
  readonly binary: Binary;
  readonly args: readonly string[];
}

export interface MatchContext {
  readonly cwd: string;
  readonly lookup: Lookup;
  readonly budget: WorkBudget;
}

/** Whether an allowlist entry covers a call in a folder. */
export function entryCovers(entry: AllowlistEntry, call: Call, context: MatchContext): boolean {
  return isForCall(entry, call, context) && changedSince(entry, call, context).length === 0;
}

/** Whether an entry is for a call in a folder, whatever the texts that it is bound to are now. */
export function isForCall(entry: AllowlistEntry, call: Call, { cwd, lookup, budget }: MatchContext): boolean {
  if (entry.access !== undefined || !patternMatches(entry.pattern, call.binary, lookup)) return false;
  if (entry.cwd !== undefined && entry.cwd !== cwd) return false;
  if (entry.below !== undefined && !isBelowRoot(cwd, entry.below, lookup)) return false;
  if (entry.argv !== undefined && !sameWords(entry.argv, call.args)) return false;
  if (entry.words !== undefined && !areWords(entry.words, call.args)) return false;
  if (entry.shapes?.some((shape) => hasShape(call.args, shape, { cwd, lookup })) === false) return false;
  if (entry.args !== undefined && !entry.args.some((prefix) => startsWith(call.args, prefix))) return false;
  return entry.argPattern === undefined || matchPattern(entry.argPattern, call.args.join(' '), budget) === 'match';
}

/** What changed in the texts that the entry is bound to; empty where it still applies. A text that cannot be determined has changed. */
export function changedSince(
  { bound, below, cwd }: AllowlistEntry,
  call: Call,
  context: MatchContext,
): readonly ChangedText[] {
  if (bound === undefined) return [];
  const now = obeyedTexts(call, { ...context, root: below ?? cwd });
  if (now !== undefined && 'unbindable' in now) return [{ file: now.unbindable }];
  return changedTexts(bound, now?.texts ?? []);
}

/** By real paths: a link in the folder may lead out of it. */
function isBelowRoot(cwd: string, below: string, lookup: Lookup): boolean {
  const root = lookup.realPath(below);
  const folder = lookup.realPath(cwd);
  return root !== undefined && folder !== undefined && isInside(folder, root);
}

/** Whether an entry names all arguments of a call. Only such an entry covers what needs a person for its arguments. */
export function namesArguments({ argv, words, arguments: any }: AllowlistEntry): boolean {
  return argv !== undefined || words !== undefined || any !== undefined;
}

/** After a last `*`, further words follow. */
function areWords(words: readonly string[], args: readonly string[]): boolean {
  if (words.at(-1) !== '*') return sameWords(words, args);
  const fixed = words.slice(0, -1);
  return sameWords(fixed, args.slice(0, fixed.length));
}

/** Whether the further words of a call, where an entry has a last `*`, have no options but behind `--`. */
export function hasNoFurtherOptions({ words = [] }: AllowlistEntry, args: readonly string[]): boolean {
  if (words.at(-1) !== '*') return true;
  const fixed = words.slice(0, -1);
  const further = args.slice(fixed.length);
  const end = fixed.includes('--') ? 0 : further.indexOf('--');
  return further.every((word, i) => !word.startsWith('-') || (end >= 0 && i >= end));
}

/**
 * Whether a deny rule matches a call. Options before a subcommand are skipped, long and short spellings of an option are equal,
 * and what cannot be decided counts as a match.
 */
export function denyMatches(rule: Rule, call: Call, lookup: Lookup, budget?: WorkBudget): boolean {
  const { binary, args } = call;
  if (
    !patternMatches(rule.pattern, binary, lookup) &&
    !(isGlob(rule.pattern) && matchesGlob(rule.pattern, binary.path))
  )
    return false;
  return argumentsAreDenied(rule, args, budget);
}

/** Whether a deny rule matches these arguments. */
export function argumentsAreDenied(
  { pattern, args: prefixes, argPattern }: Rule,
  args: readonly string[],
  budget = new WorkBudget(),
): boolean {
  const program = baseName(pattern);
  if (prefixes !== undefined && !prefixes.some((prefix) => startsInAnySpelling(program, args, prefix))) return false;
  return (
    argPattern === undefined ||
    spellingsOf(program, args).some((one) => matchPattern(argPattern, one.join(' '), budget) !== 'no-match')
  );
}

/** Options of the prefix may be anywhere and in any spelling; its other words must follow in order, after any options. */
function startsInAnySpelling(program: string, args: readonly string[], prefix: string): boolean {
  const words = wordsOf(prefix);
  const options = words.filter((word) => word.startsWith('-'));
  const others = words.filter((word) => !word.startsWith('-'));
  if (words.length === 0 || !options.every((option) => includesOption(program, args, option))) return false;
  return others.length === 0 || startsBehindOptions(args, others.join(' ')) || startsBehindOptions(args, prefix);
}

/** Whether a pattern matches a program. */
export function patternMatches(pattern: string, binary: Binary, lookup: Lookup): boolean {
  if (!pattern.startsWith('/')) return false;
  const byCall = NAMED_BY_CALL.has(baseName(binary.real)) && baseName(binary.path) !== baseName(binary.real);
  if (isGlob(pattern)) return matchesGlob(pattern, byCall ? binary.path : binary.real);
  if (pattern === binary.real && !byCall) return true;
  const real = lookup.realPath(pattern);
  return real === binary.real && (!byCall || baseName(pattern) === baseName(binary.path));
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

export function startsWith(args: readonly string[], prefix: string): boolean {
  const words = wordsOf(prefix);
  return words.length > 0 && words.every((word, i) => args[i] === word);
}

/** An option may or may not take the next argument as its value: both are tried. */
function startsBehindOptions(args: readonly string[], prefix: string): boolean {
  const reachable = new Set([0]);
  for (let at = 0; at <= args.length; at++) {
    if (!reachable.has(at)) continue;
    if (startsWith(args.slice(at), prefix)) return true;
    if (args[at]?.startsWith('-') === true) reachable.add(at + 1).add(at + 2);
  }
  return false;
}

function wordsOf(prefix: string): readonly string[] {
  return prefix.split(/\s+/).filter((word) => word !== '');
}
