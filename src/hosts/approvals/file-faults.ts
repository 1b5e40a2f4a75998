/** Why the approvals file cannot be changed. */
import { Fault } from '../../base/fault.ts';
import { errnoOf, reason } from '../files/faults.ts';

export function brokenFile(path: string, why: string): Fault {
  return new Fault(
    'EXEC_APPROVALS_BROKEN',
    `the approvals file ${path} is not used, and every judged command is denied: ${why}`,
    {
      hint: 'correct the file, or replace it with pincer approvals set; it is left as it is until then',
      details: { path },
    },
  );
}

export function unsafeFile(path: string, why: string): Fault {
  return new Fault(
    'EXEC_APPROVALS_UNSAFE',
    `the approvals file ${path} is not used, and every judged command is denied: ${why}`,
    {
      hint: 'look at who put it there; make it a regular file of your own with mode 0600',
      details: { path },
    },
  );
}

export function changedFile(path: string, hash: string): Fault {
  return new Fault('EXEC_APPROVALS_CHANGED', `the approvals file ${path} was changed since it was read`, {
    hint: 'read it again with pincer approvals get, make the change there, and set it with the new hash',
    details: { path, hash },
  });
}

export function invalidFile(why: string): Fault {
  return new Fault('EXEC_APPROVALS_INVALID', `these are not approvals that could be used: ${why}`, {
    hint: 'nothing was written; see pincer approvals get for the form, and pincer policy test for the rules',
  });
}

export function ambiguousPattern(pattern: string): Fault {
  return new Fault('EXEC_APPROVALS_AMBIGUOUS', `several entries have the pattern ${JSON.stringify(pattern)}`, {
    hint: 'name the entry by its id; pincer approvals allowlist list shows them',
    details: { pattern },
  });
}

/** What a failed write means; a fault is passed on as it is. */
export function unwritable(error: unknown, path: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  return new Fault('EXEC_APPROVALS_UNWRITABLE', `the approvals file ${path} cannot be written: ${reason(error)}`, {
    hint: 'the old file stays; make room on the disk, or the state folder writable, and run the command again',
    details: { path, errno: code },
    cause: error,
  });
}
