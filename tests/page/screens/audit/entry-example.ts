/** An entry of the audit log as the server sends it. */
import type { AuditEntry } from '../../../../src/wire/approval.ts';

export function entryExample(seq: number, changes: Partial<AuditEntry> = {}): AuditEntry {
  return { seq, time: 1_000 * seq, event: 'started', agent: 'main', details: {}, ...changes };
}
