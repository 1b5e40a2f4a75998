import { useEffect } from 'preact/hooks';
import type { SessionInfo } from '../../../wire/session.ts';
import { FaultNote } from '../../components/callout.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Split } from '../../components/split.tsx';
import { useKeys } from '../../keys.ts';
import { place } from '../../router.ts';
import { useSubtitle } from '../../state/header.ts';
import { link, noteLoad } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { CallError } from '../../socket/calls.ts';
import { call } from '../../state/server.ts';
import { runningSessions, sessions, sessionsLoaded } from '../../state/sessions.ts';
import { move, noteSession, open, showFirst, shownId } from './selection.ts';
import { SessionDetail } from './session-detail.tsx';
import { SessionList } from './session-list.tsx';
import './sessions.css';

/** Sizes of output and waiting for input have no events, so sessions that run are read again, at most this many. */
const READ_AGAIN_MS = 5000;
const MOST_READ_AGAIN = 16;
/** As `hosts/sessions/retention.ts` does it. */
const RETENTION =
  'A finished command whose answer had all of its output is removed after a minute, others by default after 30 minutes.';

export default function SessionsScreen() {
  const running = runningSessions.value.length;
  const ended = sessions.value.size - running;
  useSubtitle(sessionsLoaded.value ? `${running} running, ${ended} ended` : '');
  useEffect(showFirst, []);
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: open });
  useReadAgain(running > 0);
  return (
    <Split
      openId={place.value.segments[1]}
      isEmpty={sessionsLoaded.value && sessions.value.size === 0}
      back={{ href: '/sessions', text: 'All sessions' }}
      list={<SessionList />}
    >
      <Shown />
    </Split>
  );
}

function Shown() {
  const id = shownId.value;
  const session = id === undefined ? undefined : sessions.value.get(id);
  if (session !== undefined) return <SessionDetail key={session.id} session={session} />;
  if (id !== undefined) return <OtherSession key={id} id={id} />;
  if (!sessionsLoaded.value) return <div class="detail" />;
  return (
    <div class="detail">
      {sessions.value.size > 0 ? (
        <EmptyState icon="sessions" title="No session is chosen">
          Choose one in the list.
        </EmptyState>
      ) : (
        <EmptyState
          icon="sessions"
          title="There are no sessions"
          command={`pincer call exec '{"command":"ls","host":"gateway"}'`}
        >
          Every command that an agent starts is a session, and appears here. {RETENTION} Try it:
        </EmptyState>
      )}
    </div>
  );
}

/** A link to a session that is not in the list, or not yet. An old one stays out of the list, so it is kept here. */
function OtherSession({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(id, async (signal) => {
    const session = await call('session.wait', { sessionId: id, waitMs: 0 }, signal);
    noteSession(session);
    return session;
  });
  if (value !== undefined) return <SessionDetail session={value} />;
  return (
    <div class="detail">
      {error === undefined ? undefined : isUnknown(error) ? <NotKept /> : <FaultNote error={error} />}
    </div>
  );
}

/** Links of the audit log outlive their sessions. */
function NotKept() {
  return (
    <EmptyState icon="clock" title="This session was removed">
      {RETENTION} The gateway has no session with this id. The <a href="/audit">audit log</a> still says what ran.
    </EmptyState>
  );
}

function isUnknown(error: unknown): boolean {
  return error instanceof CallError && error.code === 'EXEC_SESSION_UNKNOWN';
}

function useReadAgain(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return undefined;
    let isReading = false;
    const readAll = async (): Promise<void> => {
      isReading = true;
      const running = runningSessions.peek().slice(0, MOST_READ_AGAIN);
      const problems = await Promise.all(running.map(readAgain));
      if (link.peek().kind === 'live') noteLoad('running', problems.find(Boolean));
      isReading = false;
    };
    const timer = setInterval(() => {
      // A slow server gets no second round: the calls of a person need room.
      if (document.visibilityState === 'visible' && link.peek().kind === 'live' && !isReading) void readAll();
    }, READ_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isNeeded]);
}

/** Why it failed. A session that is gone is no failure. */
async function readAgain({ id }: SessionInfo): Promise<unknown> {
  try {
    noteSession(await call('session.wait', { sessionId: id, waitMs: 0 }));
    return undefined;
  } catch (error) {
    return isUnknown(error) ? undefined : error;
  }
}
