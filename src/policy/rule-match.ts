/** Whether a rule is about a call. */
import type { AllowlistEntry, Binary, Lookup, Rule } from '../wire/policy.ts';
import { matchPattern } from './argument-pattern.ts';
import { Effort } from './effort.ts';
import { isGlob, matchesGlob } from './glob.ts';
import { NAMED_BY_CALL } from './programs/carriers.ts';
import { baseName } from './programs/names.ts';
import { includesOption, spellingsOf } from './spellings.ts';

/** One call of a program: its file and its arguments without the first word. */
export interface Call {
  readonly binary: Binary;
  readonly args: readonly string[];
}

/** Where a call is judged. */
export interface Surroundings {
  readonly cwd: string;
  readonly lookup: Lookup;
  readonly effort: Effort;
}

/** Whether an entry of an allowlist covers a call in a folder. */
export function entryCovers(entry: AllowlistEntry, call: Call, { cwd, lookup, effort }: Surroundings): boolean {
  if (!patternMatches(entry.pattern, call.binary, lookup)) return false;
  if (entry.cwd !== undefined && entry.cwd !== cwd) return false;
  if (entry.argv !== undefined && !sameWords(entry.argv, call.args)) return false;
  if (entry.args !== undefined && !entry.args.some((prefix) => startsWith(call.args, prefix))) return false;
  return entry.argPattern === undefined || matchPattern(entry.argPattern, call.args.join(' '), effort) === 'match';
}

/**
 * Whether a deny rule is about a call. It looks past options in front of a sub-command, takes long and short spellings of an
 * option for the same, and what it cannot answer counts as a match.
 */
export function denyMatches(rule: Rule, call: Call, lookup: Lookup, effort?: Effort): boolean {
  const { binary, args } = call;
  if (
    !patternMatches(rule.pattern, binary, lookup) &&
    !(isGlob(rule.pattern) && matchesGlob(rule.pattern, binary.path))
  )
    return false;
  return argumentsAreDenied(rule, args, effort);
}

/** Whether the arguments are those that a deny rule is about. */
export function argumentsAreDenied(
  { pattern, args: prefixes, argPattern }: Rule,
  args: readonly string[],
  effort = new Effort(),
): boolean {
  const program = baseName(pattern);
  if (prefixes !== undefined && !prefixes.some((prefix) => startsInAnySpelling(program, args, prefix))) return false;
  return (
    argPattern === undefined ||
    spellingsOf(program, args).some((one) => matchPattern(argPattern, one.join(' '), effort) !== 'no-match')
  );
}

/** The options of the prefix may come anywhere and in any spelling; its other words stand in their order behind options. */
function startsInAnySpelling(program: string, args: readonly string[], prefix: string): boolean {
  const words = wordsOf(prefix);
  const options = words.filter((word) => word.startsWith('-'));
  const others = words.filter((word) => !word.startsWith('-'));
  if (words.length === 0 || !options.every((option) => includesOption(program, args, option))) return false;
  return others.length === 0 || startsBehindOptions(args, others.join(' ')) || startsBehindOptions(args, prefix);
}

/** Whether a pattern is about a program. */
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

/** Whether arguments begin with the words of a prefix. */
export function startsWith(args: readonly string[], prefix: string): boolean {
  const words = wordsOf(prefix);
  return words.length > 0 && words.every((word, i) => args[i] === word);
}

/** An option may or may not take the next word as its value: both are tried. */
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
