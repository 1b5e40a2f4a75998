/**
 * The credentials of a gateway for NATS: the key that signs tokens of the account. With it the gateway issues the tokens of its
 * nodes, of machines that pair, and its own. A token is no secret: the server asks for a signature of the key that it is for.
 */
import { createHmac } from 'node:crypto';
import { Fault } from '../../../base/fault.ts';
import { check, object, string } from '../../../wire/schema.ts';
import type { NatsUser } from '../../channel/carriers/nats-connect.ts';
import { readSecret } from '../../files/secret-file.ts';
import type { Identity } from '../../identity/keys.ts';
import { userToken } from './claims.ts';
import { GATEWAY_TAG } from './membership.ts';
import { type Nkey, nkeyOf, nkeyOfBytes, publicNkey } from './nkeys.ts';

const publicKey = string({ max: 56, pattern: /^[A-Z2-7]{56}$/u });
const seed = string({ max: 58, pattern: /^S[A-Z2-7]{57}$/u });
/** The file that `gateway.cluster.nats.creds` names. */
export const credentialsFile = object(
  { account: publicKey, accountKey: seed },
  { admin: object({ operatorKey: seed, systemAccount: publicKey, systemKey: seed }) },
);

export interface NatsCredentials {
  readonly account: string;
  readonly accountKey: Nkey;
  /** Revokes nodes. One gateway has it. */
  readonly admin?: AdminKeys;
}

export interface AdminKeys {
  readonly operatorKey: Nkey;
  readonly systemAccount: string;
  readonly systemKey: Nkey;
}

const DAY_MS = 86_400_000;
/** A machine that was off for weeks still connects. */
export const NODE_TOKEN_MS = 90 * DAY_MS;
const GATEWAY_TOKEN_MS = 30 * DAY_MS;
const PURPOSE = 'pincer-nats-pairing-v1';

export function readNatsCredentials(path: string): NatsCredentials {
  const found = readSecret(path);
  if (found === undefined) throw unusable(path, 'there is no such file');
  if ('problem' in found) throw unusable(path, found.problem);
  try {
    const { account, accountKey, admin } = check(credentialsFile, JSON.parse(found.bytes.toString('utf8')), 'file');
    return {
      account,
      accountKey: keyOf('account', accountKey),
      ...(admin === undefined
        ? {}
        : {
            admin: {
              operatorKey: keyOf('operator', admin.operatorKey),
              systemAccount: admin.systemAccount,
              systemKey: keyOf('account', admin.systemKey),
            },
          }),
    };
  } catch {
    throw unusable(path, 'it does not contain the keys of a NATS account');
  }
}

function keyOf(role: 'account' | 'operator', text: string): Nkey {
  const key = nkeyOf(role, text);
  if (key === undefined) throw new Error('not a key');
  return key;
}

/** The NATS user of a machine, with the token that a gateway issued. */
export function machineUser(own: Identity, token: string): NatsUser {
  return { token, publicKey: publicNkey('user', own.publicKey), sign: (nonce) => own.sign(checkedNonce(nonce)) };
}

/** The key of the machine also proves its identity, so the server must not choose freely what it signs. */
function checkedNonce(nonce: Uint8Array): Uint8Array {
  if (/^[\w+/=-]{8,64}$/u.test(Buffer.from(nonce).toString('latin1'))) return nonce;
  throw new Fault('NODE_HANDSHAKE', 'the NATS server asks for a signature of something that is not a nonce', {
    hint: 'check the address of the NATS server',
  });
}

/** The gateway as a user of the account: it may use all subjects of pincer, and JetStream. */
export function gatewayUser(credentials: NatsCredentials, own: Identity, now: number): NatsUser {
  const subjects = ['pin.>', '_INBOX.>'];
  const token = userToken(credentials.accountKey, {
    name: `gateway ${own.id}`,
    user: publicNkey('user', own.publicKey),
    account: credentials.account,
    tags: [GATEWAY_TAG],
    issuedAt: now,
    expiresAt: now + GATEWAY_TOKEN_MS,
    publish: [...subjects, '$JS.API.>', '$JS.ACK.>', '$KV.>'],
    subscribe: [...subjects, '$KV.>'],
  });
  return machineUser(own, token);
}

/** The gateway as a user of the system account, which may replace the claims of accounts. */
export function systemUser(admin: AdminKeys, own: Identity, now: number): NatsUser {
  const token = userToken(admin.systemKey, {
    name: `gateway ${own.id}`,
    user: publicNkey('user', own.publicKey),
    account: admin.systemAccount,
    issuedAt: now,
    expiresAt: now + DAY_MS,
    publish: ['$SYS.REQ.>'],
    subscribe: ['_INBOX.>'],
  });
  return machineUser(own, token);
}

/** A node may use its own subjects and nothing else: no other node, no inbox, no JetStream. */
export function nodeToken(
  credentials: NatsCredentials,
  node: { readonly id: string; readonly publicKey: Uint8Array },
  now: number,
): string {
  return userToken(credentials.accountKey, {
    name: `node ${node.id}`,
    user: publicNkey('user', node.publicKey),
    account: credentials.account,
    issuedAt: now,
    expiresAt: now + NODE_TOKEN_MS,
    publish: [`pin.n.${node.id}.u.>`, `pin.n.${node.id}.hello`],
    subscribe: [`pin.n.${node.id}.d.>`],
  });
}

/** For the machine that has the invitation: it may use the subjects of this invitation. */
export function pairingToken(
  { account, accountKey }: NatsCredentials,
  invitation: { readonly id: string; readonly secret: string },
  now: number,
  expiresAt: number,
): string {
  return userToken(accountKey, {
    name: `pairing ${invitation.id}`,
    user: pairingKey(invitation.secret).publicKey,
    account,
    issuedAt: now,
    expiresAt,
    publish: [`pin.pair.${invitation.id}.u`],
    subscribe: [`pin.pair.${invitation.id}.d`],
  });
}

/** The key of the machine that has the invitation, until NATS accepts its own. */
export function pairingUser({ secret, token }: { readonly secret: string; readonly token: string }): NatsUser {
  const key = pairingKey(secret);
  return { token, publicKey: key.publicKey, sign: (bytes) => key.sign(bytes) };
}

function pairingKey(secret: string): Nkey {
  return nkeyOfBytes('user', createHmac('sha256', Buffer.from(secret, 'base64url')).update(PURPOSE).digest());
}

function unusable(path: string, why: string): Fault {
  return new Fault('NODE_CREDENTIALS', `the NATS credentials ${path} cannot be used: ${why}`, {
    hint: 'set gateway.cluster.nats.creds to a file that pincer nodes nats-setup wrote, with mode 0600',
    details: { path },
  });
}
