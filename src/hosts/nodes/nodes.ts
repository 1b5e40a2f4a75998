/** Decides which machines may connect, keeps the link of each paired one, and carries out what the operator orders. */
import { randomUUID } from 'node:crypto';
import type { FaultCode } from '../../base/fault.ts';
import type { NodeInfo } from '../../wire/node.ts';
import type { Link } from '../channel/link.ts';
import type { Database } from '../database/shape.ts';
import type { Decision, FinalDecision, ProvenNode } from '../identity/handshake.ts';
import { invitationText, newInvitation } from '../identity/invitation.ts';
import { findNode, findPending } from './find-node.ts';
import { invitationsIn, pairingRequests, type PairingRequest, type RequestEnd } from './pairing.ts';
import { nodeName, type NewNode, type RegisteredNode, registryIn } from './registry.ts';
import type { NodeAdmission, NodeAdministration, Nodes, WaitingConnection } from './shape.ts';

export interface NodesOptions {
  readonly database: Database;
  readonly now: () => number;
  readonly gatewayId: () => string;
  /** The address for an invitation (default: the one that this gateway listens on); throws NODE_NOT_LISTENING without one. */
  address(url?: string): string;
  /** For the audit log. */
  audit(action: string, node: NodeInfo, by?: string): void;
  /** For the operator. */
  notify(text: string, node: NodeInfo): void;
  readonly log: (text: string) => void;
}

interface Connected {
  readonly link: Link;
  readonly peer: ProvenNode;
  readonly connectedAt: number;
}

interface Waiting extends PairingRequest {
  readonly peer: ProvenNode;
  readonly connection: WaitingConnection;
}

/** This many replacements by other processes within the time mean that two machines use one key. */
const MOST_REPLACEMENTS = 5;
const REPLACEMENT_MS = 60_000;

