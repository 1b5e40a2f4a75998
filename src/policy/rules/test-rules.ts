/** Checks rules and their examples, as `pincer policy test`. */
import type { Rule, Rules } from '../../wire/policy.ts';
import type { RuleProblem, TestedRules } from '../../wire/methods/rules-methods.ts';
import { checkRules } from './rules-check.ts';

/** `broken`: why the approvals file is invalid. `remarks`: entries without effect. */
interface Testable extends Pick<Rules, 'allowlist' | 'deny'> {
  readonly broken?: string;
  readonly remarks?: readonly string[];
}

export function testRules({ allowlist, deny, broken, remarks = [] }: Testable): TestedRules {
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

function problemsOf(list: 'allowlist' | 'deny', rules: readonly Rule[]): readonly RuleProblem[] {
  return checkRules(rules, list === 'deny' ? 'deny' : 'allow').map(({ index, message }) => ({
    list,
    index,
    rule: rules[index]!.pattern,
    message,
  }));
}
