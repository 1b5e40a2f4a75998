/** `pincer policy test`: whether the rules in force are what their author meant. */
import { shownText } from '../../../policy/explain.ts';
import { checkRules } from '../../../policy/rules-check.ts';
import type { Rule, Rules } from '../../../wire/policy.ts';

/** The rules in force, why their file is not used, and what has no effect in it. */
interface Testable extends Pick<Rules, 'allowlist' | 'deny'> {
  readonly broken?: string;
  readonly remarks?: readonly string[];
}

export interface Tested {
  readonly ok: boolean;
  readonly rules: number;
  readonly examples: number;
  readonly problems: readonly Problem[];
  /** What was said and has no effect. */
  readonly warnings: readonly string[];
}

/** Something wrong with the approvals file as a whole, or with one rule. */
type Problem =
  | { readonly list: 'exec-approvals.json'; readonly message: string }
  | {
      readonly list: 'allowlist' | 'deny';
      readonly index: number;
      readonly rule: string;
      readonly message: string;
    };

/** Checks every rule by itself and with its own examples. */
export function testRules({ allowlist, deny, broken, remarks = [] }: Testable): Tested {
  const all = [...allowlist, ...deny];
  const problems = [
    ...(broken === undefined ? [] : [{ list: 'exec-approvals.json' as const, message: broken }]),
    ...problemsOf('allowlist', allowlist),
    ...problemsOf('deny', deny),
  ];
  return {
    ok: problems.length === 0,
    rules: all.length,
    examples: all.reduce((sum, { match = [], notMatch = [] }) => sum + match.length + notMatch.length, 0),
    problems,
    warnings: remarks,
  };
}

function problemsOf(list: 'allowlist' | 'deny', rules: readonly Rule[]): readonly Problem[] {
  return checkRules(rules, list === 'deny' ? 'deny' : 'allow').map(({ index, message }) => ({
    list,
    index,
    rule: rules[index]!.pattern,
    message,
  }));
}

/** What was found, for people. */
export function testedText({ rules, examples, problems, warnings }: Tested): string {
  const counts = [counted(rules, 'rule'), counted(examples, 'example'), counted(problems.length, 'problem')];
  return [
    ...problems.map((problem) => `✗ ${shownText(`${placeOf(problem)}: ${problem.message}`)}\n`),
    ...warnings.map((warning) => `! ${shownText(warning)}\n`),
    `${counts.join(', ')}\n`,
  ].join('');
}

function placeOf(problem: Problem): string {
  return 'rule' in problem ? `${problem.list}[${problem.index}] ${problem.rule}` : problem.list;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
