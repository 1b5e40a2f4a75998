/** The JSON Web Tokens of NATS (version 2) that pincer issues: who an operator, an account and a user are, and what a user may do. */
import { createHash } from 'node:crypto';
import { base32, type Nkey } from './nkeys.ts';

/** What a user may publish and subscribe to. All else is denied. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export interface TokenTimes {
  /** Milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

export interface UserClaims extends TokenTimes, Permissions {
  readonly name: string;
  /** The public key of the user, `U…`. */
  readonly user: string;
  /** The account whose signing key issues the token. */
  readonly account: string;
  /** The server does not read them. */
  readonly tags?: readonly string[];
}

export interface AccountClaims extends TokenTimes {
  readonly name: string;
  readonly account: string;
  /** Keys that may issue users of the account. */
  readonly signingKeys: readonly string[];
  readonly hasJetStream: boolean;
  /** Public keys of users, with the time in seconds up to which their tokens are invalid. */
  readonly revocations?: Readonly<Record<string, number>>;
}

export interface OperatorClaims extends TokenTimes {
  readonly name: string;
  readonly systemAccount: string;
  readonly signingKeys: readonly string[];
}

const HEADER = { typ: 'JWT', alg: 'ed25519-nkey' };
const VERSION = 2;
const NO_LIMIT = -1;
/** A node has one subscription, and a gateway has few. */
const MOST_SUBSCRIPTIONS = 64;

export function operatorToken(issuer: Nkey, claims: OperatorClaims): string {
  return token(issuer, issuer.publicKey, claims, {
    type: 'operator',
    signing_keys: claims.signingKeys,
    system_account: claims.systemAccount,
    strict_signing_key_usage: true,
  });
}

export function accountToken(issuer: Nkey, claims: AccountClaims): string {
  const storage = claims.hasJetStream ? NO_LIMIT : 0;
  return token(issuer, claims.account, claims, {
    type: 'account',
    limits: {
      subs: NO_LIMIT,
      data: NO_LIMIT,
      payload: NO_LIMIT,
      imports: NO_LIMIT,
      exports: NO_LIMIT,
      wildcards: true,
      conn: NO_LIMIT,
      leaf: 0,
      mem_storage: storage,
      disk_storage: storage,
      streams: storage,
      consumer: storage,
    },
    signing_keys: claims.signingKeys,
    default_permissions: { pub: {}, sub: {} },
    ...(claims.revocations === undefined ? {} : { revocations: claims.revocations }),
  });
}

export function userToken(issuer: Nkey, claims: UserClaims): string {
  return token(issuer, claims.user, claims, {
    type: 'user',
    issuer_account: claims.account,
    ...(claims.tags === undefined ? {} : { tags: claims.tags }),
    pub: { allow: claims.publish },
    sub: { allow: claims.subscribe },
    subs: MOST_SUBSCRIPTIONS,
    data: NO_LIMIT,
    payload: NO_LIMIT,
  });
}

/** The same account with other revocations, and with all that the operator has added to it. */
export function revokedAccountToken(
  issuer: Nkey,
  claims: AccountToken,
  revocations: Readonly<Record<string, number>>,
  now: number,
): string {
  const { name = '', sub, iat = 0, nats } = claims;
  // Servers keep the newest token. At its start a server reads the first one again, and seconds decide.
  return token(issuer, sub, { name, issuedAt: Math.max(now, (iat + 1) * 1000) }, { ...nats, revocations });
}

/** What is read of the token of an account. */
export interface AccountToken {
  readonly name?: string;
  readonly sub: string;
  readonly iat?: number;
  readonly nats: Readonly<Record<string, unknown>> & { readonly revocations?: Readonly<Record<string, number>> };
}

function token(
  issuer: Nkey,
  subject: string,
  { name, issuedAt, expiresAt }: TokenTimes & { readonly name: string },
  nats: object,
): string {
  const claims = {
    iat: Math.floor(issuedAt / 1000),
    ...(expiresAt === undefined ? {} : { exp: Math.floor(expiresAt / 1000) }),
    iss: issuer.publicKey,
    name,
    sub: subject,
    nats: { ...nats, version: VERSION },
  };
  const jti = base32(createHash('sha256').update(JSON.stringify(claims)).digest());
  const text = `${encoded(HEADER)}.${encoded({ jti, ...claims })}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}

/** The claims of a token whose signature the NATS server checks. Undefined where it is malformed. */
export function readClaims(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
