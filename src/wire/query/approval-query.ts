/** The search of answered and pending approvals. */
import { APPROVAL_STATES } from '../approval.ts';
import { HOST_NAMES } from '../policy.ts';
import { type CheckedTerm, checkedTerms } from './query-fields.ts';
import type { QueryProblem } from './query-terms.ts';

export const APPROVAL_FIELDS = {
  agent: 'text',
  by: 'text',
  state: APPROVAL_STATES,
  host: HOST_NAMES,
  since: 'time',
  until: 'time',
} as const;
export type ApprovalTerm = CheckedTerm<keyof typeof APPROVAL_FIELDS>;

/** As `parseAuditQuery`; a word may be in the command, the agent, the person who answered, or the state. */
export function parseApprovalQuery(text: string, now: number): readonly ApprovalTerm[] | QueryProblem {
  return checkedTerms(text, APPROVAL_FIELDS, now);
}
