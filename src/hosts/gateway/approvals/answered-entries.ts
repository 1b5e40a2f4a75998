/** The entries that "allow always" stores, and a row of the audit log where they were not stored. */
import { Fault } from '../../../base/fault.ts';
import { actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo, Narrowing } from '../../../wire/approval.ts';
import type { AllowlistEntry } from '../../../wire/policy.ts';
import { maskedEntry } from '../../approvals/history.ts';
import type { ApprovalsFile, ApprovalStore } from '../../approvals/shape.ts';

export interface StoreResult {
  readonly stored: readonly AllowlistEntry[];
  readonly notStored?: string;
}

export interface AnsweredEntries {
  /** The answer applies even where it cannot be stored for the next time. */
  keep(approval: ApprovalInfo, narrow: Narrowing | undefined): StoreResult;
  /** A daemon that died after the answer may not have stored its entries. How the person limited them is lost with it. */
  noteUnstored(approval: ApprovalInfo): void;
}

export function answeredEntries(store: Pick<ApprovalStore, 'audit'>, file: ApprovalsFile): AnsweredEntries {
  /** The row of the answer has the entries already. */
  function recordNotStored({ id, binding, resolvedBy = '', wouldStore }: ApprovalInfo, notStored: string): void {
    store.audit({
      event: 'rules',
      ...actorOf(binding),
      approvalId: id,
      by: resolvedBy,
      details: { change: 'not-stored', notStored, entries: wouldStore.map(maskedEntry) },
    });
  }

  return {
    keep(approval, narrow) {
      try {
        return { stored: file.add(approval.binding.agent, entriesOf(approval, narrow)) };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        recordNotStored(approval, error.message);
        return { stored: [], notStored: error.message };
      }
    },
    noteUnstored(approval) {
      if (approval.decision !== 'allow-always') return;
      const known = file.ownEntries(approval.binding.agent).map(matchedBy);
      if (approval.wouldStore.every((entry) => known.includes(matchedBy(entry)))) return;
      recordNotStored(approval, 'the daemon died before it stored them');
    },
  };
}

export function entriesOf({ wouldStore }: ApprovalInfo, narrow: Narrowing = {}): readonly AllowlistEntry[] {
  return wouldStore.map((entry) => ({ ...entry, ...narrow }));
}

/** What a limit of the person leaves as it is. */
function matchedBy({ pattern, argPattern, args, argv }: AllowlistEntry): string {
  return JSON.stringify([pattern, argPattern, args, argv]);
}
