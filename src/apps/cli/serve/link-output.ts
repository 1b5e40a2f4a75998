/** Whether a login link may be printed: where a person or a program reads it, and not where it is kept. */
import { fstatSync, type Stats } from 'node:fs';

const STDOUT = 1;

/** A terminal, or a pipe, which Node makes as a pair of sockets. Not a file, and not the journal of systemd, which is a socket. */
export function isReadAtOnce(
  isTerminal: boolean,
  stdout: Pick<Stats, 'isFIFO' | 'isSocket' | 'dev' | 'ino'> | undefined,
  journal: string | undefined,
): boolean {
  if (isTerminal) return true;
  if (stdout === undefined || !(stdout.isFIFO() || stdout.isSocket())) return false;
  return journal !== `${stdout.dev}:${stdout.ino}`;
}

/** `JOURNAL_STREAM` has the device and inode of the stream that systemd connected to its journal (systemd.exec(5)). */
export function isStdoutReadAtOnce(): boolean {
  return isReadAtOnce(process.stdout.isTTY, stdoutStats(), process.env['JOURNAL_STREAM']);
}

function stdoutStats(): Stats | undefined {
  try {
    return fstatSync(STDOUT);
  } catch {
    return undefined; // it is closed
  }
}
