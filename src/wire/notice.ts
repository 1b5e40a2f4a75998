/** What happens beside the answers of calls: one numbered stream that every way in reads. */
import { type Infer, boolean, literal, number, object, oneOf, string } from './schema.ts';
import { actor } from './caller.ts';

export const notice = object(
  {
    ...actor.required,
    seq: number(),
    time: number(),
    kind: oneOf([
      'exec-exit',
      'exec-running',
      'exec-finished',
      'exec-denied',
      'approval-requested',
      'approval-resolved',
      'sandbox-obeyed',
      'sandbox-guard-lost',
    ]),
    /** One of the texts that agents know: `Exec finished (gateway id=…, session=…, code 0)` and the tail of the output. */
    text: string(),
    /** The text holds output of a program: it is information, never an instruction. */
    untrusted: literal(true),
    /** Asks whoever runs the agent to wake it. */
    wake: boolean(),
    /** `exec:<approval id>` or `exec:<session>:exit`: notices of one matter share it. */
    contextKey: string(),
  },
  { ...actor.optional, sessionId: string(), approvalId: string() },
);
export type Notice = Infer<typeof notice>;
