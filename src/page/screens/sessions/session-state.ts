/** The state of a session in words. A lost session has not finished: the end of its command is unknown. */
import type { SessionFailure, SessionInfo } from '../../../wire/session.ts';
import type { Tone } from '../../components/chip.tsx';
import type { IconName } from '../../components/icon.tsx';
import { clockText } from '../../text/times.ts';

export interface StateLabel {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
}

export type StateFacts = Pick<
  SessionInfo,
  'status' | 'waitingForInput' | 'unreachableSince' | 'failure' | 'exitCode' | 'exitSignal'
>;

const FAILURES: Readonly<Record<SessionFailure, string>> = {
  timeout: 'Timed out',
  aborted: 'Aborted',
  killed: 'Killed',
  'spawn-failed': 'Not started',
  lost: 'Lost',
};

export function stateLabel(session: StateFacts, now: number): StateLabel {
  const { status, failure, exitCode, exitSignal, unreachableSince, waitingForInput } = session;
  if (status === 'running') {
    if (unreachableSince !== undefined)
      return { tone: 'no', icon: 'off', text: `Unreachable since ${clockText(unreachableSince, now)}` };
    return waitingForInput
      ? { tone: 'ask', icon: 'ask', text: 'Waits for input' }
      : { tone: 'ok', icon: 'run', text: 'Running' };
  }
  if (failure !== undefined) return { tone: 'no', icon: failure === 'lost' ? 'off' : 'no', text: FAILURES[failure] };
  if (exitSignal !== undefined) return { tone: 'no', icon: 'no', text: `Ended by ${exitSignal}` };
  if (exitCode !== undefined && exitCode !== 0) return { tone: 'no', icon: 'no', text: `Code ${exitCode}` };
  return { tone: 'muted', icon: 'ok', text: exitCode === undefined ? 'Ended' : `Code ${exitCode}` };
}
