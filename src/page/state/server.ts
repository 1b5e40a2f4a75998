/** The one connection of this page: calls of screens go through it, and its events change the shared state. */
import { store, stored } from '../preferences.ts';
import type { CallMethod, PageParams, PageResult } from '../socket/calls.ts';
import { Connection, type PageEvent, type Welcome } from '../socket/connection.ts';
import type { OutputListener } from '../socket/subscriptions.ts';
import { approvals, approvalsLoaded, unlistedApprovals, withApproval, withList } from './approvals.ts';
import { setServerTime } from './clock.ts';
import { coalesced } from './coalesced.ts';
import { passEvent, passReset } from './events.ts';
import { link, login, noteLoad, server, type SharedList } from './link.ts';
import { nodes, nodesLoaded } from './nodes.ts';
import { sessions, sessionsLoaded, withSession, withSessions } from './sessions.ts';
import { toast } from './toasts.ts';

const SOCKET_PATH = '/page/socket';
const MOST_APPROVALS = 5000;
/** Below the limit of the server for one result. */
const MOST_BYTES = 6 << 20;
const KEY = 'key';
const PORT = 'port';
const UNPROVEN =
  'The server at this address did not prove that it is the gateway of your login. Another program may have taken its port. ' +
  'The page has sent it nothing. Check that the gateway runs before you reload this page or log in again.';

let heardAt: number | undefined;
/** The link was lost while a list was loaded. */
let isIncomplete = false;

const connection = new Connection(
  {
    open: () => new WebSocket(new URL(SOCKET_PATH, location.href.replace(/^http/u, 'ws'))),
    key: () => stored(KEY) ?? '',
    origin: () => location.origin,
    port: () => Number(stored(PORT)),
    now: () => Date.now(),
    random: () => Math.random(),
  },
  {
    welcome,
    reset,
    event: applyEvent,
    clock: setServerTime,
    heard: () => {
      heardAt = Date.now();
    },
    unreadable: outdated,
    lost: (nextTryAt) => {
      link.value = { kind: 'lost', nextTryAt, ...(heardAt === undefined ? {} : { dataAt: heardAt }) };
    },
    loggedOut: (reason) => {
      store(KEY, undefined);
      store(PORT, undefined);
      link.value = { kind: 'logged-out', reason };
    },
    // The key stays: the program that answers may not be the gateway.
    unknownBrowser: () => {
      link.value = { kind: 'logged-out', reason: 'This browser is not logged in.' };
    },
    unprovenServer: () => {
      link.value = { kind: 'logged-out', reason: UNPROVEN };
    },
  },
);

/** Calls a method of the gateway. Rejects with a `CallError`; nothing is queued while there is no link. */
export function call<M extends CallMethod>(
  method: M,
  params: PageParams<M>,
  signal?: AbortSignal,
): Promise<PageResult<M>> {
  return connection.call(method, params, signal);
}

/** Follows the output of a session from a byte position; the result ends it. */
export function followOutput(sessionId: string, after: number, listener: OutputListener): () => void {
  return connection.follow(sessionId, after, listener);
}

export function tryNow(): void {
  connection.wake();
}

/** Keeps the key of a new login, and the port that its server listens on. */
export function keepLogin(key: string, port: string): void {
  store(KEY, key);
  store(PORT, port);
}

/** The server ends the login of this browser, and says so. */
export function logOut(): void {
  connection.logOut();
}

export function startConnection(): void {
  connection.connect();
  addEventListener('online', tryNow);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') tryNow();
  });
}

export function hasLogin(): boolean {
  return stored(KEY) !== undefined && stored(PORT) !== undefined;
}

/** What was not understood is missing, and what is sent may be misunderstood: nothing comes or goes until the page is loaded again. */
function outdated(problem: string): void {
  connection.end();
  link.value = { kind: 'outdated', problem };
}

function welcome({ login: person, resume, version, machine, workspace, agent }: Welcome): void {
  const before = server.peek();
  if (before !== undefined && before.version !== version) {
    outdated(`the gateway is now version ${version}`);
    return;
  }
  const wasLost = link.peek().kind === 'lost' && before !== undefined;
  login.value = person;
  server.value = { version, machine, workspace, agent };
  link.value = { kind: 'live' };
  const isComplete = resume === 'resumed' && before !== undefined && !isIncomplete;
  if (wasLost) toast(isComplete ? 'Live again: nothing was missed' : 'Live again: the lists are loaded again');
  if (!isComplete) reset();
}

/** Loads what every page shows. Screens load the rest. */
function reset(): void {
  isIncomplete = false;
  for (const load of [loadApprovals, loadSessions, refreshNodes]) void load();
  passReset();
}

/** Loads a list. A lost link loads again when it is back; any other failure is shown until a load succeeds. */
function loader(list: SharedList, load: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await load();
      noteLoad(list);
    } catch (error) {
      if (link.peek().kind === 'live') noteLoad(list, error);
      else isIncomplete = true;
    }
  };
}

const loadApprovals = loader(
  'approvals',
  coalesced(async () => {
    const before = approvals.peek();
    const [list, count] = await Promise.all([
      call('approval.list', { state: 'pending', limit: MOST_APPROVALS, maxBytes: MOST_BYTES }),
      call('approval.count', { state: 'pending' }),
    ]);
    approvals.value = withList(approvals.peek(), list, before);
    unlistedApprovals.value = Math.max(0, count - list.length);
    approvalsLoaded.value = true;
  }),
);

const loadSessions = loader(
  'sessions',
  coalesced(async () => {
    const before = sessions.peek();
    const list = await call('session.list', {});
    sessions.value = withSessions(sessions.peek(), list, before);
    sessionsLoaded.value = true;
  }),
);

/** Rejects where it fails, for those who have changed a node. */
export const loadNodes = coalesced(async () => {
  nodes.value = await call('node.list', {});
  nodesLoaded.value = true;
});

export const refreshNodes = loader('nodes', loadNodes);

function applyEvent(event: PageEvent): void {
  if (event.type === 'notice' && event.approval !== undefined) {
    approvals.value = withApproval(approvals.peek(), event.approval);
    // An answer makes room for an older one.
    if (unlistedApprovals.peek() > 0 && event.approval.state !== 'pending') void loadApprovals();
  }
  if (event.session !== undefined) sessions.value = withSession(sessions.peek(), event.session);
  if (event.type === 'notice' && event.notice.kind.startsWith('node-')) void refreshNodes();
  passEvent(event);
}
