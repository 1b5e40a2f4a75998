import { Fault, type FaultCode } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { errnoOf } from '../files/faults.ts';

/** Primary result codes of SQLite that map to a specific fault. */
const MEANINGS: Readonly<Record<number, { code: FaultCode; what: string; hint: string }>> = {
  3: { code: 'APPROVAL_STORE_READONLY', what: 'is not accessible to this user', hint: writableHint() },
  5: {
    code: 'APPROVAL_STORE_BUSY',
    what: 'is locked by another process',
    hint: 'see pincer daemon status; end the process that locks the file, then run the command again',
  },
  8: { code: 'APPROVAL_STORE_READONLY', what: 'cannot be written', hint: writableHint() },
  10: { code: 'APPROVAL_STORE_FAILED', what: 'cannot be read or written', hint: 'check the disk' },
  11: { code: 'APPROVAL_STORE_CORRUPT', what: 'is damaged', hint: moveHint() },
  13: {
    code: 'APPROVAL_STORE_FULL',
    what: 'is on a full disk',
    hint: 'free some disk space, then run the command again; everything up to this error is stored',
  },
  14: { code: 'APPROVAL_STORE_READONLY', what: 'cannot be opened or created', hint: writableHint() },
  26: { code: 'APPROVAL_STORE_CORRUPT', what: 'is not a database', hint: moveHint() },
};

function writableHint(): string {
  return 'make the state folder writable for this user, or set PINCER_STATE_DIR to another folder';
}

function moveHint(): string {
  return 'run pincer daemon stop, move the file aside, and start again; its pending approvals are lost';
}

/** Maps an error of the engine to a fault; other errors are returned unchanged. */
export function databaseFault(error: unknown, file: string): unknown {
  const result = resultCode(error);
  if (result === undefined) return error;
  const known = MEANINGS[result & 0xff];
  const detail = messageOf(error);
  return new Fault(
    known?.code ?? 'APPROVAL_STORE_FAILED',
    `the approval store ${file} ${known?.what ?? 'failed'}: ${detail}`,
    { ...(known === undefined ? {} : { hint: known.hint }), details: { file, result }, cause: error },
  );
}

/** SQLite's result code, as each engine reports it. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || error instanceof Fault) return undefined;
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  if (typeof errcode === 'number') return errcode;
  if (typeof rawCode === 'number') return rawCode;
  // libsql reports this one only in the message.
  const opening = /ConnectionFailed\(.*: (\d+)"\)/u.exec(error.message)?.[1];
  return opening === undefined ? undefined : Number(opening);
}

/** The system could not write the log of the database to the disk. */
export function unsyncedStore(file: string, error: unknown): Fault {
  return new Fault(
    'APPROVAL_STORE_FAILED',
    `the approval store ${file} cannot be written to the disk: ${messageOf(error)}`,
    {
      hint: 'check the disk, then restart pincer; until then the store is not used',
      details: { file, errno: errnoOf(error) },
      cause: error,
    },
  );
}

/** The log of the database cannot be opened, so nothing was committed. */
export function unopenedLog(file: string, error: unknown): Fault {
  return new Fault(
    'APPROVAL_STORE_FAILED',
    `the log of the approval store ${file} cannot be opened: ${messageOf(error)}`,
    {
      hint: 'check the limit of open files (ulimit -n) and the state folder, then run the command again; nothing was stored',
      details: { file, errno: errnoOf(error) },
      cause: error,
    },
  );
}

export function unsafeStore(file: string, why: string): Fault {
  return new Fault('APPROVAL_STORE_UNSAFE', `the approval store ${file} is not used: ${why}`, {
    hint: 'check who created it; remove it, or set PINCER_STATE_DIR to a private folder',
    details: { file },
  });
}

export function removedStore(file: string): Fault {
  return new Fault('APPROVAL_STORE_UNSAFE', `the approval store ${file} was removed or replaced while it was in use`, {
    hint: 'find out who did it, then run pincer daemon stop --force and the command again; pending approvals are lost',
    details: { file },
  });
}

export function newerStore(file: string, found: number, known: number): Fault {
  return new Fault(
    'APPROVAL_STORE_NEWER',
    `the approval store ${file} was written by a newer pincer: version ${found}, this one supports ${known}`,
    {
      hint: 'use the newer pincer, or set PINCER_STATE_DIR to another folder',
      details: { file, version: found, known },
    },
  );
}
