/** The nodes of the gateway: the methods `node.*` for the operator, and the ways by which nodes connect. */
import { networkInterfaces } from 'node:os';
import { Fault } from '../../../base/fault.ts';
import { OWN_ACTOR } from '../../../wire/actor.ts';
import type { NoLinks } from '../../../wire/chosen-node.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import type { DaemonStatus, Method, Methods } from '../../../wire/methods.ts';
import type { NodeRequestInfo } from '../../../wire/nodes/administration.ts';
import type { Notice } from '../../../wire/notice.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import { isInvitationUrl, isNatsUrl } from '../../identity/invitation.ts';
import { type Identity, loadIdentity } from '../../identity/keys.ts';
import type { InboxParts, SharedInbox } from '../../nodes/fleet/inbox.ts';
import {
  createSharedRequests,
  type RequestOwnership,
  type SharedRequests,
  type SharedRequestsParts,
} from '../../nodes/fleet/shared-requests.ts';
import type { NatsGateway, NatsSettings } from '../../nodes/fleet/nats-gateway.ts';
import type { SharedNodes } from '../../nodes/fleet/shared-nodes.ts';
import { listenForNodes, type NodeListener, type NodeListenOptions } from '../../nodes/listener.ts';
import type { OpenRequest } from '../../../wire/nodes/open-request.ts';
import type { NodeRequests } from '../../nodes/node-requests.ts';
import { createNodes } from '../../nodes/nodes.ts';
import { watchPresence } from '../../nodes/presence-notices.ts';
import type { Nodes } from '../../nodes/shape.ts';
import { closeAll } from '../../../base/close-all.ts';

type NodeMethodName = Exclude<Extract<Method, `node.${string}`>, 'node.tool' | 'node.choice'>;
type NodeHandlers = { readonly [M in NodeMethodName]: (params: Methods[M]['params']) => Methods[M]['result'] };

/** The actions of the audit log that also cause a notice to the operator. */
const NOTICED: ReadonlyMap<string, Notice['kind']> = new Map([
  ['paired', 'node-paired'],
  ['paired by invitation', 'node-paired'],
  ['paired at another gateway', 'node-paired'],
  ['removed', 'node-removed'],
  ['removed at another gateway', 'node-removed'],
]);

export interface GatewayNodes {
  readonly nodes: Nodes;
  /** The id of this gateway, which nodes know. */
  id(): string;
  readonly handlers: NodeHandlers;
  /** Why no node can connect; undefined where one can. */
  noLinks(): NoLinks | undefined;
  /** For `daemon.status`; empty where it does not listen. */
  status(): Pick<DaemonStatus, 'nodes'>;
  /** Returns the address, `wss://host:port`, or `ws://` behind a proxy. */
  listen(options: NodeListenOptions): Promise<string>;
  /** The approval requests that gateways share; undefined without NATS. */
  inbox(): SharedInbox | undefined;
  /** Which gateway has a request to a node that several gateways reach. */
  readonly ownership: RequestOwnership & Pick<SharedRequests, 'changed'>;
  /** Lets nodes connect through NATS. */
  connectNats(settings: NatsSettings): Promise<void>;
  close(): Promise<void>;
}

interface NodeParts {
  /** The open approval requests of this gateway, and how they are answered, for the inbox that gateways share. */
  readonly approvals: Pick<InboxParts, 'pending' | 'resolve'>;
  /** What happens to requests that change between gateways. */
  readonly moved: Pick<SharedRequestsParts, 'hasNode' | 'adopt' | 'leave' | 'hasLeft' | 'waits'>;
  readonly store: ApprovalStore;
  readonly requests: Pick<NodeRequests, 'list' | 'get' | 'shared' | 'isShared' | 'unshare'>;
  readonly stateDir: string;
  readonly version: string;
  readonly now: () => number;
  readonly onNotice: () => void;
  readonly log: (text: string) => void;
}

