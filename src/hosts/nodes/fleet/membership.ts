/**
 * Which gateways belong to the fleet of a node: those whose NATS token the same account has signed as the token of the node. Nodes
 * and machines that pair have tokens of that account, too, so the token of a gateway has a tag.
 */
import { isSignedBy } from '../../identity/keys.ts';
import { array, check, type Infer, object, string } from '../../../wire/schema.ts';
import { readClaims } from './claims.ts';
import { publicBytes, publicNkey } from './nkeys.ts';

export const GATEWAY_TAG = 'pincer-gateway';

const text = string({ max: 256 });
const userClaims = object(
  { iss: text, sub: text, nats: object({ type: text, issuer_account: text }, { tags: array(text, { max: 8 }) }) },
  {},
);
type UserClaims = Infer<typeof userClaims>;

/**
 * Whether the token is that of a gateway with this key, in the account of the node. Its expiry does not count: who can issue one
 * token can issue the next, and no decision of a node depends on its clock.
 */
export function isFleetGateway(token: string, gatewayKey: Uint8Array, nodeToken: string): boolean {
  const claims = signedClaims(token);
  if (claims === undefined || !isSameIssuer(token, nodeToken)) return false;
  return claims.nats.tags?.includes(GATEWAY_TAG) === true && claims.sub === publicNkey('user', gatewayKey);
}

/** Whether one account has issued both tokens. The signatures are not checked. */
export function isSameIssuer(one: string, other: string): boolean {
  const [first, second] = [claimsOf(one), claimsOf(other)];
  if (first === undefined || second === undefined) return false;
  return first.iss === second.iss && first.nats.issuer_account === second.nats.issuer_account;
}

/** Undefined where the issuer has not signed the token. */
function signedClaims(token: string): UserClaims | undefined {
  const claims = claimsOf(token);
  const issuer = claims === undefined ? undefined : publicBytes('account', claims.iss);
  const at = token.lastIndexOf('.');
  if (issuer === undefined || at < 0) return undefined;
  const signature = Buffer.from(token.slice(at + 1), 'base64url');
  return isSignedBy(issuer, Buffer.from(token.slice(0, at)), signature) ? claims : undefined;
}

function claimsOf(token: string): UserClaims | undefined {
  try {
    const claims = check(userClaims, readClaims(token), 'token');
    return claims.nats.type === 'user' ? claims : undefined;
  } catch {
    return undefined; // malformed
  }
}
