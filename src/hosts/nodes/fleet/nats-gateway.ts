/** A gateway on NATS: it stays connected, accepts nodes, gives them tokens, and revokes those of removed nodes. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/message-of.ts';
import type { Carrier } from '../../channel/carriers/carrier.ts';
import { announceGateway, listenNats, type NatsPeer } from '../../channel/carriers/nats.ts';
import { closeNats, connectNats, type NatsConnection, parseNatsServers } from '../../channel/carriers/nats-connect.ts';
import type { Link } from '../../channel/link.ts';
import type { Decision, ProvenNode } from '../../identity/handshake.ts';
import type { Identity } from '../../identity/keys.ts';
import { limitedLog } from '../limited-log.ts';
import { welcomeNode } from '../listener.ts';
import { INVITATION_MS } from '../pairing.ts';
import type { EndedNodeKey, NodeAdmission, NodeAdministration } from '../shape.ts';
import {
  gatewayUser,
  NODE_TOKEN_MS,
  type NatsCredentials,
  nodeToken,
  pairingToken,
  readNatsCredentials,
} from './credentials.ts';
import { publicNkey } from './nkeys.ts';
import type { SharedNodes } from './shared-nodes.ts';
import { type RevocationParts, type RevokedUser, revokeUsers } from './revocation.ts';

/** The setting `gateway.cluster.nats`. */
export interface NatsSettings {
  readonly servers: readonly string[];
  /** Path of a file that `pincer nodes nats-setup` wrote. */
  readonly creds: string;
}

/** Works with the connection until it ends. */
interface Share {
  connected(nats: NatsConnection): Promise<void>;
  close(): Promise<void>;
}

export interface NatsGatewayParts {
  readonly identity: Identity;
  readonly version: string;
  readonly admission: NodeAdmission;
  /** Paired nodes, by id. */
  readonly paired: () => readonly string[];
  readonly endedKeys: NodeAdministration['endedKeys'];
  /** The registry that gateways share. */
  readonly nodes: SharedNodes;
  /** What else they share: approval requests, and requests to nodes. */
  readonly shares: readonly Share[];
  readonly now: () => number;
  readonly log: (text: string) => void;
  /** The gateway informs a removed node before NATS refuses it. Default: 3 s. */
  readonly revokeAfterMs?: number;
  /** After a failure. Default: 30 s. */
  readonly revokeAgainMs?: number;
}

