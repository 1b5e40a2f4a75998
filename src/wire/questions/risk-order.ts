/** The order in which a person is asked: what can do the most harm comes first. */
import type { ApprovalInfo } from '../approval.ts';
import type { Judgement, Risk } from '../policy.ts';

/** The highest first; other risks come after these. */
export const HIGHEST_RISKS = [
  'system',
  'network',
  'outside',
  'secret',
  'project',
  'inline-code',
] as const satisfies readonly Risk[];

/** Judgements without a risk: those of an earlier version, and of nodes with one. */
const RISK_OF_CODE: Readonly<Partial<Record<string, Risk>>> = {
  'outside-workspace': 'outside',
  'project-code': 'project',
  'inline-code': 'inline-code',
};

export function riskOf({ risk, code }: Pick<Judgement, 'risk' | 'code'>): Risk {
  return risk ?? RISK_OF_CODE[code] ?? 'unknown';
}

/** A risk that is worth a word of its own where a person is asked. */
export function namedRisk(judgement: Pick<Judgement, 'risk' | 'code'>): (typeof HIGHEST_RISKS)[number] | undefined {
  const risk = riskOf(judgement);
  return HIGHEST_RISKS.find((one) => one === risk);
}

/** Compares two approvals: the one with the higher risk first, or else the older one. */
export function byRisk(one: ApprovalInfo, other: ApprovalInfo): number {
  return rankOf(one) - rankOf(other) || one.createdAt - other.createdAt;
}

function rankOf({ judgement }: ApprovalInfo): number {
  const named = namedRisk(judgement);
  return named === undefined ? HIGHEST_RISKS.length : HIGHEST_RISKS.indexOf(named);
}