export function openNodes({
  approvals,
  moved,
  store,
  requests,
  stateDir,
  version,
  now,
  onNotice,
  log,
}: NodeParts): GatewayNodes {
  let listener: NodeListener | undefined;
  let nats: NatsGateway | undefined;
  let inbox: SharedInbox | undefined;
  let sharedNodes: SharedNodes | undefined;
  let loaded: Identity | undefined;
  const identity = (): Identity => (loaded ??= loadIdentity(stateDir));
  const notify = (kind: Notice['kind'], text: string, { id }: NodeInfo): void => {
    store.notice({ kind, ...OWN_ACTOR, text, wake: false, contextKey: `node:${id}` });
    onNotice();
  };
  const nodes = createNodes({
    database: store.database,
    now: () => Math.trunc(now()),
    gatewayId: () => identity().id,
    address(url) {
      if (nats !== undefined && url === undefined) return nats.url;
      if (listener === undefined) throw nats === undefined ? notListening() : onlyNats();
      if (url !== undefined) return checkedUrl(url);
      if (listener.isProxied) throw needsUrl();
      return reachable(listener.url);
    },
    completed(invitation) {
      if (!isNatsUrl(invitation.url)) return listener?.isProxied === true ? { ...invitation, proxy: true } : invitation;
      if (nats === undefined) throw notListening();
      return { ...invitation, token: nats.pairingToken(invitation) };
    },
    keyEnded: () => nats?.revokeSoon(),
    registryChanged: () => sharedNodes?.changed(),
    paired: (id) => nats?.announce(id),
    audit(action, node, by) {
      const { id, name, remote } = node;
      store.audit({
        event: 'node',
        ...OWN_ACTOR,
        ...(by === undefined ? {} : { by }),
        details: { action, id, name, ...(remote === undefined ? {} : { remote }) },
      });
      const kind = NOTICED.get(action);
      const who = by === undefined ? '' : ` (${by})`;
      if (kind !== undefined) notify(kind, `node ${name} (${id}) is ${action}${who}`, node);
    },
    notify: (text, node) => notify('node-cloned', text, node),
    log,
  });

  const requestCopies = createSharedRequests({
    ...moved,
    gateway: () => identity().id,
    requests,
    log,
  });
  const stopWatching = watchPresence({ nodes, notify, onTrouble: (error) => log(messageOf(error)) });
  let links = 0;
  nodes.onLink(() => void links++);

  return {
    nodes,
    id: () => identity().id,
    handlers: {
      'node.list': () => nodes.list(),
      'node.pending': () => nodes.pending(),
      'node.show': ({ node }) => {
        const shown = nodes.show(node);
        return { ...shown, requests: requests.list(shown.id).map(requestInfo) };
      },
      'node.approve': ({ node, by, replaces }) => nodes.approve(node, by, replaces),
      'node.reject': ({ node, by }) => nodes.reject(node, by),
      'node.invite': ({ by, url }) => nodes.invite(by, url),
      'node.rename': ({ node, name }) => {
        const renamed = nodes.rename(node, name);
        // The node shows its name. If this call fails, it gets the name with the next welcome.
        nodes
          .link(renamed.id)
          ?.channel.call('node.describe', { name: renamed.name })
          .catch(() => undefined);
        return renamed;
      },
      'node.remove': ({ node, by }) => nodes.remove(node, by),
    },
    noLinks() {
      if (listener !== undefined) return undefined;
      if (nats === undefined) return 'no-gateway';
      return nats.status().connected ? undefined : 'no-nats';
    },
    status() {
      const url = listener?.url ?? nats?.url;
      if (url === undefined) return {};
      const all = nodes.list();
      const paired = all.filter(({ state }) => state === 'paired').length;
      const connected = all.filter((node) => node.connected).length;
      const counts = { paired, connected, pending: nodes.pending().length };
      return { nodes: { url, ...counts, links, ...(nats === undefined ? {} : { nats: nats.status() }) } };
    },
    async listen(options) {
      listener = await listenForNodes(options, { admission: nodes, identity: identity(), version, log });
      return listener.url;
    },
    inbox: () => inbox,
    ownership: requestCopies,
    async connectNats(settings) {
      const [{ openNatsGateway }, { createSharedInbox }, { createSharedNodes }] = await Promise.all([
        import('../../nodes/fleet/nats-gateway.ts'),
        import('../../nodes/fleet/inbox.ts'),
        import('../../nodes/fleet/shared-nodes.ts'),
      ]);
      const replicas = settings.servers.length >= 3 ? 3 : 1;
      inbox = createSharedInbox({ gateway: identity().id, replicas, ...approvals, log });
      sharedNodes = createSharedNodes({ replicas, registry: nodes.sharing, log });
      nats = await openNatsGateway(settings, {
        nodes: sharedNodes,
        shares: [inbox, requestCopies.join(replicas)],
        admission: nodes,
        identity: identity(),
        version,
        log,
        now: () => Math.trunc(now()),
        paired: () => nodes.list().flatMap(({ id, state }) => (state === 'paired' ? [id] : [])),
        endedKeys: (forMs) => nodes.endedKeys(forMs),
      });
    },
    close: () =>
      closeAll([
        () => requestCopies.close(),
        stopWatching,
        () => nodes.close(),
        () => listener?.close(),
        () => nats?.close(),
      ]),
  };
}

function requestInfo({ key, command, caller, state, session, sentAt, isKillWanted }: OpenRequest): NodeRequestInfo {
  return { key, command, agent: caller.agent, state, session, sentAt, killWanted: isKillWanted };
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
  const isPlain = url?.protocol === 'wss:' && `${url.username}${url.password}${url.hash}${url.search}` === '';
  if (isPlain && isInvitationUrl(text)) return text;
  throw new Fault('PARAM_INVALID', `${JSON.stringify(text)} is not an address of a gateway`, {
    hint: 'write it as wss://host:port',
  });
}

function needsUrl(): Fault {
  return new Fault('PARAM_INVALID', 'an invitation needs the address of the proxy: nodes.tls is "proxy"', {
    hint: 'pincer nodes invite --url wss://<host of the proxy>',
  });
}

function onlyNats(): Fault {
  return new Fault('NODE_NOT_LISTENING', 'nodes connect to this gateway over NATS only: nodes.listen is not set', {
    hint: 'omit --url; or set nodes.listen, and start pincer gateway again',
  });
}

function notListening(): Fault {
  return new Fault('NODE_NOT_LISTENING', 'pincer gateway is not running, and this daemon does not listen for nodes', {
    hint: 'run pincer gateway; it listens on nodes.listen, or uses gateway.cluster.nats',
  });
}
