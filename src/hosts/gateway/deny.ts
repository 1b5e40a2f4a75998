/** Denies a prepared request on this machine or in a sandbox, and records it. */
import { actorOf } from '../../wire/actor.ts';
import type { DenialReason, ExecOutcome } from '../../wire/exec.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import type { Prepared, Ready } from './prepare.ts';
import { askedAs, judgedAs } from './start-session.ts';
import { refusal } from './treatment.ts';

/** Where the tool itself is denied, no command was judged, and nothing is recorded. */
export function deny(
  store: Pick<ApprovalStore, 'audit'>,
  ready: Ready & Pick<Prepared, 'judgement'>,
  reason: DenialReason,
): ExecOutcome {
  const { request, context, judgement } = ready;
  if (reason !== 'tool-denied')
    store.audit({
      event: 'denied',
      ...actorOf(context.caller),
      command: request.command,
      details: { reason, ...judgedAs(ready, judgement), ...askedAs(ready) },
    });
  return refusal(ready, reason);
}
