/** What a gateway answers at the end of a handshake. */
import { randomUUID } from 'node:crypto';
import type { FaultCode } from '../../base/fault.ts';
import type { FinalDecision } from '../identity/handshake.ts';

type DecisionOf<A extends FinalDecision['answer']> = Extract<FinalDecision, { readonly answer: A }>;

export function welcome({ id, name }: { readonly id: string; readonly name: string }): DecisionOf<'welcome'> {
  return { answer: 'welcome', epoch: randomUUID(), id, name };
}

export function refused(code: FaultCode, message: string): DecisionOf<'refused'> {
  return { answer: 'refused', code, message };
}

export const REVOKED: FinalDecision = {
  ...refused('NODE_REVOKED', 'the gateway has removed this node'),
  hint: 'to pair it again: pincer nodes invite on the gateway, then pincer node run --invitation - here',
};

export const INVITATION_USED: FinalDecision = {
  ...refused('NODE_INVITATION', 'the invitation is unknown, used or expired'),
  hint: 'pincer nodes invite on the gateway prints a new one',
};
