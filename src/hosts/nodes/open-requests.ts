/**
 * Finds out what became of requests whose start the node has not confirmed, or that a person has to approve. Each link of a node
 * looks their keys up.
 */
import { guarded } from '../../base/guarded.ts';
import type { NodeRefusal } from '../../wire/nodes/methods.ts';
import { inTime } from './in-time.ts';
import { lookUpOrWithdraw } from './look-up.ts';
import type { NodeLinks } from './node-links.ts';
import type { OpenRequest } from '../../wire/nodes/open-request.ts';
import type { NodeRequests } from './node-requests.ts';

/** How a request ended that has no session at this gateway. */
export type RequestOutcome =
  /** Nothing ran. `outcome` is the answer of the node, if it gave one. */
  | { readonly kind: 'never'; readonly outcome?: NodeRefusal; readonly approval?: string }
  /** It is not known whether it ran, and will not be. */
  | { readonly kind: 'lost'; readonly why: string };

export interface OpenRequestsOptions {
  readonly links: NodeLinks;
  readonly requests: NodeRequests;
  readonly now: () => number;
  readonly answerMs: number;
  readonly lostAfterMs: number;
  readonly retryMs: number;
  /** Whether a caller waits for the request, which then finds out itself. */
  readonly isAwaited: (key: string) => boolean;
  /** The node has a session for the request: it becomes a session of this gateway. */
  readonly adopt: (request: OpenRequest) => Promise<void>;
  /** Reports the outcome, if this gateway is the one that does, and deletes the request. */
  readonly report: (request: OpenRequest, outcome: RequestOutcome) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
}

export interface OpenRequestResolver {
  linked(node: string): void;
  removed(node: string): void;
  /** Looks one request up now, if its node is connected; otherwise its next link does. */
  resolve(key: string): Promise<void>;
  close(): void;
}

/** An approval request expires on its node after 30 days at most. */
const ASKED_MS = 31 * 24 * 3600_000;
const LONGEST_PAUSE_MS = 3600_000;

export function createOpenRequests(options: OpenRequestsOptions): OpenRequestResolver {
  const { links, requests, now, answerMs, lostAfterMs, retryMs, onTrouble } = options;
  const resolving = new Map<string, Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  // The first time after a whole pause: a node has time to connect after a start of the gateway.
  const expiry = setInterval(guarded(onTrouble, giveUp), Math.min(lostAfterMs, LONGEST_PAUSE_MS));
  expiry.unref();
  let isClosed = false;

  const unresolved = (node?: string): readonly OpenRequest[] =>
    isClosed
      ? [] // the database is closed
      : requests.list(node).filter(({ key, state }) => state !== 'running' && !options.isAwaited(key));

  const end = (request: OpenRequest, why: string): void =>
    void options.report(request, { kind: 'lost', why }).catch(onTrouble);

  /** Ends requests whose node was not seen for too long. */
  function giveUp(): void {
    for (const request of unresolved()) {
      const { node, state, sentAt } = request;
      if (links.current(node.id) !== undefined) continue;
      if (now() - sentAt < (state === 'asked' ? ASKED_MS : lostAfterMs)) continue;
      end(request, `node ${node.name} did not reconnect`);
    }
  }

  /** One look-up at a time for a key. A second one begins after the first, because the state may have changed since. */
  async function resolve(key: string): Promise<void> {
    while (resolving.has(key)) await resolving.get(key);
    const looking = resolveNow(key).finally(() => resolving.delete(key));
    resolving.set(key, looking);
    await looking;
  }

  async function resolveNow(key: string): Promise<void> {
    if (isClosed) return;
    const request = requests.get(key);
    const link = request === undefined ? undefined : links.current(request.node.id);
    if (request === undefined || request.state === 'running' || link === undefined) return;
    if (options.isAwaited(key)) return;
    try {
      const found = await inTime(link, lookUpOrWithdraw(link, key, request.store), answerMs).catch(() => undefined);
      if (isClosed) return;
      // The link may have been replaced meanwhile; without a link, the next one asks.
      if (found === undefined) return links.current(request.node.id) === undefined ? undefined : later(key);
      const { state, session, outcome, approval } = found;
      if (session !== undefined) await options.adopt(request);
      else if (state === 'asked') {
        if (request.state !== 'asked' || approval !== request.approval) requests.asked(key, approval);
        // A notice of the node reports the answer to an approval request.
        if (approval === undefined) later(key);
      } else if (state === 'never')
        await options.report(request, { kind: 'never', ...(outcome && { outcome }), ...(approval && { approval }) });
      else {
        const why = `node ${request.node.name} was restarted or has a new database`;
        await options.report(request, { kind: 'lost', why });
      }
    } catch (error) {
      onTrouble(error);
      later(key);
    }
  }

  function later(key: string): void {
    if (isClosed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void resolve(key);
    }, retryMs);
    timer.unref();
    timers.add(timer);
  }

  return {
    linked: (node) => {
      for (const { key } of unresolved(node)) void resolve(key);
    },
    removed: (node) => {
      for (const request of unresolved(node)) end(request, `node ${request.node.name} was removed`);
    },
    resolve,
    close() {
      isClosed = true;
      clearInterval(expiry);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
