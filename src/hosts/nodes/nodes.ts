/** Decides which machines may connect, keeps the link of each paired one, and carries out what the operator orders. */
import { Fault } from '../../base/fault.ts';
import { guarded } from '../../base/guarded.ts';
import { messageOf } from '../../base/message-of.ts';
import type { SharedNode } from '../../wire/nodes/fleet.ts';
import { type Invitation, REMOVED } from '../../wire/nodes/handshake.ts';
import type { NodeInfo } from '../../wire/nodes/node.ts';
import type { Link } from '../channel/link.ts';
import type { Database } from '../database/shape.ts';
import type { Decision, ProvenNode } from '../identity/handshake.ts';
import { identityId } from '../identity/keys.ts';
import { invitationText, newInvitation } from '../identity/invitation.ts';
import { INVITATION_USED, refused, REVOKED, welcome } from './decisions.ts';
import { findApprovable, findNode, findPending } from './find-node.ts';
import { limitedLog } from './limited-log.ts';
import {
  invitationsIn,
  pairingRequests,
  type PairingRequest,
  type RequestEnd,
  type StoredInvitation,
} from './pairing.ts';
import { hasTooManyNewKeys, MOST_NEW_KEYS } from './new-keys.ts';
import { nodeName } from './node-name.ts';
import { type NewNode, type RegisteredNode, registryIn } from './registry.ts';
import type { NodeAdmission, NodeAdministration, Nodes, WaitingConnection } from './shape.ts';

export interface NodesOptions {
  readonly database: Database;
  readonly now: () => number;
  readonly gatewayId: () => string;
  /** The address for an invitation (default: the one that this gateway listens on); throws NODE_NOT_LISTENING without one. */
  address(url?: string): string;
  /** Adds what the address of an invitation needs: the token for NATS, or that TLS ends at a proxy. */
  completed(invitation: Invitation): Invitation;
  /** `endedKeys` has more: a node was revoked, or has another key. */
  keyEnded(): void;
  /** Something has changed that gateways share. */
  registryChanged(): void;
  /** Another gateway has paired this node. */
  paired(id: string): void;
  /** For the audit log. */
  audit(action: string, node: NodeInfo, by?: string): void;
  /** For the operator. */
  notify(text: string, node: NodeInfo): void;
  readonly log: (text: string) => void;
}

interface Connected {
  readonly link: Link;
  /** Without the messages of its handshake, which are of no use any more. */
  readonly peer: Pick<ProvenNode, 'remote' | 'instance'>;
  readonly connectedAt: number;
}

interface Waiting extends PairingRequest {
  readonly peer: ProvenNode;
  readonly connection: WaitingConnection;
}

/** This many replacements by other processes within the time mean that two machines use one key. */
const MOST_REPLACEMENTS = 5;
const REPLACEMENT_MS = 60_000;
const STOPPING = 'the gateway is stopping';
const CLONED = 'cloned';

