/** The notices of this node about approval requests of a gateway, from a number on. */
import { Fault } from '../../base/fault.ts';
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { NodeNotice } from '../../wire/nodes/questions.ts';
import type { Notice } from '../../wire/notice.ts';
import { isGuestOf } from './guest.ts';
import type { GuestQuestions } from './guest-questions.ts';

/**
 * The kinds that are sent, and as what: the gateway reports the start and the end of its sessions itself, and reads the remaining time
 * of a request from every notice. Gateways of earlier versions do not know `approval-extended`.
 */
const SENT: Readonly<Partial<Record<Notice['kind'], NodeNotice['kind']>>> = {
  'approval-requested': 'approval-requested',
  'approval-extended': 'approval-requested',
  'approval-resolved': 'approval-resolved',
  'exec-denied': 'exec-denied',
};

/** Sends notices until the call is cancelled. */
export async function sendNotices(
  { local, questions }: { readonly local: Gateway; readonly questions: Pick<GuestQuestions, 'show'> },
  after: number,
  gateway: string,
  call: Pick<IncomingCall, 'event' | 'room' | 'signal'>,
): Promise<void> {
  let sending = Promise.resolve();
  const stopped = new AbortController();
  const signal = AbortSignal.any([call.signal, stopped.signal]);
  const send = async (notice: Notice & { readonly approvalId: string }): Promise<void> => {
    if (signal.aborted) return;
    const question = await questions.show(notice.approvalId, gateway).catch(ifUnknown);
    if (question === undefined) return;
    call.event({ seq: notice.seq, kind: SENT[notice.kind], question });
    await call.room();
  };
  const isNewer = (await local.call('notice.list', { after: Math.max(0, after - 1), limit: 1 })).length > 0;
  await local.notices(
    // A number that this store has not reached comes from one that was replaced.
    { after: isNewer ? after : 0 },
    (notice) => {
      const { kind, agent, approvalId } = notice;
      if (SENT[kind] === undefined || approvalId === undefined || !isGuestOf(agent, gateway)) return;
      sending = sending.then(() => send({ ...notice, approvalId }));
      sending.catch(() => stopped.abort());
    },
    signal,
  );
  await sending;
}

/** An approval request that was removed after its time has nothing more to report. */
function ifUnknown(error: unknown): undefined {
  if (error instanceof Fault && error.code === 'APPROVAL_UNKNOWN') return undefined;
  throw error;
}
