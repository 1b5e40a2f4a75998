/** Accepts connections of nodes: each passes the handshake, and gets a link or waits for the operator. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { NODE_METHODS } from '../../wire/nodes/methods.ts';
import type { Carrier } from '../channel/carriers/carrier.ts';
import { openLink } from '../channel/link.ts';
import {
  type AcceptedNode,
  acceptNode,
  type Decision,
  type FinalDecision,
  type ProvenNode,
} from '../identity/handshake.ts';
import type { Identity } from '../identity/keys.ts';
import { limitedLog } from './limited-log.ts';
import type { NodeAdmission, WaitingConnection } from './shape.ts';

export interface NodeListenOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /**
   * `own`: a new self-signed certificate. The handshake proves who the ends are, so it need not be trusted.
   * `proxy`: none, on loopback only. A trusted reverse proxy terminates TLS.
   */
  readonly tls: 'own' | 'proxy' | { readonly cert: string; readonly key: string };
}

export interface NodeListener {
  /** `wss://host:port`, or `ws://` behind a proxy; a listener on all addresses has the wildcard as its host. */
  readonly url: string;
  readonly isProxied: boolean;
  close(): Promise<void>;
}

/** A node may call nothing here; its results and events are checked. */
const GATEWAY_SIDE = Object.fromEntries(
  Object.entries(NODE_METHODS).map(([name, shape]) => [
    name,
    { result: shape.result, ...('event' in shape ? { event: shape.event } : {}) },
  ]),
);

/** Without it, a call would end the link; a node of a newer release may try one. */
function refuseCall(): Promise<never> {
  return Promise.reject(new Fault('NODE_METHOD_REFUSED', 'a node cannot call this gateway'));
}

interface ListenerParts {
  readonly admission: Omit<NodeAdmission, 'decide'> & {
    decide(...asked: Parameters<NodeAdmission['decide']>): Decision | Promise<Decision>;
  };
  readonly identity: Identity;
  /** The NATS token of this gateway. */
  readonly membership?: string;
  readonly version: string;
  readonly log: (text: string) => void;
}

export async function listenForNodes(options: NodeListenOptions, parts: ListenerParts): Promise<NodeListener> {
  const { host, port, tls } = options;
  const log = limitedLog(parts.log);
  const [{ isLoopbackHost, listenWebSocket }, { selfSignedCertificate }] = await Promise.all([
    import('../channel/carriers/websocket.ts'),
    import('../identity/certificate.ts'),
  ]);
  const connection = (carrier: Carrier): Promise<void> =>
    welcomeNode(carrier, parts).catch((error: unknown) =>
      log(`a connection from ${carrier.remote} failed: ${messageOf(error)}`),
    );
  const isProxied = tls === 'proxy';
  if (isProxied && !isLoopbackHost(host)) throw exposedProxy(host);
  try {
    const certificate = isProxied ? undefined : tls === 'own' ? selfSignedCertificate() : readCertificate(tls);
    const server = await listenWebSocket({ host, port, ...(certificate && { tls: certificate }), connection, log });
    const address = `${host.includes(':') ? `[${host}]` : host}:${server.port}`;
    return { url: `${isProxied ? 'ws' : 'wss'}://${address}`, isProxied, close: () => server.close() };
  } catch (error) {
    if (error instanceof Fault && error.code !== 'NODE_UNREACHABLE') throw error;
    const why = error instanceof Fault && error.cause !== undefined ? error.cause : error;
    throw new Fault('NODE_LISTEN', `cannot listen for nodes on ${host}:${port}: ${messageOf(why)}`, {
      hint: 'set nodes.listen to an address of this machine and a free port',
      details: { host, port },
      cause: error,
    });
  }
}

/** Resolves when the handshake is over; a node that waits for the operator is then answered through its connection. */
export async function welcomeNode(carrier: Carrier, parts: Omit<ListenerParts, 'log'>): Promise<void> {
  const { admission, identity, version, membership } = parts;
  const open = (peer: ProvenNode, epoch: string): void => {
    const link = openLink(carrier, { epoch, side: 'acceptor', methods: GATEWAY_SIDE, serve: refuseCall });
    try {
      admission.linked(peer, link);
    } catch (error) {
      link.close('the gateway failed'); // the node connects again
      throw error;
    }
  };
  let accepted: AcceptedNode | undefined;
  /** The operator's answer, where it was faster than the message that the node waits. */
  let early: FinalDecision | undefined;
  const settle = (decision: FinalDecision): void => {
    if (accepted === undefined) {
      early = decision;
      return;
    }
    accepted.settle(decision);
    if (decision.answer === 'welcome') open(accepted.peer, decision.epoch);
  };
  const waiting: WaitingConnection = { settle, close: (reason) => carrier.close(reason) };
  const idOf = (publicKey: Uint8Array): string => admission.idOf(publicKey);
  accepted = await acceptNode(carrier, identity, async (peer) => admission.decide(peer, waiting), {
    version,
    idOf,
    ...(membership === undefined ? {} : { membership }),
  });
  const { peer, decision } = accepted;
  if (decision.answer === 'welcome') open(peer, decision.epoch);
  if (decision.answer !== 'pending') return;
  carrier.on({
    message: () => carrier.close('protocol violation: a message before the welcome'),
    room() {},
    down: () => admission.ended(peer, waiting),
  });
  if (early !== undefined) settle(early);
}

function exposedProxy(host: string): Fault {
  return new Fault('NODE_INSECURE', `nodes.tls is "proxy", so nodes.listen must be a loopback address, not ${host}`, {
    hint: 'set nodes.listen to 127.0.0.1 and a port that the proxy connects to, or nodes.tls to "own"',
    details: { host },
  });
}

function readCertificate(files: { readonly cert: string; readonly key: string }) {
  try {
    const pem = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    createSecureContext(pem); // throws where they are malformed, or not a pair
    return pem;
  } catch (error) {
    throw new Fault('NODE_TLS', `the certificate ${files.cert} and its key cannot be used: ${messageOf(error)}`, {
      hint: 'set nodes.tls to {"cert": "<file>", "key": "<file>"} with PEM files, or to "own"',
      details: files,
      cause: error,
    });
  }
}
