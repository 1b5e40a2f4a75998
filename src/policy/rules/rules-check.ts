/** Validates rules when their file loads. */
import type { Rule } from '../../wire/policy.ts';
import { matchPattern, patternProblem } from '../argument-pattern.ts';
import { isGlob, matchesGlob } from '../glob.ts';
import { baseName } from '../programs/names.ts';
import { argumentsAreDenied, startsWith } from './rule-match.ts';
import { findInvalidCharacter } from '../shell/characters.ts';
import { scanCommand } from '../shell/scan.ts';

export interface RuleFlaw {
  readonly index: number;
  readonly message: string;
}

/** Deny rules ignore options before `args`; allow rules do not. */
export function checkRules(rules: readonly Rule[], kind: 'allow' | 'deny' = 'allow'): readonly RuleFlaw[] {
  return rules.flatMap((rule, index) => flawsOf(rule, kind).map((message) => ({ index, message })));
}

function flawsOf(rule: Rule, kind: 'allow' | 'deny'): readonly string[] {
  const flaws: string[] = [];
  if (!rule.pattern.startsWith('/'))
    flaws.push(
      `the pattern ${JSON.stringify(rule.pattern)} is not an absolute path and never matches; write the full path, as in /usr/bin/${baseName(rule.pattern) || 'ls'}`,
    );
  const bad = rule.argPattern === undefined ? undefined : patternProblem(rule.argPattern);
  if (bad !== undefined) flaws.push(`argPattern ${JSON.stringify(rule.argPattern)} ${bad}`);
  const empty = rule.args?.find((prefix) => prefix.trim() === '');
  if (empty !== undefined) flaws.push('args contains an empty prefix, which matches nothing');
  if (flaws.length > 0) return flaws;
  for (const example of rule.match ?? []) {
    const answer = tryExample(rule, example, kind);
    if (answer !== true)
      flaws.push(
        `the example ${JSON.stringify(example)} must match and does not${answer === false ? '' : `: ${answer}`}`,
      );
  }
  for (const example of rule.notMatch ?? [])
    if (tryExample(rule, example, kind) === true)
      flaws.push(`the example ${JSON.stringify(example)} must not match and does`);
  return flaws;
}

/** Whether a rule matches a command of an example, or why the example is not a plain command. */
function tryExample(rule: Rule, example: string, kind: 'allow' | 'deny'): boolean | string {
  const invalid = findInvalidCharacter(example);
  if (invalid !== undefined) return invalid.reason;
  const { stages, refusal } = scanCommand(example);
  if (stages === undefined) return refusal.reason;
  return stages.some(({ words }) => {
    const [program = '', ...args] = words.map(({ text }) => text);
    if (!namesProgram(rule.pattern, program)) return false;
    if (kind === 'deny') return argumentsAreDenied(rule, args);
    if (rule.args !== undefined && !rule.args.some((prefix) => startsWith(args, prefix))) return false;
    return rule.argPattern === undefined || matchPattern(rule.argPattern, args.join(' ')) === 'match';
  });
}

/** Without a machine to look it up, a bare name means the program of that name that the pattern matches. */
function namesProgram(pattern: string, word: string): boolean {
  if (word.includes('/')) return isGlob(pattern) ? matchesGlob(pattern, word) : pattern === word;
  const last = baseName(pattern);
  return last === '**' || (isGlob(last) ? matchesGlob(last, word) : last === word);
}
