import type { SessionInfo } from '../../../wire/session.ts';
import type { Exit } from '../../process/launch.ts';

const SIGNAL = /^SIG[A-Z0-9+]{1,12}$/u;

/** How a session on a node ended, for its mirror. The node may send any values. */
export function exitOf({ exitCode, exitSignal, failure, failureNote }: SessionInfo): Exit {
  if (failure === 'spawn-failed') return { kind: 'failed', reason: 'spawn-failed', message: failureNote ?? '' };
  if (failure === 'lost') return { kind: 'lost', ...(failureNote === undefined ? {} : { message: failureNote }) };
  const why = failure === undefined ? {} : { failure };
  if (exitCode !== undefined) {
    if (Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= 255) return { kind: 'code', code: exitCode, ...why };
    return { kind: 'lost', message: 'the node reported an exit code that does not exist' };
  }
  return { kind: 'signal', signal: SIGNAL.test(exitSignal ?? '') ? String(exitSignal) : 'SIGKILL', ...why };
}
