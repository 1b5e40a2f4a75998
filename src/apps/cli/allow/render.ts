/** The texts of `pincer allow`. */
import { shownText } from '../../../policy/explain.ts';
import type { RuleHost } from '../../../wire/policy.ts';
import { paint } from '../../terminal/paint.ts';
import { type Described, headLine, pathText, riskLines } from './describe.ts';
import type { RulePlan, Stored } from './plan-rule.ts';

export function planText(
  { entry, rule, described, isAllowed }: RulePlan,
  where: RuleHost | undefined,
  colour: boolean,
): string {
  const style = paint(colour);
  const head = style.value(headLine(entry, described));
  const lines =
    rule !== undefined
      ? riskLines(rule, described, where)
      : [`programs that only read may also read files below ${pathText(entry.pattern, described.home)}`];
  const needless = isAllowed === undefined ? [] : [`it runs without asking already: ${shownText(isAllowed)}`];
  return `${[head, ...[...lines, ...needless].map((line) => `  ${line}`)].join('\n')}\n`;
}

export function outcomeText({ stored, judgement, remark }: Stored, { home }: Described, colour: boolean): string {
  const style = paint(colour);
  const until = stored.expiresAt === undefined ? '' : `, until ${timeText(stored.expiresAt)}`;
  const id = stored.id?.slice(0, 8) ?? '';
  const lines = [`${style.good('stored')} ${style.address(id)}${until}; remove it with: pincer allow --remove ${id}`];
  if (judgement !== undefined) {
    const where = EFFECTS[judgement.allowedIn ?? judgement.verdict];
    lines.push(
      `tested: ${shownText(stored.said ?? stored.pattern)} ${where}${stored.below === undefined ? '' : `, below ${pathText(stored.below, home)}`}`,
    );
  }
  if (remark !== undefined) lines.push(shownText(remark));
  return `${lines.join('\n')}\n`;
}

const EFFECTS = {
  sandbox: 'runs in the sandbox without asking',
  allow: 'runs on this machine without asking',
  ask: 'asks once for each form of its arguments',
  deny: 'does not run',
} as const;

/** Local time, to the minute. */
export function timeText(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
