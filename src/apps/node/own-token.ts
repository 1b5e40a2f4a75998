/** The token for NATS that a gateway gives this node. The NATS server checks its signature and its rights. */
import { Fault } from '../../base/fault.ts';
import type { Identity } from '../../hosts/identity/keys.ts';
import { readClaims } from '../../hosts/nodes/fleet/claims.ts';
import { isSameIssuer } from '../../hosts/nodes/fleet/membership.ts';
import { publicNkey } from '../../hosts/nodes/fleet/nkeys.ts';

export function isTokenOf(token: string, { publicKey }: Identity): boolean {
  return readClaims(token)?.['sub'] === publicNkey('user', publicKey);
}

/** `known` is the token of this node. Any gateway of the fleet may renew it, and none may move the node to another account. */
export function checkToken(token: string, own: Identity, known: string | undefined): void {
  if (!isTokenOf(token, own)) throw refusedToken('the token is not for the key of this node');
  if (known === undefined || !isSameIssuer(token, known))
    throw refusedToken('the token is not from the NATS account of this node');
}

function refusedToken(why: string): Fault {
  return new Fault('PARAM_INVALID', why, { hint: 'this is a defect of the gateway; update it' });
}
