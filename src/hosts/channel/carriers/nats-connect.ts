/** Connects to NATS servers. The package is loaded when a connection is made. */
import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';

export type { NatsConnection } from '@nats-io/transport-node';

/** A user of NATS: a token that says what it may do, and the key that the token is for. */
export interface NatsUser {
  readonly token: string;
  /** `U…` */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Uint8Array;
}

export interface NatsServers {
  /** `nats://host:port` on loopback, or `tls://host:port`. */
  readonly servers: readonly string[];
  readonly user: NatsUser;
  /** For the server's list of connections. */
  readonly name: string;
}

const CONNECT_MS = 10_000;
const CLOSE_MS = 1_000;
const PING_MS = 10_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/** Reads a list of addresses, separated by commas. Without TLS, only loopback is allowed: the frames are not encrypted. */
export function parseNatsServers(text: string): readonly string[] {
  const servers = text.split(',').map((each) => each.trim());
  for (const server of servers) checkNatsServer(server);
  if (new Set(servers.map((each) => new URL(each).protocol)).size > 1)
    throw insecure(`${JSON.stringify(text)} mixes servers with and without TLS`);
  return servers;
}

function checkNatsServer(server: string): void {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && /^\/?$/u.test(url.pathname);
  if (!isPlain || url.search !== '' || url.hash !== '' || !/^(?:nats|tls):$/u.test(url.protocol))
    throw insecure(`${JSON.stringify(server)} is not an address such as tls://nats.example:4222`);
  if (url.protocol === 'nats:' && !LOOPBACK.test(url.hostname)) throw insecure(`${server} is not encrypted`);
}

/**
 * Tries the servers in random order. The connection ends at the first fault; the caller connects again. So nothing is sent that
 * was meant for an earlier one.
 */
export async function connectNats({ servers, user, name }: NatsServers): Promise<NatsConnection> {
  const checked = parseNatsServers(servers.join(','));
  let failure: unknown;
  for (const server of shuffled(checked)) {
    try {
      return await connectTo(server, user, name);
    } catch (error) {
      failure = error;
    }
  }
  throw /authorization|authentication|expired/iu.test(messageOf(failure))
    ? refusedUser(checked, failure)
    : natsUnreachable(checked, failure);
}

/**
 * Makes one connection to one address. The package sends the credentials without TLS where a server says `"tls_available": 1`,
 * so they are withheld until the certificate was verified on this very connection.
 */
async function connectTo(server: string, user: NatsUser, name: string): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node');
  const { protocol, host, hostname } = new URL(server);
  const address = hostname.replaceAll(/[[\]]/gu, '');
  let isPrivate = protocol === 'nats:'; // loopback
  const tls = {
    rejectUnauthorized: true,
    servername: isIP(address) === 0 ? address : '',
    checkServerIdentity(_: string, certificate: PeerCertificate): Error | undefined {
      const problem = checkServerIdentity(address, certificate);
      isPrivate ||= problem === undefined;
      return problem;
    },
  };
  const options: NodeConnectionOptions = {
    servers: host,
    ...(protocol === 'tls:' ? { tls } : {}),
    authenticator(nonce = '') {
      if (!isPrivate) throw new Error('the server does not encrypt the connection');
      return {
        jwt: user.token,
        nkey: user.publicKey,
        sig: Buffer.from(user.sign(Buffer.from(nonce))).toString('base64url'),
      };
    },
    name,
    reconnect: false,
    resolve: false, // one attempt, not one for each address of the name
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    // A server could name others that the operator did not choose.
    ignoreClusterUpdates: true,
  };
  return connect(options);
}

function shuffled(servers: readonly string[]): readonly string[] {
  const left = [...servers];
  return servers.flatMap(() => left.splice(randomInt(left.length), 1));
}

/** Sends what was published before. */
export async function closeNats(nats: NatsConnection): Promise<void> {
  if (nats.isClosed()) return;
  const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
  await Promise.race([nats.flush().catch(() => undefined), late]);
  await nats.close().catch(() => undefined);
}

function insecure(what: string): Fault {
  return new Fault('NODE_INSECURE', what, { hint: 'use tls://host:port; plain nats:// is for loopback only' });
}

function refusedUser(servers: readonly string[], error: unknown): Fault {
  return new Fault(
    'NODE_CREDENTIALS',
    `the NATS server (${servers.join(', ')}) refuses the credentials of this machine`,
    {
      hint: 'they are revoked, expired, or of another setup; check the clocks of the gateway and of the server, then pair a node again with pincer nodes invite',
      cause: error,
    },
  );
}

export function natsUnreachable(servers: readonly string[], error: unknown): Fault {
  return new Fault('NODE_UNREACHABLE', `cannot connect through NATS (${servers.join(', ')}): ${messageOf(error)}`, {
    hint: 'check that nats-server runs, that the gateway runs with gateway.cluster.nats, and that the node is paired',
    cause: error,
  });
}
