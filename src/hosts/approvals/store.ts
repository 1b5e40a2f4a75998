/** The store of questions and answers: one database in the state folder that survives a crash. */
import { statSync } from 'node:fs';
import { openDatabase } from '../database/open.ts';
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
  /** Hears of a flush that failed behind the back of whoever wrote; the next call throws it, too. */
  readonly onTrouble?: (fault: unknown) => void;
}

/** Opens or makes the store. A damaged file is moved aside, and the notices, the audit log and `warnings` say so. */
export async function openApprovalStore(options: ApprovalStoreOptions): Promise<ApprovalStore> {
  const { file, now: clock = Date.now, engine, onTrouble } = options;
  const now = () => Math.trunc(clock());
  const { database, movedTo } = await openDatabase(file, {
    migrations: MIGRATIONS,
    checked: tablesToCheck(statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    ...(engine === undefined ? {} : { engine }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
  });
  try {
    const records = recordsIn(database, now, onTrouble);
    const warnings = movedTo === undefined ? [] : [tellLoss(records, file, movedTo)];
    const { settleFinished, ...questions } = questionsIn(database, now);
    records.prune();
    settleFinished();
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

/** Whoever waited for an answer waits in vain now, and must hear it. */
function tellLoss(records: Records, file: string, movedTo: string): string {
  const text = `the store of approvals ${file} was damaged and is now ${movedTo}; approvals that were pending in it, their answers, the audit log and what conversations said are lost`;
  records.audit({ event: 'denied', agent: '*', details: { reason: 'store-damaged', file, movedTo } });
  records.notice({ kind: 'exec-denied', agent: '*', text, wake: true, contextKey: 'approvals:store' });
  return text;
}
