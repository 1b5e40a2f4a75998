/** The list of sessions for a page. An agent chooses the length of its commands, and must not make the list too large to be sent. */
import type { SessionInfo } from '../../../../wire/session.ts';
import { MOST_SESSION_BYTES } from '../limits.ts';

const LONGEST_COMMAND = 1_000;
const LONGEST_TAIL = 200;
const MOST_LEFTOVERS = 10;

/** In the same order. Long texts are cut where the whole list has no room; then sessions are left out, ended and old ones first. */
export function shownSessions(
  sessions: readonly SessionInfo[],
  _?: unknown,
  mostBytes = MOST_SESSION_BYTES,
): readonly SessionInfo[] {
  const sizeOf = (session: SessionInfo): number => Buffer.byteLength(JSON.stringify(session)) + 1;
  if (sessions.reduce((sum, session) => sum + sizeOf(session), 0) <= mostBytes) return sessions;
  const cut = sessions.map(shortened);
  const rank = ({ status }: SessionInfo): number => (status === 'running' ? 0 : 1);
  const kept = new Set<SessionInfo>();
  let bytes = 0;
  for (const session of cut.toSorted((one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt)) {
    const size = sizeOf(session);
    if (bytes + size > mostBytes) continue;
    bytes += size;
    kept.add(session);
  }
  return cut.filter((session) => kept.has(session));
}

function shortened(session: SessionInfo): SessionInfo {
  const { command, tail, leftovers } = session;
  return {
    ...session,
    command: beginning(command),
    tail: tail.slice(-LONGEST_TAIL),
    ...(leftovers === undefined
      ? {}
      : { leftovers: leftovers.slice(0, MOST_LEFTOVERS).map((one) => ({ ...one, command: beginning(one.command) })) }),
  };
}

function beginning(text: string): string {
  return text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND)}…` : text;
}