export interface NatsGateway {
  /** The addresses, separated by commas, for invitations. */
  readonly url: string;
  status(): { readonly servers: string; readonly connected: boolean; readonly reason?: string };
  /** The token for the machine that has the invitation. */
  pairingToken(invitation: { readonly id: string; readonly secret: string }): string;
  /** Revokes the credentials of ended keys soon, or after the next connect. */
  revokeSoon(): void;
  /** Tells a node that this gateway has it now. */
  announce(node: string): void;
  close(): Promise<void>;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
const REVOKE_AFTER_MS = 3_000;
const REVOKE_AGAIN_MS = 30_000;
/** Tokens have whole seconds: one of the next pairing, in this second, stays valid. */
const TOKEN_TIME_MS = 1_000;
const RENEW_CHECK_MS = 24 * 3_600_000;
const LONGEST_MESSAGE = 512;

/** Resolves after the first attempt to connect. Later ones follow until `close`. */
export async function openNatsGateway(settings: NatsSettings, parts: NatsGatewayParts): Promise<NatsGateway> {
  const { identity, now, revokeAfterMs = REVOKE_AFTER_MS } = parts;
  const servers = parseNatsServers(settings.servers.join(','));
  const credentials = readNatsCredentials(settings.creds);
  const log = limitedLog(parts.log);
  const closing = new AbortController();
  const tokens = nodeTokens(credentials, parts);
  const { account, admin } = credentials;
  const revocations = createRevocations(
    admin === undefined ? undefined : { servers, account, admin, identity, now },
    parts,
    closing.signal,
  );
  let nats: NatsConnection | undefined;
  let reason = 'not connected yet';

  /** Ends with the connection. */
  async function connectOnce(attempted: () => void): Promise<void> {
    const user = gatewayUser(credentials, identity, now());
    const accept = (carrier: Carrier, from: NatsPeer): Promise<void> =>
      welcomeNode(carrier, {
        ...parts,
        membership: user.token,
        admission: admissionOver(from, parts, tokens),
      }).catch((error: unknown) => log(`a connection from ${carrier.remote} failed: ${messageOf(error)}`));
    const connection = await connectNats({ servers, user, name: `gateway ${identity.id}` });
    try {
      closing.signal.throwIfAborted();
      await listenNats(connection, {
        gateway: identity.id,
        nodes: parts.paired(),
        isPaired: (node) => parts.admission.stateOf(node) === 'paired',
        connection: accept,
        log,
      });
      nats = connection;
      log(`connected to NATS at ${connection.getServer()}`);
      attempted();
      revocations.applyAfter(0);
      for (const share of [parts.nodes, ...parts.shares]) void share.connected(connection);
      throw (await connection.closed()) ?? new Error('the connection to the NATS server has ended');
    } finally {
      nats = undefined;
      await closeNats(connection);
    }
  }

  async function run(attempted: () => void): Promise<void> {
    let delay = FIRST_DELAY_MS;
    while (!closing.signal.aborted) {
      const began = performance.now();
      await connectOnce(attempted).catch((error: unknown) => (reason = messageOf(error)));
      attempted();
      if (closing.signal.aborted) return;
      log(`not connected to NATS: ${reason}`);
      delay = performance.now() - began > LONGEST_DELAY_MS ? FIRST_DELAY_MS : Math.min(delay * 2, LONGEST_DELAY_MS);
      await pause(delay, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    ended = run(resolve);
  });
  return {
    url: servers.join(','),
    status: () => ({
      servers: servers.join(','),
      connected: nats !== undefined,
      ...(nats === undefined ? { reason } : {}),
    }),
    pairingToken: (invitation) => pairingToken(credentials, invitation, now(), now() + INVITATION_MS),
    revokeSoon: () => revocations.applyAfter(revokeAfterMs),
    announce: (node) => {
      if (nats !== undefined) announceGateway(nats, node, identity.id);
    },
    async close() {
      closing.abort();
      tokens.close();
      await Promise.all([parts.nodes, ...parts.shares].map((share) => share.close()));
      if (nats !== undefined) await closeNats(nats);
      await ended;
      await revocations.done();
    },
  };
}

/**
 * Pairing by comparison needs a TLS connection to the gateway itself: over NATS, only an invitation pairs. A welcome has the token
 * of the key that the node uses next, so a node that replaces its key never has only a token of the old one.
 */
function admissionOver(
  from: NatsPeer,
  { admission, nodes }: Pick<NatsGatewayParts, 'admission' | 'nodes'>,
  tokens: NodeTokens,
): Parameters<typeof welcomeNode>[1]['admission'] {
  /** After another gateway has paired the node, or has learned its key. */
  const known = (peer: ProvenNode): ProvenNode => ({ ...peer, id: admission.idOf(peer.publicKey) });
  return {
    async decide(first, connection): Promise<Decision> {
      if (first.invitation === undefined && admission.stateOf(first.id) === undefined) {
        const trouble = await nodes.read(from.id).catch((error: unknown) => error);
        if (trouble !== undefined) return notRead(trouble);
      }
      const peer = known(first);
      if (peer.invitation === undefined && admission.stateOf(peer.id) === undefined)
        return admission.stateOf(from.id) === 'paired' ? UNKNOWN_KEY : UNKNOWN_NODE;
      const decision = admission.decide(peer, connection);
      if (decision.answer !== 'welcome') return decision;
      const nextKey = decision.knowsNextKey === true ? peer.nextKey : undefined;
      return { ...decision, token: tokens.issue(peer.id, nextKey ?? peer.publicKey) };
    },
    idOf: (publicKey) => admission.idOf(publicKey),
    stateOf: (id) => admission.stateOf(id),
    ended: (peer, connection) => admission.ended(known(peer), connection),
    linked(peer, link) {
      if (from.subject === 'pairing') {
        link.close('the node connects with its own key');
        return;
      }
      admission.linked(known(peer), link);
      tokens.renew(known(peer), link);
    },
  };
}

const UNKNOWN_NODE: Decision = {
  answer: 'refused',
  code: 'NODE_REVOKED',
  message: 'the gateway has removed this node, or never paired it',
  hint: 'pair it again with pincer nodes invite',
};

/** Another gateway may know it. The node tries again. */
const UNKNOWN_KEY: Decision = {
  answer: 'refused',
  code: 'NODE_IDENTITY',
  message: 'the gateway has paired another key for this node',
};

/** The node tries again: it counts only as removed where the registry says so. */
function notRead(trouble: unknown): Decision {
  return {
    answer: 'refused',
    code: 'NODE_FLEET_UNAVAILABLE',
    message: messageOf(trouble).slice(0, LONGEST_MESSAGE),
  };
}

interface NodeTokens {
  issue(id: string, publicKey: Uint8Array): string;
  /** Sends the node a new token after half of its time, as long as it is connected. */
  renew(peer: ProvenNode, link: Link): void;
  close(): void;
}

function nodeTokens(credentials: NatsCredentials, { now, log }: NatsGatewayParts): NodeTokens {
  const connected = new Map<Link, { readonly peer: ProvenNode; issuedAt: number }>();
  const issue = (id: string, publicKey: Uint8Array): string => nodeToken(credentials, { id, publicKey }, now());
  const renewals = setInterval(() => {
    for (const [link, entry] of connected) {
      if (now() - entry.issuedAt < NODE_TOKEN_MS / 2) continue;
      entry.issuedAt = now();
      const { id, publicKey } = entry.peer;
      link.channel
        .call('node.credentials', { token: issue(id, publicKey) })
        .catch((error: unknown) => log(`node ${id} did not take its NATS credentials: ${messageOf(error)}`));
    }
  }, RENEW_CHECK_MS).unref();
  return {
    issue,
    renew(peer, link) {
      connected.set(link, { peer, issuedAt: now() });
      void link.down.then(() => connected.delete(link));
    },
    close: () => clearInterval(renewals),
  };
}

interface Revocations {
  /** Revokes all ended keys that are not revoked yet, and tries again until it is done. */
  applyAfter(ms: number): void;
  done(): Promise<void>;
}

/**
 * The registry has the ended keys, so what this process does not finish, the next one does. A gateway without the keys to revoke
 * (`at` is undefined) leaves it to the one that has them, whose registry hears of all ended keys.
 */
function createRevocations(
  at: RevocationParts | undefined,
  parts: NatsGatewayParts,
  closing: AbortSignal,
): Revocations {
  const { endedKeys, now, log, revokeAgainMs = REVOKE_AGAIN_MS } = parts;
  let running: Promise<void> = Promise.resolve();
  /** A gateway that learned the end late has given tokens after it. */
  const revoked = ({ publicKey, endedAt, isInUse }: EndedNodeKey): RevokedUser => ({
    user: publicNkey('user', publicKey),
    since: endedAt,
    until: isInUse ? endedAt : Math.max(endedAt, now() - TOKEN_TIME_MS),
  });
  const apply = async (): Promise<void> => {
    if (at === undefined || closing.aborted) return;
    try {
      const users = endedKeys(NODE_TOKEN_MS).map(revoked);
      const count = users.length === 0 ? 0 : await revokeUsers(at, users);
      if (count > 0) log(`revoked the NATS credentials of ended keys: ${count}`);
    } catch (error) {
      log(messageOf(error));
      applyAfter(revokeAgainMs);
    }
  };
  function applyAfter(ms: number): void {
    pause(ms, undefined, { signal: closing, ref: false })
      .then(() => (running = running.then(apply)))
      .catch(() => undefined);
  }
  return { applyAfter, done: () => running };
}
