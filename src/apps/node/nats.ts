/** This node on NATS: it connects with its own key and the token that its gateway gave it. */
import { Fault } from '../../base/fault.ts';
import type { Carrier } from '../../hosts/channel/carriers/carrier.ts';
import { dialNats, findGateways, nodeSubjects, pairingSubjects } from '../../hosts/channel/carriers/nats.ts';
import { closeNats, connectNats, type NatsUser, parseNatsServers } from '../../hosts/channel/carriers/nats-connect.ts';
import { machineUser, pairingUser } from '../../hosts/nodes/fleet/credentials.ts';
import type { DialTarget } from './greeting.ts';
import { isTokenOf } from './own-token.ts';

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

/** Calls `heard` for each gateway that has this node, until the connection to the server ends. */
export async function discoverOverNats(
  url: string,
  target: DialTarget,
  heard: (gateway: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { keys, node = keys.current().id } = target;
  const user = userOf(target);
  if (user === undefined) throw needsInvitation(url);
  const nats = await connectNats({ servers: parseNatsServers(url), user, name: `node ${node} discovery` });
  const stop = (): void => void closeNats(nats);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await findGateways(nats, node, heard);
  } finally {
    signal.removeEventListener('abort', stop);
    await closeNats(nats);
  }
}

function userOf({ keys, invitation, token }: DialTarget): NatsUser | undefined {
  if (invitation?.token !== undefined) return pairingUser({ secret: invitation.secret, token: invitation.token });
  if (token === undefined) return undefined;
  // During a rotation the token is for the next key.
  const next = keys.next();
  return machineUser(next !== undefined && isTokenOf(token, next) ? next : keys.current(), token);
}

function needsInvitation(url: string): Fault {
  return new Fault('NODE_INVITATION', `pairing over NATS (${url}) needs an invitation`, {
    hint: 'run pincer nodes invite on the gateway, then pincer node run --invitation with what it prints',
  });
}
