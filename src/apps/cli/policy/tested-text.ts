/** The result of `pincer policy test` as text. */
import { shownText } from '../../../policy/explain.ts';
import type { RuleProblem, TestedRules } from '../../../wire/methods/rules-methods.ts';

export function testedText({ rules, examples, problems, warnings }: TestedRules): string {
  const counts = [counted(rules, 'rule'), counted(examples, 'example'), counted(problems.length, 'problem')];
  return [
    ...problems.map((problem) => `✗ ${shownText(`${placeOf(problem)}: ${problem.message}`)}\n`),
    ...warnings.map((warning) => `! ${shownText(warning)}\n`),
    `${counts.join(', ')}\n`,
  ].join('');
}

function placeOf({ list, index, rule }: RuleProblem): string {
  return index === undefined ? list : `${list}[${index}] ${rule}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
