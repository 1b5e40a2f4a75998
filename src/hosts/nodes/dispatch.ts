/**
 * Sends requests to nodes. A request has a key, for which a node starts at most one command. It is on disk before it is sent, so
 * that its outcome is found out also after a restart of this gateway.
 */
import { Fault } from '../../base/fault.ts';
import { guarded } from '../../base/guarded.ts';
import type { NodeMethods, NodeRefusal } from '../../wire/nodes/methods.ts';
import type { Link } from '../channel/link.ts';
import type { Exit, Launch, Launched, Launcher, Listener } from '../process/launch.ts';
import { inTime } from './in-time.ts';
import { lookUp } from './look-up.ts';
import { NodeLinks } from './node-links.ts';
import type { OpenRequest, RequestRecord } from '../../wire/nodes/open-request.ts';
import { nodeParams } from './node-params.ts';
import type { NodeName, NodeRequests } from './node-requests.ts';
import type { RequestOwnership } from './fleet/shared-requests.ts';
import { createOpenRequests, type OpenRequestsOptions } from './open-requests.ts';
import { KILL_MS, RemoteCommand } from './remote/remote-command.ts';
import { remoteSession } from './remote/remote-input.ts';
import type { Nodes } from './shape.ts';

/** The times of nodes; tests shorten them. */
export interface NodeWaits {
  /** How long a request waits for its node after a broken link (default: 30 s). */
  readonly reconnectMs?: number;
  /** How long a connected node may take to answer before its link is closed (default: 30 s). */
  readonly answerMs?: number;
  /** How long a node may be away before its commands count as lost (default: 24 hours). */
  readonly lostAfterMs?: number;
  /** How long a node may take to connect after a start of the gateway before its commands count as lost (default: 5 minutes). */
  readonly graceMs?: number;
  /** The pause before the gateway asks a node again about a request that waits for an answer (default: 2 s). */
  readonly retryMs?: number;
}

export interface DispatcherOptions extends NodeWaits, Pick<OpenRequestsOptions, 'adopt' | 'report' | 'onTrouble'> {
  readonly nodes: Nodes;
  readonly requests: NodeRequests;
  readonly now: () => number;
  readonly ownership: Pick<RequestOwnership, 'copy'>;
  /** Whether this gateway has a copy of the approval request on the node. */
  readonly isCopied: (node: string, approval: string) => boolean;
}

export type NodeDescription = NodeMethods['node.describe']['result'];
export type NodeStart = Omit<NodeMethods['exec.start']['params'], 'key'>;
export type NodeQuestion = NodeMethods['policy.explain']['params'];

export interface NodeRequest {
  readonly key: string;
  readonly node: NodeName;
  /** The parameters for a node with this description. */
  start(launch: Launch, node: NodeDescription): NodeStart;
  /** What is kept on disk. */
  record(launch: Launch): RequestRecord;
  /** Ends the wait for a node that has lost its link. */
  readonly signal: AbortSignal | undefined;
}

export interface Dispatcher {
  /** Its `launch` rejects with `NodeRefused` where the node does not start the command. */
  launcher(request: NodeRequest): Pick<Launcher, 'launch'>;
  /** What the node would decide about a request; it runs nothing. */
  explain(
    node: NodeName,
    question: (node: NodeDescription) => NodeQuestion,
  ): Promise<NodeMethods['policy.explain']['result']>;
  /** Whether a caller waits for the answer of the node. */
  isAwaited(key: string): boolean;
  /** The session of the request has started at this gateway. */
  started(key: string): void;
  /** Its `launch` continues with a command that was sent earlier, also by an earlier gateway process. */
  resumer(request: OpenRequest, position: number): Pick<Launcher, 'launch'>;
  /** Another gateway continues with the request. False if it has no session here. */
  leave(key: string, reason: string): boolean;
  /** Ends the command of a request that another gateway continues. False if that is not done yet. */
  endOnNode(request: OpenRequest): Promise<boolean>;
  /** Looks a request up that has no session here, if its node is connected. Adopts its session or reports its outcome. */
  resolve(key: string): Promise<void>;
  /** Ends the waiting of requests. Their outcome is found out after the next start. */
  close(): void;
}

/** The node answered without a start: it denied the request, or a person has to approve it. */
export class NodeRefused extends Error {
  readonly outcome: NodeRefusal;

  constructor(outcome: NodeRefusal) {
    super('the node did not start the command');
    this.outcome = outcome;
  }
}

/** The disk of this gateway is full or broken. Its fault is not one of the node. */
class NotRecorded extends Error {}

