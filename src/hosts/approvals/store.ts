/** The approval store: one database in the state folder that survives a crash. */
import { statSync } from 'node:fs';
import { OWN_ACTOR } from '../../wire/actor.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Database, EngineName } from '../database/shape.ts';
import { questionsIn, type Questions } from './questions.ts';
import { recordsIn, type Records } from './records.ts';
import { MIGRATIONS, tablesToCheck } from './schema.ts';
import type { ApprovalStore } from './shape.ts';

export interface ApprovalStoreOptions {
  readonly file: string;
  readonly now?: () => number;
  /** Default: the engine of this Node. */
  readonly engine?: EngineName;
  /** Receives the fault of a flush that failed in the background; the next call throws it too. */
  readonly onTrouble?: (fault: unknown) => void;
  /** Called after rows were added to the audit log. */
  readonly onAudit?: () => void;
}

/** Opens or creates the store. A damaged file is moved aside; the notices, the audit log and `warnings` report it. */
export async function openApprovalStore(options: ApprovalStoreOptions): Promise<ApprovalStore> {
  const { file, now: clock = Date.now, engine, onTrouble, onAudit } = options;
  const now = () => Math.trunc(clock());
  const { database, movedTo } = await openDatabase(file, {
    migrations: MIGRATIONS,
    checked: tablesToCheck(statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    ...(engine === undefined ? {} : { engine }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
  });
  try {
    const records = recordsIn(database, now, { onTrouble, onAudit });
    const warnings = movedTo === undefined ? [] : [reportLoss(records, file, movedTo)];
    const { reduceFinished, ...questions } = questionsIn(database, now);
    records.prune();
    reduceFinished();
    database.flush();
    return storeOf(database, questions, records, warnings);
  } catch (error) {
    database.close();
    throw error;
  }
}

function storeOf(database: Database, questions: Questions, all: Records, warnings: readonly string[]): ApprovalStore {
  const { prune: _, close: __, ...records } = all;
  return {
    ...questions,
    ...records,
    database,
    warnings,
    flush: () => database.flush(),
    close: () => {
      try {
        all.close();
      } finally {
        database.close();
      }
    },
  };
}

/** Notifies clients whose pending approval requests are lost. */
function reportLoss(records: Records, file: string, movedTo: string): string {
  const text = `the approval store ${file} was damaged and moved to ${movedTo}; its pending approvals, answers, audit log, conversation settings and paired nodes are lost`;
  records.audit({ event: 'denied', ...OWN_ACTOR, details: { reason: 'store-damaged', file, movedTo } });
  records.notice({ kind: 'exec-denied', ...OWN_ACTOR, text, wake: true, contextKey: 'approvals:store' });
  return text;
}
