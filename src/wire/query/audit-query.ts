/** The search of the audit log. */
import { AUDIT_EVENTS } from '../approval.ts';
import { HOST_NAMES } from '../policy.ts';
import { type CheckedTerm, checkedTerms } from './query-fields.ts';
import type { QueryProblem } from './query-terms.ts';

export const AUDIT_FIELDS = {
  agent: 'text',
  event: AUDIT_EVENTS,
  code: 'text',
  host: HOST_NAMES,
  session: 'text',
  by: 'text',
  since: 'time',
  until: 'time',
  exit: 'exit',
} as const;
export type AuditTerm = CheckedTerm<keyof typeof AUDIT_FIELDS>;

/** Terms, all of which an entry must match; of several values of one field, one. `since` and `until` must all match. */
export function parseAuditQuery(text: string, now: number): readonly AuditTerm[] | QueryProblem {
  return checkedTerms(text, AUDIT_FIELDS, now);
}
