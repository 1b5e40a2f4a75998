/** The end of a session, as an exit code and as text. */
import type { SessionInfo } from '../../../wire/session.ts';

const TIMED_OUT = 124;
/** Exit code of shells for a command that was not found. */
export const NOT_FOUND = 127;
const LOST = 3;

export function exitCodeOfSession(session: SessionInfo): number {
  if (session.failure === 'timeout') return TIMED_OUT;
  if (session.failure === 'spawn-failed') return NOT_FOUND;
  if (session.exitSignal !== undefined) return 128 + signalNumber(session.exitSignal);
  return session.exitCode ?? LOST;
}

/** Undefined for a command that ended by itself. */
export function failureText({ id, failure, failureNote }: SessionInfo): string | undefined {
  const note = failureNote === undefined ? '' : `: ${failureNote}`;
  switch (failure) {
    case undefined:
      return undefined;
    case 'timeout':
      return `${id} was ended by its timeout${failureNote === undefined ? '' : ` of ${failureNote} s`}`;
    case 'spawn-failed':
      return `${id} could not be started${note}`;
    case 'lost':
      return `${id} was lost${note}`;
    case 'aborted':
    case 'killed':
      return `${id} was ${failure}${note}`;
  }
}

/** `running`, `exit 0`, `SIGTERM`, `timeout`. */
export function sessionState(session: SessionInfo): string {
  if (session.unreachableSince !== undefined) return 'running, node offline';
  if (session.status === 'running') return session.waitingForInput ? 'waiting for input' : 'running';
  const ended = session.failure ?? session.exitSignal ?? `exit ${session.exitCode ?? '?'}`;
  return session.leftovers === undefined ? ended : `${ended} (${session.leftovers.length} left)`;
}

function signalNumber(signal: string): number {
  // Loaded only here, because few commands end by a signal.
  const { signals } = process.getBuiltinModule('node:os').constants;
  return signals[signal as NodeJS.Signals] ?? (Number(signal) || 0);
}