const REQUEST = { what: 'exec', hint: 'put long values into a file that the command reads' };
const RECONNECT_MS = 30_000;
const ANSWER_MS = 30_000;
const RETRY_MS = 2000;
const DESCRIPTION_MS = 3600_000;
const LOST_AFTER_MS = 24 * 60 * 60 * 1000;
const GRACE_MS = 5 * 60 * 1000;
/** A node whose links keep breaking before it answers may be the cause. */
const MOST_ATTEMPTS = 5;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { nodes, requests, now, adopt, report, onTrouble, reconnectMs = RECONNECT_MS } = options;
  const { answerMs = ANSWER_MS, lostAfterMs = LOST_AFTER_MS, retryMs = RETRY_MS, graceMs = GRACE_MS } = options;
  const links = new NodeLinks(nodes);
  /** A command continues where its state cannot be recorded. */
  const unreachable = (key: string, since: number | undefined): void => requests.unreachable(key, since);
  const ofCommands = { ...requests, unreachable: guarded(onTrouble, unreachable) };
  const waits = { answerMs, lostAfterMs, retryMs, graceMs };
  const descriptions = new WeakMap<Link, { readonly asked: Promise<NodeDescription>; readonly time: number }>();
  /** Those that run, by key. */
  const commands = new Map<string, RemoteCommand>();
  /** Keys that a caller waits for. */
  const awaited = new Set<string>();
  const closing = new AbortController();
  const isAwaited = (key: string): boolean => awaited.has(key);
  const open = createOpenRequests({ links, requests, now, adopt, report, onTrouble, isAwaited, ...waits });
  nodes.onLink(({ id }) => open.linked(id));
  nodes.onRemoved(({ id }) => open.removed(id));

  /** For each link, because the configuration of the node may have changed in between; and again, because its store forgets old keys. */
  function describe(link: Link): Promise<NodeDescription> {
    const known = descriptions.get(link);
    if (known !== undefined && Math.abs(now() - known.time) < DESCRIPTION_MS) return known.asked;
    const asked = inTime(link, link.channel.call('node.describe', {}), answerMs) as Promise<NodeDescription>;
    descriptions.set(link, { asked, time: now() });
    asked.catch(() => descriptions.delete(link)); // the next request asks again
    return asked;
  }

  function remoteCommand(
    { key, node }: { readonly key: string; readonly node: NodeName },
    launch: Launch,
    listener: Listener,
    position = 0,
  ): RemoteCommand {
    const hasTerminal = launch.pty !== undefined;
    const exited = (exit: Exit): void => {
      commands.delete(key);
      listener.exited(exit);
    };
    return new RemoteCommand({
      ...waits,
      node,
      key,
      links,
      requests: ofCommands,
      listener: { ...listener, exited },
      hasTerminal,
      position,
      now,
      session: launch.session,
    });
  }

  /** Its key stays awaited until `started`, or until it failed. */
  async function dispatch(request: NodeRequest, launch: Launch, listener: Listener): Promise<Launched> {
    const { key, node } = request;
    const command = remoteCommand(request, launch, listener);
    awaited.add(key);
    try {
      const launched = await unlessAborted(send(request, command, launch), closing.signal, () => {
        command.detach();
        return requests.get(key) === undefined ? notDispatched(node) : new OutcomeUnknown(request);
      });
      commands.set(key, command);
      return launched;
    } catch (error) {
      awaited.delete(key);
      if (error instanceof OutcomeUnknown) {
        if (request.signal?.aborted === true) requests.wantKill(key);
      } else if (error instanceof NodeRefused && error.outcome.status === 'approval-pending')
        requests.asked(key, error.outcome.approval.id);
      else requests.delete(key);
      requests.detached(key); // its client has an answer, and does not wait any more
      void open.resolve(key); // the link may have come back just before
      throw error instanceof NotRecorded ? error.cause : withNodeName(error, node);
    }
  }

  /** While a caller waits, nothing else copies the approval request of its key: one that is known belongs to another request. */
  function checkApproval({ key, node }: NodeRequest, outcome: NodeRefusal): void {
    if (outcome.status !== 'approval-pending') return;
    const { id } = outcome.approval;
    const isOther = (requests.ofApproval(node.id, id)?.key ?? key) !== key;
    if (isOther || options.isCopied(node.id, id)) throw otherRequest(node);
  }

  function record(request: NodeRequest, launch: Launch, to: { store: string; isShared: boolean }): void {
    try {
      requests.add(request.key, { ...to, session: launch.session }, request.record(launch));
    } catch (error) {
      throw new NotRecorded('nothing was sent', { cause: error });
    }
  }

  /** Throws `OutcomeUnknown` if it may have started, and the node is not connected or has broken too many links. */
  async function send(request: NodeRequest, command: RemoteCommand, launch: Launch): Promise<Launched> {
    const { key, node, signal } = request;
    let hasOtherPath = false;
    /** The store of the node that may know the key; undefined while nothing was sent. */
    let sentTo: string | undefined;
    let link = links.current(node.id);
    if (link === undefined) throw offline(node);
    for (let attempt = 1; ; attempt++, link = await links.within(node.id, reconnectMs, signal)) {
      const isOver = attempt > MOST_ATTEMPTS || closing.signal.aborted;
      if (link === undefined || isOver) throw sentTo === undefined ? notDispatched(node) : new OutcomeUnknown(request);
      try {
        const description = await describe(link);
        if (sentTo !== undefined) {
          const { state, session } = await inTime(link, lookUp(link, key, sentTo), answerMs);
          if (session !== undefined) {
            command.adopt(link, session);
            return command.handle([]);
          }
          if (state === 'lost') throw lostOutcome(request);
          if (state === 'never') sentTo = undefined;
        }
        const params = nodeParams('exec.start', { key, ...request.start(launch, description) }, REQUEST);
        const isShared = nodes.isShared(node.id);
        closing.signal.throwIfAborted(); // the caller has its answer
        record(request, launch, { store: description.store, isShared });
        if (isShared) await options.ownership.copy(key);
        closing.signal.throwIfAborted();
        sentTo = description.store;
        const sent = await inTime(link, command.send(link, params), answerMs);
        if (sent === 'cut') continue;
        if ('outcome' in sent) {
          checkApproval(request, sent.outcome);
          throw new NodeRefused(sent.outcome);
        }
        return command.handle(sent.warnings ?? []);
      } catch (error) {
        // `send` reports a broken link as `cut`; here it broke before the request was sent.
        const code = error instanceof Fault ? error.code : undefined;
        if (code === 'NODE_PATH_REFUSED' && !hasOtherPath) {
          hasOtherPath = true; // its PATH has changed since the description
          descriptions.delete(link);
        } else if (link.channel.lost === undefined || error instanceof NodeRefused || code === 'NODE_OUTCOME_UNKNOWN')
          throw error;
      }
    }
  }

  async function explain(
    node: NodeName,
    question: (node: NodeDescription) => NodeQuestion,
    hasOtherPath = false,
  ): Promise<NodeMethods['policy.explain']['result']> {
    const link = links.current(node.id);
    if (link === undefined) throw offline(node);
    try {
      const params = nodeParams('policy.explain', question(await describe(link)), REQUEST);
      const answer = inTime(link, link.channel.call('policy.explain', params), answerMs);
      return (await answer) as NodeMethods['policy.explain']['result'];
    } catch (error) {
      if (link.channel.lost !== undefined) throw notDispatched(node);
      if (!(error instanceof Fault) || error.code !== 'NODE_PATH_REFUSED' || hasOtherPath)
        throw withNodeName(error, node);
      descriptions.delete(link); // its PATH has changed since the description
      return explain(node, question, true);
    }
  }

  return {
    explain: (node, question) => explain(node, question),
    launcher: (request) => ({ launch: (launch, listener) => dispatch(request, launch, listener) }),
    isAwaited,
    started: (key) => void awaited.delete(key),
    resumer: (request, position) => ({
      async launch(launch, listener) {
        const command = remoteCommand(request, launch, listener, position);
        commands.set(request.key, command);
        command.resume();
        return command.handle([]);
      },
    }),
    leave(key, reason) {
      const command = commands.get(key);
      command?.lose(reason);
      return command !== undefined;
    },
    async endOnNode({ key, node, store }) {
      const link = links.current(node.id);
      if (link === undefined) return false;
      const { state, session } = await inTime(link, lookUp(link, key, store), answerMs);
      if (session?.status === 'running')
        await inTime(link, link.channel.call('session.kill', remoteSession(session)), KILL_MS);
      return state !== 'asked';
    },
    resolve: (key) => open.resolve(key),
    close() {
      closing.abort();
      open.close();
    },
  };
}

