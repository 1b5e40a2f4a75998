/** The nodes of the gateway: the methods `node.*` for the operator, and the listener that nodes connect to. */
import { networkInterfaces } from 'node:os';
import { Fault } from '../../base/fault.ts';
import type { DaemonStatus, Method, Methods } from '../../wire/methods.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import { type Identity, loadIdentity } from '../identity/keys.ts';
import { listenForNodes, type NodeListener, type NodeListenOptions } from '../nodes/listener.ts';
import { createNodes } from '../nodes/nodes.ts';
import type { Nodes } from '../nodes/shape.ts';

type NodeMethodName = Extract<Method, `node.${string}`>;
type NodeHandlers = { readonly [M in NodeMethodName]: (params: Methods[M]['params']) => Methods[M]['result'] };

export interface GatewayNodes {
  readonly nodes: Nodes;
  readonly handlers: NodeHandlers;
  /** For `daemon.status`; empty where it does not listen. */
  status(): Pick<DaemonStatus, 'nodes'>;
  /** Returns the address, `wss://host:port`. */
  listen(options: NodeListenOptions): Promise<string>;
  close(): Promise<void>;
}

interface NodeParts {
  readonly store: ApprovalStore;
  readonly stateDir: string;
  readonly version: string;
  readonly now: () => number;
  readonly onNotice: () => void;
  readonly log: (text: string) => void;
}

export function openNodes({ store, stateDir, version, now, onNotice, log }: NodeParts): GatewayNodes {
  let listener: NodeListener | undefined;
  let loaded: Identity | undefined;
  const identity = (): Identity => (loaded ??= loadIdentity(stateDir));
  const nodes = createNodes({
    database: store.database,
    now: () => Math.trunc(now()),
    gatewayId: () => identity().id,
    address(url) {
      if (listener === undefined) throw notListening();
      return url === undefined ? reachable(listener.url) : checkedUrl(url);
    },
    audit: (action, { id, name, remote }, by) =>
      store.audit({
        event: 'node',
        agent: '*',
        ...(by === undefined ? {} : { by }),
        details: { action, id, name, ...(remote === undefined ? {} : { remote }) },
      }),
    notify(text, { id }) {
      store.notice({ kind: 'node-cloned', agent: '*', text, wake: false, contextKey: `node:${id}` });
      onNotice();
    },
    log,
  });

  return {
    nodes,
    handlers: {
      'node.list': () => nodes.list(),
      'node.pending': () => nodes.pending(),
      'node.show': ({ node }) => nodes.show(node),
      'node.approve': ({ node, by, replaces }) => nodes.approve(node, by, replaces),
      'node.reject': ({ node, by }) => nodes.reject(node, by),
      'node.invite': ({ by, url }) => nodes.invite(by, url),
      'node.rename': ({ node, name }) => nodes.rename(node, name),
      'node.remove': ({ node, by }) => nodes.remove(node, by),
    },
    status() {
      if (listener === undefined) return {};
      const all = nodes.list();
      const paired = all.filter(({ state }) => state === 'paired').length;
      const connected = all.filter((node) => node.connected).length;
      return { nodes: { url: listener.url, paired, connected, pending: nodes.pending().length } };
    },
    async listen(options) {
      listener = await listenForNodes(options, { admission: nodes, identity: identity(), version, log });
      return listener.url;
    },
    async close() {
      await nodes.close();
      await listener?.close();
    },
  };
}

/** A listener on all addresses is reachable at the first address of this machine that others can reach. */
function reachable(url: string): string {
  const { hostname, port } = new URL(url);
  if (hostname !== '0.0.0.0' && hostname !== '[::]') return url;
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const found = all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
  return `wss://${found}:${port}`;
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'wss:' && url.username === '' && url.hash === '' && url.search === '') return text;
  throw new Fault('PARAM_INVALID', `${JSON.stringify(text)} is not an address of a gateway`, {
    hint: 'write it as wss://host:port',
  });
}

function notListening(): Fault {
  return new Fault('NODE_NOT_LISTENING', 'this gateway does not listen for nodes', {
    hint: 'set the address with pincer config set nodes.listen 127.0.0.1:7463, then run pincer gateway',
  });
}