export function createNodes(options: NodesOptions): Nodes & NodeAdmission & NodeAdministration {
  const { database, now, log } = options;
  const registry = registryIn(database, now, () => options.registryChanged());
  const invitations = invitationsIn(database, now);
  const requests = pairingRequests<Waiting>(now);
  const links = new Map<string, Connected>();
  const replacements = new Map<string, readonly number[]>();
  // Apart, so that machines that are not paired cannot fill the limit of the others.
  const [logRequest, logLink] = [limitedLog(log, now), limitedLog(log, now)];
  const listeners: ((node: NodeInfo, link: Link) => void)[] = [];
  const removedListeners: ((node: NodeInfo) => void)[] = [];
  let isClosed = false;

  function infoOf(node: RegisteredNode): NodeInfo {
    const { publicKey: _, nextKey: __, bound: ___, pairedBy: ____, sharing: _____, ...info } = node;
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
    const key = keyText(peer.publicKey);
    if (known.publicKey !== key && known.nextKey !== key)
      return refused('NODE_IDENTITY', 'the gateway has paired another key for this node');
    if (known.bound && !peer.isBound)
      return refused('NODE_IDENTITY', 'the node was paired over TLS to the gateway itself, and this connection is not');
    if (known.clonedAt !== undefined || isCloned(known, peer))
      return refused('NODE_CLONED', 'two processes use the key of this node at the same time');
    if (known.nextKey === key) {
      registry.replaceKey(known.id);
      options.keyEnded();
      options.audit('key replaced', infoOf(known));
      log(`node ${known.name} (${known.id}) has a new key`);
    }
    return { ...welcome(known), ...announced(known, peer) };
  }

  /** Stored before the node learns it. The old key works until the node uses the new one, so each end may fail in between. */
  function announced(known: RegisteredNode, { publicKey, nextKey }: ProvenNode): { readonly knowsNextKey?: true } {
    if (nextKey === undefined || known.publicKey !== keyText(publicKey)) return {};
    const key = keyText(nextKey);
    const owner = registry.idOfKey(key);
    if (owner !== undefined && owner !== known.id) return {}; // the key of another node
    if (known.nextKey !== key) {
      if (hasTooManyNewKeys(known.sharing.keys, now())) {
        logLink(
          `node ${known.name} (${known.id}) announces more than ${MOST_NEW_KEYS} new keys in a day; this one is refused`,
        );
        return {};
      }
      registry.announceKey(known.id, key);
      if (known.nextKey !== undefined) options.keyEnded();
    }
    return registry.get(known.id)?.nextKey === key ? { knowsNextKey: true } : {}; // it may have ended
  }

  /** Counts processes that replace the link of another process: a restarted node does that once, a copied key again and again. */
  function isCloned(known: RegisteredNode, peer: ProvenNode): boolean {
    const current = links.get(peer.id);
    if (current === undefined || current.peer.instance === peer.instance) return false;
    const isRecent = (time: number): boolean => Math.abs(now() - time) < REPLACEMENT_MS;
    const recent = [...(replacements.get(peer.id) ?? []), now()].filter(isRecent);
    replacements.set(peer.id, recent);
    if (recent.length < MOST_REPLACEMENTS) return false;
    registry.setCloned(peer.id, true);
    current.link.close(CLONED);
    const info = infoOf(known);
    options.audit('cloned', info);
    options.notify(
      `node ${known.name} is refused: two processes use its key at the same time. Stop the copy, then: pincer nodes approve ${known.id}`,
      info,
    );
    return true;
  }

  /** The invitation that the node names, where it knows its secret. */
  function provenInvitation({ invitation: id, proves }: ProvenNode): StoredInvitation | undefined {
    const stored = id === undefined ? undefined : invitations.get(id);
    return stored !== undefined && proves(stored.secret) ? stored : undefined;
  }

  /** Consuming the invitation and pairing the node are one transaction: a crash between them would lose the invitation. */
  function decideInvited(id: string, peer: ProvenNode): Decision {
    const invitation = provenInvitation(peer);
    const paired =
      invitation === undefined
        ? undefined
        : registry.pair(newNode(peer), invitation.by, { only: () => invitations.consume(id) });
    if (paired === undefined) return INVITATION_USED;
    requests.take(peer.id)?.end('replaced');
    options.audit('paired by invitation', infoOf(paired), paired.pairedBy);
    log(`node ${paired.name} (${paired.id}) is paired by an invitation`);
    return welcome(paired);
  }

  function decideUnknown(peer: ProvenNode, connection: WaitingConnection): Decision {
    if (!requests.hasRoom(peer.id))
      return refused('NODE_PAIRING_FULL', 'too many machines wait for the approval of the gateway’s operator');
    requests.add({ id: peer.id, peer, connection, end: (reason) => endWaiting(connection, reason) });
    logRequest(`node ${nodeName(peer.name)} (${peer.id}) at ${peer.remote} requests pairing with code ${peer.code}`);
    return { answer: 'pending' };
  }

  function close(id: string, reason: string): void {
    const connected = links.get(id);
    if (connected === undefined) return;
    links.delete(id);
    connected.link.close(reason);
    registry.seen(id);
  }

  /** After the node was revoked. */
  function disconnect(known: RegisteredNode, reason: string): NodeInfo {
    close(known.id, reason);
    options.keyEnded();
    replacements.delete(known.id);
    const info = infoOf({ ...known, state: 'revoked' });
    for (const listener of removedListeners) listener(info);
    return info;
  }

  /** Another gateway has changed the node. */
  function apply(shared: SharedNode): void {
    const { id } = shared;
    const before = registry.get(id);
    if (registry.apply(shared)) options.keyEnded();
    const after = registry.get(id);
    if (after?.state === 'paired' && before?.state !== 'paired') {
      options.audit('paired at another gateway', infoOf(after), after.pairedBy);
      options.paired(id);
    } else if (after?.state !== 'paired' && before?.state === 'paired')
      options.audit('removed at another gateway', disconnect(before, REMOVED));
    else if (after?.clonedAt !== undefined) close(id, CLONED);
    else if (after?.publicKey !== before?.publicKey) close(id, 'the node has another key');
    if (after?.clonedAt === undefined) replacements.delete(id);
  }

  return {
    list,
    pending,
    link: (id) => links.get(id)?.link,
    isShared: (id) => registry.get(id)?.state === 'paired' && registry.get(id)?.bound === false,
    onLink: (listener) => void listeners.push(listener),
    onRemoved: (listener) => void removedListeners.push(listener),
    idOf: (publicKey) => registry.idOfKey(keyText(publicKey)) ?? identityId(publicKey),

    decide(peer, connection) {
      const known = registry.get(peer.id);
      if (known?.state === 'paired') {
        const decision = decidePaired(known, peer);
        // A node that is paired already uses its invitation, too: another machine must not find it valid.
        if (decision.answer === 'welcome' && provenInvitation(peer) !== undefined)
          invitations.consume(peer.invitation!);
        return decision;
      }
      if (peer.invitation !== undefined) return decideInvited(peer.invitation, peer);
      if (known?.state === 'revoked') return REVOKED;
      return decideUnknown(peer, connection);
    },

    stateOf: (id) => registry.get(id)?.state,
    sharing: { all: () => registry.shared(), apply },

    ended(peer, connection) {
      const request = requests.all().find(({ id, connection: own }) => id === peer.id && own === connection);
      if (request !== undefined) requests.take(peer.id);
    },

    linked(peer, link) {
      const { id, remote, instance } = peer;
      if (isClosed) {
        link.close(STOPPING); // the handshake was under way; the database may be closed when the link is down
        return;
      }
      const known = registry.get(id);
      if (known?.state !== 'paired' || known.clonedAt !== undefined) {
        link.close(known?.state === 'paired' ? CLONED : REMOVED); // during the handshake
        return;
      }
      close(id, 'replaced');
      registry.seen(id, { platform: peer.platform, version: peer.version, offer: peer.offer });
      const connected = { link, peer: { remote, instance }, connectedAt: now() };
      links.set(id, connected);
      const { name } = known; // what `ended` uses is in memory as long as the link
      logLink(`node ${name} (${id}) is connected from ${remote}`);
      const ended = (reason: string): void => {
        logLink(`node ${name} (${id}) is disconnected: ${reason}`);
        if (links.get(id) !== connected) return;
        links.delete(id);
        registry.seen(id);
      };
      void link.down.then(guarded((error) => log(messageOf(error)), ended));
      const info = infoOf(registry.get(id)!);
      for (const listener of listeners) listener(info, link);
    },

    show(node) {
      const { id } = findNode(node, list());
      const known = registry.get(id);
      const request = pending().find((one) => one.id === id);
      if (known === undefined || (known.state === 'revoked' && request !== undefined)) return request!;
      const { pairedBy, bound } = known;
      const connectedAt = links.get(id)?.connectedAt;
      return {
        ...infoOf(known),
        pairedBy,
        bound,
        ...(connectedAt === undefined ? {} : { connectedAt }),
      };
    },

    approve(node, by, replaces) {
      const waiting = pending();
      const paired = registry.all().filter(({ state }) => state === 'paired');
      const cloned = paired.filter(({ clonedAt }) => clonedAt !== undefined);
      const { id } = findApprovable(node, [...waiting, ...cloned.map(infoOf)], paired.map(infoOf));
      const old = replaces === undefined ? undefined : registered(replaces);
      const request = requests.all().find((one) => one.id === id);
      if (request === undefined) {
        if (old !== undefined) throw replacesNothing(registry.get(id)!);
        registry.setCloned(id, false);
        replacements.delete(id);
        options.audit('allowed again', infoOf(registry.get(id)!), by);
        return { ...infoOf(registry.get(id)!), allowedAgain: true };
      }
      // The request stays where this fails, so that the operator can repeat the approval.
      const added = registry.pair(newNode(request.peer), by, old === undefined ? {} : { replaces: old.id })!;
      requests.take(id);
      try {
        options.audit('paired', infoOf(added), by);
        if (old !== undefined && old.id !== id) {
          options.audit('removed', disconnect(old, 'replaced by another node'), by);
        }
      } finally {
        request.connection.settle(welcome(added));
      }
      return { ...infoOf(added), code: request.peer.code };
    },

    reject(node, by) {
      const info = findPending(node, pending());
      requests.take(info.id)?.end('rejected');
      options.audit('rejected', info, by);
      return info;
    },

    invite(by, url) {
      const invitation = options.completed(newInvitation(options.address(url), options.gatewayId()));
      return { invitation: invitationText(invitation), expiresAt: invitations.add(invitation, by) };
    },

    rename(node, name) {
      const { id } = registered(node, ['paired']);
      registry.rename(id, name);
      return infoOf(registry.get(id)!);
    },

    endedKeys: (forMs) =>
      registry
        .endedKeys(forMs)
        .map(({ key, ...ended }) => ({ publicKey: new Uint8Array(Buffer.from(key, 'base64')), ...ended })),

    remove(node, by) {
      const known = registered(node);
      if (known.state === 'revoked') registry.forget(known.id);
      else registry.revoke(known.id);
      const info = disconnect(known, REMOVED);
      options.audit('removed', info, by);
      return info;
    },

    async close() {
      isClosed = true;
      requests.close();
      for (const id of links.keys()) close(id, STOPPING);
    },
  };
}

/** A machine whose request was replaced, or whose gateway stops, may ask again; the others may not without their operator. */
function endWaiting(connection: WaitingConnection, reason: RequestEnd): void {
  if (reason === 'rejected')
    connection.settle(refused('NODE_REJECTED', 'the operator of the gateway rejected the request'));
  else if (reason === 'expired')
    connection.settle(refused('NODE_REJECTED', 'the operator of the gateway did not answer within five minutes'));
  else connection.close(reason === 'replaced' ? 'replaced' : STOPPING);
}

function newNode(peer: ProvenNode): NewNode {
  const { id, name, platform, version, offer, isBound } = peer;
  return { id, publicKey: keyText(peer.publicKey), name, platform, version, offer, bound: isBound };
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('base64');
}

function replacesNothing({ name, id }: RegisteredNode): Fault {
  return new Fault('PARAM_INVALID', `node ${name} is paired already, so it cannot replace another node`, {
    hint: `run pincer nodes approve ${id} without --replaces`,
  });
}
