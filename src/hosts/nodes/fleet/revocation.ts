/** Revokes users of the account: NATS closes their connections, and refuses new ones. */
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import { isObject } from '../../../wire/schema.ts';
import { closeNats, connectNats, type NatsServers } from '../../channel/carriers/nats-connect.ts';
import type { Identity } from '../../identity/keys.ts';
import { type AccountToken, readClaims, revokedAccountToken } from './claims.ts';
import { type AdminKeys, NODE_TOKEN_MS, systemUser } from './credentials.ts';

const REQUEST_MS = 5_000;

export interface RevocationParts extends Pick<NatsServers, 'servers'> {
  readonly account: string;
  readonly admin: AdminKeys;
  readonly identity: Identity;
  readonly now: () => number;
}

/** A user whose tokens are invalid. Times are in milliseconds. */
export interface RevokedUser {
  /** `U…` */
  readonly user: string;
  /** An earlier revocation of the user, from this time on, is enough. */
  readonly since: number;
  /** Tokens that were issued up to this time become invalid. */
  readonly until: number;
}

/**
 * Revokes users, and returns the number of new revocations. One gateway has the keys for it, so two never change the account at
 * the same time.
 */
export async function revokeUsers(parts: RevocationParts, users: readonly RevokedUser[]): Promise<number> {
  const { account, admin, identity, servers, now } = parts;
  const nats = await connectNats({
    servers,
    user: systemUser(admin, identity, now()),
    name: `revocation ${identity.id}`,
  });
  const request = async (subject: string, payload: string): Promise<string> =>
    (await nats.request(subject, payload, { timeout: REQUEST_MS })).string();
  try {
    const claims = accountOf(await request(`$SYS.REQ.ACCOUNT.${account}.CLAIMS.LOOKUP`, ''), account);
    const known = claims.nats.revocations ?? {};
    const wanted = users.filter(({ user, since }) => (known[user] ?? 0) < Math.floor(since / 1000));
    if (wanted.length === 0) return 0;
    const oldest = (now() - NODE_TOKEN_MS) / 1000;
    const current = Object.entries(known).filter(([, at]) => at > oldest); // older tokens have expired
    const added = wanted.map(({ user, until }) => [user, Math.floor(until / 1000)] as const);
    const token = revokedAccountToken(admin.operatorKey, claims, Object.fromEntries([...current, ...added]), now());
    expectDone(await request('$SYS.REQ.CLAIMS.UPDATE', token));
    return wanted.length;
  } catch (error) {
    throw error instanceof Fault ? error : refused(messageOf(error));
  } finally {
    await closeNats(nats);
  }
}

function accountOf(token: string, account: string): AccountToken {
  const claims = readClaims(token);
  if (claims?.['sub'] !== account || !isObject(claims['nats'])) throw refused('the server does not have the account');
  return claims as unknown as AccountToken;
}

function expectDone(answer: string): void {
  const { error } = JSON.parse(answer) as { readonly error?: { readonly description?: string } };
  if (error !== undefined) throw refused(error.description ?? 'the server refused it');
}

function refused(why: string): Fault {
  return new Fault('NODE_CREDENTIALS', `the NATS credentials of a node were not revoked: ${why}`, {
    hint: 'the gateway refuses the node nevertheless, and tries the revocation again',
  });
}
