/** Sends requests to nodes. A request has a key, for which a node starts at most one command. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import type { NodeMethods, NodeRefusal } from '../../wire/node.ts';
import type { Link } from '../channel/link.ts';
import type { Launch, Launched, Launcher, Listener } from '../process/launch.ts';
import { inTime } from './in-time.ts';
import { NodeLinks } from './node-links.ts';
import { type NodeName, RemoteCommand } from './remote-command.ts';
import type { Nodes } from './shape.ts';

export interface DispatcherOptions {
  readonly nodes: Nodes;
  readonly now: () => number;
  /** How long a request waits for its node after a broken link (default: 30 s). */
  readonly reconnectMs?: number;
  /** How long a connected node may take to answer before its link is closed (default: 30 s). */
  readonly answerMs?: number;
  /** How long a node may be away before its commands count as lost (default: 24 hours). */
  readonly lostAfterMs?: number;
  /** How often the gateway asks whether a person has answered on the node (default: 2 s). */
  readonly answerPollMs?: number;
}

export type NodeDescription = NodeMethods['node.describe']['result'];
export type NodeStart = Omit<NodeMethods['exec.start']['params'], 'key'>;

export interface NodeRequest {
  readonly node: NodeName;
  /** The parameters for a node with this description. */
  start(launch: Launch, node: NodeDescription): NodeStart;
  /** Ends the wait for a node that has lost its link. */
  readonly signal: AbortSignal | undefined;
}

export interface Dispatcher {
  /** Its `launch` rejects with `NodeRefused` where the node does not start the command. */
  launcher(request: NodeRequest): Pick<Launcher, 'launch'>;
  /**
   * Waits for the answer of a person on the node, for `ms` at most. Resolves with a launcher of the command that runs then, or
   * with undefined where none will run.
   */
  answered(sent: SentKey, ms: number): Promise<Pick<Launcher, 'launch'> | undefined>;
  /** From now on, a command that is to be killed and cannot be reached counts as lost. */
  close(): void;
}

/** The node answered without a start: it denied the request, or a person has to approve it. */
export class NodeRefused extends Error {
  readonly outcome: NodeRefusal;
  /** The key of the request, and the store of the node that knows it. */
  readonly sent: SentKey;

  constructor(outcome: NodeRefusal, sent: SentKey) {
    super('the node did not start the command');
    this.outcome = outcome;
    this.sent = sent;
  }
}

export interface SentKey {
  readonly node: NodeName;
  readonly key: string;
  readonly store: string;
}

const RECONNECT_MS = 30_000;
const ANSWER_MS = 30_000;
const ANSWER_POLL_MS = 2000;
const LOST_AFTER_MS = 24 * 60 * 60 * 1000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const {
    nodes,
    now,
    reconnectMs = RECONNECT_MS,
    answerMs = ANSWER_MS,
    lostAfterMs = LOST_AFTER_MS,
    answerPollMs = ANSWER_POLL_MS,
  } = options;
  const links = new NodeLinks(nodes);
  const descriptions = new WeakMap<Link, Promise<NodeDescription>>();
  let isClosing = false;

  /** Asked once for each link, because the node may have been configured anew in between. */
  function describe(link: Link): Promise<NodeDescription> {
    const ask = (): Promise<unknown> => inTime(link, link.channel.call('node.describe', {}), answerMs);
    const known = descriptions.get(link) ?? (ask() as Promise<NodeDescription>);
    descriptions.set(link, known);
    return known;
  }

  function remoteCommand(node: NodeName, launch: Launch, listener: Listener): RemoteCommand {
    return new RemoteCommand({ node, links, launch, listener, now, lostAfterMs, isClosing: () => isClosing });
  }

  async function dispatch(request: NodeRequest, launch: Launch, listener: Listener): Promise<Launched> {
    const { node, signal } = request;
    const key = randomUUID();
    const command = remoteCommand(node, launch, listener);
    const until = performance.now() + reconnectMs;
    /** The store of the node that may know the key; undefined while nothing was sent. */
    let sentTo: string | undefined;
    let link = links.current(node.id);
    if (link === undefined) throw offline(node);
    for (; ; link = await links.within(node.id, until - performance.now(), signal)) {
      if (link === undefined) throw sentTo === undefined ? notDispatched(node) : outcomeUnknown(node, key);
      try {
        const description = await describe(link);
        if (sentTo !== undefined) {
          const { state, session } = await lookup(link, key, sentTo);
          if (session !== undefined) {
            command.adopt(link, session);
            return command.handle([]);
          }
          if (state === 'lost') throw outcomeUnknown(node, key);
          if (state === 'never') sentTo = undefined;
        }
        sentTo = description.store;
        const sent = await inTime(link, command.send(link, { key, ...request.start(launch, description) }), answerMs);
        if (sent === 'cut') continue;
        if ('outcome' in sent) throw new NodeRefused(sent.outcome, { node, key, store: sentTo });
        return command.handle(sent.warnings ?? []);
      } catch (error) {
        // `send` reports a broken link as `cut`; here it broke before the request was sent.
        if (link.channel.lost === undefined) throw withNodeName(error, node);
      }
    }
  }

  async function answered({ node, key, store }: SentKey, ms: number): Promise<Pick<Launcher, 'launch'> | undefined> {
    const until = performance.now() + ms;
    while (!isClosing && performance.now() < until) {
      await sleep(answerPollMs, undefined, { ref: false });
      const link = links.current(node.id);
      if (isClosing || link === undefined) continue;
      // A broken link says nothing about the answer.
      const found = await lookup(link, key, store).catch(() => undefined);
      if (found === undefined || (found.session === undefined && found.state === 'asked')) continue;
      const { session } = found;
      if (session === undefined) return undefined;
      return {
        async launch(launch, listener) {
          const command = remoteCommand(node, launch, listener);
          command.adopt(link, session);
          return command.handle([]);
        },
      };
    }
    return undefined;
  }

  return {
    answered,
    launcher: (request) => ({ launch: (launch, listener) => dispatch(request, launch, listener) }),
    close() {
      isClosing = true;
    },
  };
}

function lookup(link: Link, key: string, store: string): Promise<NodeMethods['exec.lookup']['result']> {
  return link.channel.call('exec.lookup', { key, store }) as Promise<NodeMethods['exec.lookup']['result']>;
}

/** A fault of the node names it. */
function withNodeName(error: unknown, node: NodeName): unknown {
  if (!(error instanceof Fault) || error.code === 'NODE_OUTCOME_UNKNOWN') return error;
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

function outcomeUnknown(node: NodeName, key: string): Fault {
  return new Fault(
    'NODE_OUTCOME_UNKNOWN',
    `the connection to node ${node.name} broke, and it is not known whether the command started (key ${key})`,
    {
      hint: 'do not repeat it blindly: pincer ps on the node shows whether it runs',
      details: { node, key },
    },
  );
}
