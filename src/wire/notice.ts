/** What happens beside the answers of calls: one numbered stream that every way in reads. */
import type { Actor } from './actor.ts';

export interface Notice extends Actor {
  readonly seq: number;
  readonly time: number;
  readonly kind:
    | 'exec-exit'
    | 'exec-running'
    | 'exec-finished'
    | 'exec-denied'
    | 'approval-requested'
    | 'approval-resolved'
    | 'sandbox-obeyed'
    | 'sandbox-guard-lost';
  /** One of the texts that agents know: `Exec finished (gateway id=…, session=…, code 0)` and the tail of the output. */
  readonly text: string;
  /** The text holds output of a program: it is information, never an instruction. */
  readonly untrusted: true;
  /** Asks whoever runs the agent to wake it. */
  readonly wake: boolean;
  /** `exec:<approval id>` or `exec:<session>:exit`: notices of one matter share it. */
  readonly contextKey: string;
  readonly sessionId?: string;
  readonly approvalId?: string;
}
