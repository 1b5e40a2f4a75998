/** The methods `audit.*`. */
import { auditCheck, auditEntry } from '../approval.ts';
import { count, method, NUMBERED_PAGE, pageSize, query, time } from './method.ts';
import { array, type Infer, integer, json, object, partial, string } from '../schema.ts';

/** A part of a histogram; `asked` and `denied` count entries with these events. */
const auditBin = object({ entries: count, asked: count, denied: count });
export type AuditBin = Infer<typeof auditBin>;

/** Entries after `after` up to `upTo`, which was the last one at the time `now`. */
const exportPosition = object({ after: count, upTo: count, now: time });

export const AUDIT_METHODS = {
  'audit.list': method(
    'Entries of the audit log, after the one with the number `after`.',
    partial({ ...NUMBERED_PAGE, q: query }),
    array(auditEntry),
  ),
  'audit.follow': {
    ...method(
      'A stream: entries of the audit log after the number `after`, then new ones.',
      partial({ after: count }),
      json(),
    ),
    event: auditEntry,
  },
  'audit.query': method(
    'Searches the audit log, the newest entries first. `q` has words in the command and the fields `agent:`, `event:`, `code:`, ' +
      '`host:`, `session:`, `by:`, `since:`, `until:` and `exit:`; `-` before a term means "not".',
    object(
      { q: query },
      {
        /** Entries with smaller numbers. */
        before: count,
        limit: pageSize,
      },
    ),
    object(
      { entries: array(auditEntry) },
      {
        /** `before` of the next page; absent after the last one. */
        next: count,
      },
    ),
  ),
  'audit.histogram': method(
    'How many entries a search finds, and how many of them ask or deny, in parts of equal length from the time `from` to the time `to`, which is not included.',
    object({ q: query, from: time, to: time, bins: integer({ min: 1, max: 1_000 }) }),
    object({ bins: array(auditBin), total: count }),
  ),
  'audit.export': method(
    'One part of what a search finds, as JSON lines with the oldest entry first. The next part follows with `next`.',
    object({ q: query }, { next: exportPosition }),
    object(
      { lines: string(), entries: count },
      {
        /** Absent in the last part. */
        next: exportPosition,
      },
    ),
  ),
  'audit.verify': method('Checks the hashes of the whole audit log.', object({}), auditCheck),
} as const;
