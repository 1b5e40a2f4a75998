import { Fault, type FaultCode } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';

/** The primary result codes of SQLite that have a meaning of their own here. */
const MEANINGS: Readonly<Record<number, { code: FaultCode; what: string; hint: string }>> = {
  3: { code: 'APPROVAL_STORE_READONLY', what: 'may not be used by this user', hint: readable() },
  5: {
    code: 'APPROVAL_STORE_BUSY',
    what: 'is being written by another process that does not end',
    hint: 'see pincer daemon status; end the process that holds the file, and run the command again',
  },
  8: { code: 'APPROVAL_STORE_READONLY', what: 'cannot be written', hint: readable() },
  10: { code: 'APPROVAL_STORE_FAILED', what: 'cannot be read or written', hint: 'check the disk that holds it' },
  11: { code: 'APPROVAL_STORE_CORRUPT', what: 'is damaged', hint: moved() },
  13: {
    code: 'APPROVAL_STORE_FULL',
    what: 'has no room on its disk',
    hint: 'free some space on that disk and run the command again; what was not answered with an error is kept',
  },
  14: { code: 'APPROVAL_STORE_READONLY', what: 'cannot be opened or made', hint: readable() },
  26: { code: 'APPROVAL_STORE_CORRUPT', what: 'is not a database', hint: moved() },
};

function readable(): string {
  return 'make the state folder writable for this user, or name another one in PINCER_STATE_DIR';
}

function moved(): string {
  return 'run pincer daemon stop, move the file aside, and start again; what was pending in it is lost';
}

/** What an error of the engine means for this file; what is no error of an engine is passed on as it is. */
export function databaseFault(error: unknown, file: string): unknown {
  const result = resultCode(error);
  if (result === undefined) return error;
  const known = MEANINGS[result & 0xff];
  const detail = messageOf(error);
  return new Fault(
    known?.code ?? 'APPROVAL_STORE_FAILED',
    `the store of approvals ${file} ${known?.what ?? 'answers with an error'}: ${detail}`,
    { ...(known === undefined ? {} : { hint: known.hint }), details: { file, result }, cause: error },
  );
}

/** SQLite's number for what went wrong, as each of the two engines tells it. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || error instanceof Fault) return undefined;
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  if (typeof errcode === 'number') return errcode;
  if (typeof rawCode === 'number') return rawCode;
  // The package says this one in words only.
  const opening = /ConnectionFailed\(.*: (\d+)"\)/u.exec(error.message)?.[1];
  return opening === undefined ? undefined : Number(opening);
}

export function unsafeStore(file: string, why: string): Fault {
  return new Fault('APPROVAL_STORE_UNSAFE', `the store of approvals ${file} is not used: ${why}`, {
    hint: 'look at who put it there; remove it, or name a private folder of your own in PINCER_STATE_DIR',
    details: { file },
  });
}

export function removedStore(file: string): Fault {
  return new Fault(
    'APPROVAL_STORE_UNSAFE',
    `the store of approvals ${file} was removed or replaced while it was in use`,
    {
      hint: 'look at who did it; then run pincer daemon stop --force, and the command again: what was pending is lost',
      details: { file },
    },
  );
}

export function newerStore(file: string, found: number, known: number): Fault {
  return new Fault(
    'APPROVAL_STORE_NEWER',
    `the store of approvals ${file} was written by a newer pincer: version ${found}, and this one knows ${known}`,
    {
      hint: 'use that newer pincer, or name another folder in PINCER_STATE_DIR',
      details: { file, version: found, known },
    },
  );
}