export function createNodes(options: NodesOptions): Nodes & NodeAdmission & NodeAdministration {
  const { database, now, log } = options;
  const registry = registryIn(database, now);
  const invitations = invitationsIn(database, now);
  const requests = pairingRequests<Waiting>(now);
  const links = new Map<string, Connected>();
  const replacements = new Map<string, readonly number[]>();
  const listeners: ((node: NodeInfo, link: Link) => void)[] = [];

  function infoOf(node: RegisteredNode): NodeInfo {
    const { publicKey: _, bound: __, pairedBy: ___, clonedAt: ____, ...info } = node;
    const link = links.get(node.id);
    return link === undefined
      ? { ...info, connected: false }
      : { ...info, connected: true, remote: link.peer.remote, lastSeenAt: now() };
  }

  const pending = (): readonly NodeInfo[] =>
    requests.all().map(({ peer, since, expiresAt }) => ({
      id: peer.id,
      name: nodeName(peer.name),
      platform: peer.platform,
      version: peer.version,
      state: 'pending',
      connected: false,
      offer: peer.offer,
      lastSeenAt: since,
      code: peer.code,
      expiresAt,
      remote: peer.remote,
    }));

  function list(): readonly NodeInfo[] {
    const known = registry.all();
    const waiting = pending();
    const isWaiting = new Set(waiting.map(({ id }) => id));
    return [
      ...known.filter(({ state }) => state === 'paired').map(infoOf),
      ...waiting,
      ...known.filter(({ state, id }) => state === 'revoked' && !isWaiting.has(id)).map(infoOf),
    ];
  }

  function registered(node: string, states: readonly NodeInfo['state'][] = ['paired', 'revoked']): RegisteredNode {
    const known = registry.all().filter(({ state }) => states.includes(state));
    return registry.get(findNode(node, known.map(infoOf)).id)!;
  }

  function decidePaired(known: RegisteredNode, peer: ProvenNode): Decision {
    if (known.publicKey !== keyText(peer))
      return refused('NODE_IDENTITY', 'the gateway has paired another key for this node');
    if (known.bound && !peer.isBound)
      return refused('NODE_IDENTITY', 'the node was paired over TLS to the gateway itself, and this connection is not');
    if (known.clonedAt !== undefined || isCloned(known, peer))
      return refused('NODE_CLONED', 'two processes use the key of this node at the same time');
    return { answer: 'welcome', epoch: randomUUID() };
  }

  /** Counts processes that replace the link of another process: a restarted node does that once, a copied key again and again. */
  function isCloned(known: RegisteredNode, peer: ProvenNode): boolean {
    const current = links.get(peer.id);
    if (current === undefined || current.peer.instance === peer.instance) return false;
    const recent = [...(replacements.get(peer.id) ?? []), now()].filter((time) => now() - time < REPLACEMENT_MS);
    replacements.set(peer.id, recent);
    if (recent.length < MOST_REPLACEMENTS) return false;
    registry.setCloned(peer.id, true);
    current.link.close('cloned');
    const info = infoOf(known);
    options.audit('cloned', info);
    options.notify(
      `node ${known.name} is refused: two processes use its key at the same time. Stop the copy, then: pincer nodes approve ${known.id}`,
      info,
    );
    return true;
  }

  /** Consuming the invitation and pairing the node are one transaction: a crash between them would lose the invitation. */
  function decideInvited(id: string, peer: ProvenNode): Decision {
    const invitation = invitations.get(id);
    const isProven = invitation !== undefined && peer.proves(invitation.secret);
    const paired = isProven
      ? registry.pair(newNode(peer), invitation.by, { only: () => invitations.consume(id) })
      : undefined;
    if (paired === undefined) return refused('NODE_INVITATION', 'the invitation is unknown, used or expired');
    requests.take(peer.id)?.end('replaced');
    options.audit('paired by invitation', infoOf(paired), paired.pairedBy);
    log(`node ${paired.name} (${paired.id}) is paired by an invitation`);
    return { answer: 'welcome', epoch: randomUUID() };
  }

  function decideUnknown(peer: ProvenNode, connection: WaitingConnection): Decision {
    if (!requests.hasRoom(peer.id))
      return refused('NODE_PAIRING_FULL', 'too many machines wait for the approval of the gateway’s operator');
    requests.add({ id: peer.id, peer, connection, end: (reason) => endWaiting(connection, reason) });
    log(`node ${nodeName(peer.name)} (${peer.id}) at ${peer.remote} requests pairing with code ${peer.code}`);
    return { answer: 'pending' };
  }

  function close(id: string, reason: string): void {
    const connected = links.get(id);
    if (connected === undefined) return;
    links.delete(id);
    connected.link.close(reason);
    registry.seen(id);
  }

  return {
    list,
    pending,
    link: (id) => links.get(id)?.link,
    onLink: (listener) => void listeners.push(listener),

    decide(peer, connection) {
      const known = registry.get(peer.id);
      if (known?.state === 'paired') return decidePaired(known, peer);
      if (peer.invitation !== undefined) return decideInvited(peer.invitation, peer);
      if (known?.state === 'revoked') return refused('NODE_REVOKED', 'the gateway has removed this node');
      return decideUnknown(peer, connection);
    },

    ended(peer, connection) {
      const request = requests.all().find(({ id, connection: own }) => id === peer.id && own === connection);
      if (request !== undefined) requests.take(peer.id);
    },

    linked(peer, link) {
      const { id, remote } = peer;
      const known = registry.get(id);
      if (known?.state !== 'paired' || known.clonedAt !== undefined) {
        link.close('revoked'); // removed during the handshake
        return;
      }
      close(id, 'replaced');
      registry.seen(id, { platform: peer.platform, version: peer.version, offer: peer.offer });
      const info = infoOf(registry.get(id)!);
      for (const listener of listeners) listener(info, link);
      const connected = { link, peer, connectedAt: now() };
      links.set(id, connected);
      log(`node ${known.name} (${id}) is connected from ${remote}`);
      void link.down.then((reason) => {
        log(`node ${known.name} (${id}) is disconnected: ${reason}`);
        if (links.get(id) !== connected) return;
        links.delete(id);
        registry.seen(id);
      });
    },

    show(node) {
      const { id } = findNode(node, list());
      const known = registry.get(id);
      const request = pending().find((one) => one.id === id);
      if (known === undefined || (known.state === 'revoked' && request !== undefined)) return request!;
      const { pairedBy, bound, clonedAt } = known;
      const connectedAt = links.get(id)?.connectedAt;
      return {
        ...infoOf(known),
        pairedBy,
        bound,
        ...(clonedAt === undefined ? {} : { clonedAt }),
        ...(connectedAt === undefined ? {} : { connectedAt }),
      };
    },

    approve(node, by, replaces) {
      const waiting = pending();
      const cloned = registry.all().filter(({ clonedAt, state }) => clonedAt !== undefined && state === 'paired');
      const { id } = findPending(node, [...waiting, ...cloned.map(infoOf)]);
      const old = replaces === undefined ? undefined : registered(replaces);
      const request = requests.take(id);
      if (request === undefined) {
        registry.setCloned(id, false);
        replacements.delete(id);
        options.audit('allowed again', infoOf(registry.get(id)!), by);
        return infoOf(registry.get(id)!);
      }
      const paired = registry.pair(newNode(request.peer), by, old === undefined ? {} : { replaces: old.id })!;
      if (old !== undefined && old.id !== id) close(old.id, 'replaced by another node');
      request.connection.settle({ answer: 'welcome', epoch: randomUUID() });
      options.audit('paired', infoOf(paired), by);
      return infoOf(paired);
    },

    reject(node, by) {
      const info = findPending(node, pending());
      requests.take(info.id)?.end('rejected');
      options.audit('rejected', info, by);
      return info;
    },

    invite(by, url) {
      const address = options.address(url);
      const invitation = newInvitation(address, options.gatewayId());
      return { invitation: invitationText(invitation), expiresAt: invitations.add(invitation, by) };
    },

    rename(node, name) {
      const { id } = registered(node, ['paired']);
      registry.rename(id, name);
      return infoOf(registry.get(id)!);
    },

    remove(node, by) {
      const known = registered(node);
      if (known.state === 'revoked') registry.forget(known.id);
      else registry.revoke(known.id);
      close(known.id, 'revoked');
      replacements.delete(known.id);
      const info = infoOf({ ...known, state: 'revoked' });
      options.audit('removed', info, by);
      return info;
    },

    async close() {
      requests.close();
      for (const [id, { link }] of links) {
        links.delete(id); // the database may be closed when the link is down
        registry.seen(id);
        link.close('the gateway is stopping');
      }
    },
  };
}

/** A machine whose request was replaced, or whose gateway stops, may ask again; the others may not without their operator. */
function endWaiting(connection: WaitingConnection, reason: RequestEnd): void {
  if (reason === 'rejected')
    connection.settle(refused('NODE_REJECTED', 'the operator of the gateway rejected the request'));
  else if (reason === 'expired')
    connection.settle(refused('NODE_REJECTED', 'the operator of the gateway did not answer within five minutes'));
  else connection.close(reason === 'replaced' ? 'replaced' : 'the gateway is stopping');
}

function newNode(peer: ProvenNode): NewNode {
  const { id, name, platform, version, offer, isBound } = peer;
  return { id, publicKey: keyText(peer), name, platform, version, offer, bound: isBound };
}

function keyText({ publicKey }: ProvenNode): string {
  return Buffer.from(publicKey).toString('base64');
}

function refused(code: FaultCode, message: string): FinalDecision {
  return { answer: 'refused', code, message };
}
