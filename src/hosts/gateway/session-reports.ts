/** What the audit log and the notices say about the end of a session. */
import { actorOf } from '../../wire/actor.ts';
import type { SessionInfo } from '../../wire/session.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { ApprovalStore, NotedSession } from '../approvals/shape.ts';
import { exitText, lostExitText } from '../sessions/notice-texts.ts';

/** The settings that decide about the notice of an end. */
export type EndSettings = Pick<ExecSettings, 'notifyOnExit' | 'notifyOnExitEmptySuccess'>;

/** Records the end of a session. Returns whether there is a notice; an approval has notices of its own. */
export function reportEndedSession(store: ApprovalStore, session: SessionInfo, settings: EndSettings): boolean {
  const { id, exitCode, exitSignal, failure, bytes, approvalId } = session;
  if (session.node === undefined) store.noteSession({ id, ended: true }); // as `noteRunning`
  store.audit({
    event: 'ended',
    ...actorOf(session),
    ...(approvalId === undefined ? {} : { approvalId }),
    sessionId: id,
    command: session.command,
    details: { exitCode, exitSignal, failure, bytes },
  });
  const silent = exitCode === 0 && bytes === 0 && !settings.notifyOnExitEmptySuccess;
  const hasNotice = session.backgrounded && settings.notifyOnExit && !silent && failure !== 'killed';
  if (approvalId !== undefined || !hasNotice) return false;
  store.notice({
    kind: 'exec-exit',
    ...actorOf(session),
    text: exitText(session),
    wake: true,
    contextKey: `exec:${id}:exit`,
    sessionId: id,
  });
  return true;
}

/** Records the end of a session whose daemon died, and notifies the client that waits for it. */
export function reportLostSession(
  store: ApprovalStore,
  { id, whose: owner }: NotedSession,
  command: string | undefined,
  { notifyOnExit }: ExecSettings,
): void {
  store.noteSession({ id, ended: true });
  if (owner === undefined) return;
  const what = command === undefined ? {} : { command };
  store.audit({ event: 'ended', ...owner, sessionId: id, ...what, details: { failure: 'lost' } });
  if (!notifyOnExit) return;
  store.notice({
    kind: 'exec-exit',
    ...owner,
    text: lostExitText(id),
    wake: true,
    contextKey: `exec:${id}:exit`,
    sessionId: id,
  });
}