/** Rejects with `fault` when the signal fires; the work then has no effect on the caller. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, fault: () => Fault): Promise<T> {
  let abort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(fault());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => {}); // the caller has the fault
  }
}

/** A fault of the node names it. */
export function withNodeName(error: unknown, node: NodeName): unknown {
  if (!(error instanceof Fault) || error.details?.['node'] !== undefined) return error;
  return new Fault(error.code, `node ${node.name}: ${error.message}`, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    details: { ...error.details, node },
    cause: error,
  });
}

/** It was connected when the request came. */
function notDispatched(node: NodeName): Fault {
  return new Fault('NODE_NOT_DISPATCHED', `the connection to node ${node.name} broke before the command was sent`, {
    hint: 'nothing ran there; run it again when the node is connected',
    details: { node },
  });
}

function offline(node: NodeName): Fault {
  return new Fault('NODE_OFFLINE', `node ${node.name} is not connected; nothing was sent`, {
    hint: 'start it there with pincer node run; the command can be run again',
    details: { node },
  });
}

/** The agent would wait for the answer to something else, and see it. */
function otherRequest(node: NodeName): Fault {
  return new Fault('NODE_CANNOT', `node ${node.name} answered with the approval request of another command`, {
    hint: 'the node does not work correctly; look at its requests there with pincer approvals list',
    details: { node },
  });
}

/** The next link of the node finds out. */
class OutcomeUnknown extends Fault {
  constructor({ node, key }: NodeRequest) {
    super(
      'NODE_OUTCOME_UNKNOWN',
      `the connection to node ${node.name} broke, and it is not known whether the command started (key ${key})`,
      {
        hint: `do not repeat it: when the node connects, a notice reports the outcome; pincer nodes show ${node.name} lists the request`,
        details: { node, key },
      },
    );
  }
}

function lostOutcome({ node, key }: NodeRequest): Fault {
  return new Fault(
    'NODE_OUTCOME_UNKNOWN',
    `node ${node.name} was restarted and does not know whether the command started (key ${key})`,
    { hint: 'check the effects of the command on the node before you run it again', details: { node, key } },
  );
}
