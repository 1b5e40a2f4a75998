/** The token for NATS that a gateway gives this node. The NATS server checks its signature and its rights. */
import { Fault } from '../../base/fault.ts';
import type { Identity } from '../../hosts/identity/keys.ts';
import { readClaims } from '../../hosts/nodes/fleet/claims.ts';
import { publicNkey } from '../../hosts/nodes/fleet/nkeys.ts';

export function isTokenOf(token: string, { publicKey }: Identity): boolean {
  return readClaims(token)?.['sub'] === publicNkey('user', publicKey);
}

export function checkToken(token: string, own: Identity): void {
  if (isTokenOf(token, own)) return;
  throw new Fault('PARAM_INVALID', 'the token is not for the key of this node', {
    hint: 'this is a defect of the gateway; update it',
  });
}
