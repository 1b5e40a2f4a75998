import { Fault, type FaultCode } from '../../base/fault.ts';
import { errnoOf, reason } from '../files/faults.ts';

export function brokenFile(path: string, why: string): Fault {
  const hint = 'fix the file, or replace it with pincer approvals set; pincer does not change it until then';
  return unusedFile('EXEC_APPROVALS_BROKEN', path, why, hint);
}

export function unsafeFile(path: string, why: string): Fault {
  const hint = 'check who created it; replace it with your own regular file with mode 0600';
  return unusedFile('EXEC_APPROVALS_UNSAFE', path, why, hint);
}

function unusedFile(code: FaultCode, path: string, why: string, hint: string): Fault {
  const message = `the approvals file ${path} is not used, so every judged command is denied: ${why}`;
  return new Fault(code, message, { hint, details: { path } });
}

export function changedFile(path: string, hash: string): Fault {
  return new Fault('EXEC_APPROVALS_CHANGED', `the approvals file ${path} was changed since it was read`, {
    hint: 'read it again with pincer approvals get, repeat the change, and set it with the new hash',
    details: { path, hash },
  });
}

export function invalidFile(why: string): Fault {
  return new Fault('EXEC_APPROVALS_INVALID', `invalid approvals: ${why}`, {
    hint: 'nothing was written; see pincer approvals get for the form, and pincer policy test for the rules',
  });
}

export function ambiguousPattern(pattern: string): Fault {
  return new Fault('EXEC_APPROVALS_AMBIGUOUS', `several entries have the pattern ${JSON.stringify(pattern)}`, {
    hint: 'pass the id of the entry; pincer approvals allowlist list shows them',
    details: { pattern },
  });
}

/** Maps a failed write to a fault; other errors are returned unchanged. */
export function unwritable(error: unknown, path: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  return new Fault('EXEC_APPROVALS_UNWRITABLE', `the approvals file ${path} cannot be written: ${reason(error)}`, {
    hint: 'the old file is unchanged; free disk space or make the state folder writable, then run the command again',
    details: { path, errno: code },
    cause: error,
  });
}
