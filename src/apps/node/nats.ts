/** This node on NATS: it connects with its own key and the token that its gateway gave it. */
import { Fault } from '../../base/fault.ts';
import type { Carrier } from '../../hosts/channel/carriers/carrier.ts';
import { dialNats, nodeSubjects, pairingSubjects } from '../../hosts/channel/carriers/nats.ts';
import { connectNats, type NatsUser, parseNatsServers } from '../../hosts/channel/carriers/nats-connect.ts';
import type { Identity } from '../../hosts/identity/keys.ts';
import { readClaims } from '../../hosts/nodes/fleet/claims.ts';
import { machineUser, pairingUser } from '../../hosts/nodes/fleet/credentials.ts';
import { publicNkey } from '../../hosts/nodes/fleet/nkeys.ts';
import type { DialTarget } from './greeting.ts';

/** With an invitation, the connection only pairs: the gateway gives the node its token. */
export async function dialOverNats(url: string, target: DialTarget, signal: AbortSignal): Promise<Carrier> {
  const { keys, invitation, gateway, node = keys.current().id } = target;
  const servers = parseNatsServers(url);
  const user = userOf(target);
  if (gateway === undefined || user === undefined) throw needsInvitation(url);
  const subjects = invitation?.token === undefined ? nodeSubjects(node, gateway) : pairingSubjects(invitation.id);
  const nats = await connectNats({ servers, user, name: `node ${node}` });
  return dialNats(nats, { subjects, gateway, signal });
}

function userOf({ keys, invitation, token }: DialTarget): NatsUser | undefined {
  if (invitation?.token !== undefined) return pairingUser({ secret: invitation.secret, token: invitation.token });
  if (token === undefined) return undefined;
  // During a rotation the token is for the next key.
  const next = keys.next();
  return machineUser(next !== undefined && isTokenOf(token, next) ? next : keys.current(), token);
}

/** The NATS server checks all else. */
export function isTokenOf(token: string, { publicKey }: Identity): boolean {
  return readClaims(token)?.['sub'] === publicNkey('user', publicKey);
}

export function checkToken(token: string, own: Identity): void {
  if (isTokenOf(token, own)) return;
  throw new Fault('PARAM_INVALID', 'the token is not for the key of this node', {
    hint: 'this is a defect of the gateway; update it',
  });
}

function needsInvitation(url: string): Fault {
  return new Fault('NODE_INVITATION', `pairing over NATS (${url}) needs an invitation`, {
    hint: 'run pincer nodes invite on the gateway, then pincer node run --invitation with what it prints',
  });
}
