/** `pincer policy test`: checks the effective rules and their examples. */
import { shownText } from '../../../policy/explain.ts';
import { checkRules } from '../../../policy/rules-check.ts';
import type { Rule, Rules } from '../../../wire/policy.ts';

/** `broken`: why the approvals file is invalid. `remarks`: entries without effect. */
interface Testable extends Pick<Rules, 'allowlist' | 'deny'> {
  readonly broken?: string;
  readonly remarks?: readonly string[];
}

export interface Tested {
  readonly ok: boolean;
  readonly rules: number;
  readonly examples: number;
  readonly problems: readonly Problem[];
  /** Entries without effect. */
  readonly warnings: readonly string[];
}

/** A problem of the whole approvals file, or of one rule. */
type Problem =
  | { readonly list: 'exec-approvals.json'; readonly message: string }
  | {
      readonly list: 'allowlist' | 'deny';
      readonly index: number;
      readonly rule: string;
      readonly message: string;
    };

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
