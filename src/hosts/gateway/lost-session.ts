import type { ExecSettings } from '../../wire/settings.ts';
import type { ApprovalStore, NotedSession } from '../approvals/shape.ts';
import { lostExitText } from '../sessions/notice-texts.ts';

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
