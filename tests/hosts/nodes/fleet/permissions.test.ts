import { expect, it, onTestFinished } from 'vitest';
import {
  closeNats,
  connectNats,
  type NatsConnection,
  type NatsUser,
} from '../../../../src/hosts/channel/carriers/nats-connect.ts';
import { newIdentity } from '../../../../src/hosts/identity/keys.ts';
import {
  gatewayUser,
  machineUser,
  nodeToken,
  pairingToken,
  pairingUser,
  readNatsCredentials,
} from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { newInvitation } from '../../../../src/hosts/identity/invitation.ts';
import { natsCluster } from '../../../support/nats-cluster.ts';
import { until } from '../../../support/patience.ts';

const gateway = newIdentity();
const node = newIdentity();
const other = newIdentity();

interface Scene {
  readonly connect: (user: NatsUser) => Promise<NatsConnection>;
  readonly credentials: ReturnType<typeof readNatsCredentials>;
  /** Subjects of all messages that the gateway received. */
  readonly heard: string[];
  readonly atGateway: NatsConnection;
}

async function scene(): Promise<Scene> {
  const cluster = await natsCluster();
  const credentials = readNatsCredentials(cluster.files.creds);
  const connect = async (user: NatsUser): Promise<NatsConnection> => {
    const nats = await connectNats({ servers: cluster.servers.split(','), user, name: 'test' });
    onTestFinished(() => closeNats(nats));
    return nats;
  };
  const atGateway = await connect(gatewayUser(credentials, gateway, Date.now()));
  const heard: string[] = [];
  for (const subject of ['pin.>', '$KV.>', '_INBOX.>'])
    atGateway.subscribe(subject, { callback: (_error, message) => void heard.push(message.subject) });
  await atGateway.flush();
  return { connect, credentials, heard, atGateway };
}

/** What the server refused, as `Publish to …` and `Subscription to …`. */
function refusals(nats: NatsConnection): string[] {
  const found: string[] = [];
  void (async () => {
    for await (const status of nats.status())
      if (status.type === 'error') found.push(status.error.message.replace(/^.*(?=Publish|Subscription)/u, ''));
  })();
  return found;
}

it('lets a node use its own subjects, and refuses all others', async () => {
  const { connect, credentials, heard, atGateway } = await scene();
  const nats = await connect(machineUser(node, nodeToken(credentials, node, Date.now())));
  const refused = refusals(nats);
  const received: string[] = [];
  const subscribe = (subject: string): void =>
    void nats.subscribe(subject, { callback: (error, message) => void (error ?? received.push(message.subject)) });
  // the six
  nats.publish(`pin.n.${other.id}.u.${gateway.id}`);
  nats.publish(`pin.n.${other.id}.d.${gateway.id}`);
  nats.publish('$KV.pin_approvals.forged');
  nats.publish('$JS.API.STREAM.NAMES');
  subscribe(`pin.n.${other.id}.d.>`);
  subscribe('>');
  // what it may do
  subscribe(`pin.n.${node.id}.d.>`);
  nats.publish(`pin.n.${node.id}.hello`);
  nats.publish(`pin.n.${node.id}.u.${gateway.id}`);
  await nats.flush();
  await until(() => heard.length >= 2, 'the messages of the node');
  atGateway.publish(`pin.n.${other.id}.d.${gateway.id}`);
  atGateway.publish(`pin.n.${node.id}.d.${gateway.id}`);
  await until(() => received.length > 0, 'the message to the node');
  await until(() => refused.length >= 6, 'six refusals');
  expect({ refused: refused.length, received, heard: heard.filter((subject) => !subject.includes('.d.')) }).toEqual({
    refused: 6,
    received: [`pin.n.${node.id}.d.${gateway.id}`],
    heard: [`pin.n.${node.id}.hello`, `pin.n.${node.id}.u.${gateway.id}`],
  });
});

it('refuses an inbox and the answers to requests to a node', async () => {
  const { connect, credentials } = await scene();
  const nats = await connect(machineUser(node, nodeToken(credentials, node, Date.now())));
  await expect(nats.request('pin.n.anything')).rejects.toThrow(/permissions/iu);
});

it('lets a machine that pairs use the subjects of its invitation and nothing else', async () => {
  const { connect, credentials, heard } = await scene();
  const invitation = newInvitation('nats://127.0.0.1:4222', gateway.id);
  const token = pairingToken(credentials, invitation, Date.now(), Date.now() + 600_000);
  const nats = await connect(pairingUser({ secret: invitation.secret, token }));
  const refused = refusals(nats);
  nats.publish('pin.pair.another.u');
  nats.publish(`pin.n.${node.id}.hello`);
  nats.publish(`pin.pair.${invitation.id}.d`);
  nats.publish(`pin.pair.${invitation.id}.u`);
  await nats.flush();
  await until(() => refused.length === 3, 'three refusals');
  expect(heard).toEqual([`pin.pair.${invitation.id}.u`]);
});

it.each<readonly [string, (credentials: Scene['credentials']) => NatsUser]>([
  ['an expired token', (credentials) => machineUser(node, nodeToken(credentials, node, Date.now() - 91 * 86_400_000))],
  ['the token of another key', (credentials) => machineUser(other, nodeToken(credentials, node, Date.now()))],
  [
    'another key with the name of the token’s key',
    (credentials) => ({
      ...machineUser(node, nodeToken(credentials, node, Date.now())),
      sign: (bytes) => other.sign(bytes),
    }),
  ],
  ['a token of another account', ({ account }) => ({ ...machineUser(node, ''), token: forged(account) })],
])('refuses %s', async (_, user) => {
  const { connect, credentials } = await scene();
  await expect(connect(user(credentials))).rejects.toMatchObject({ code: 'NODE_CREDENTIALS' });
});

/** Signed by a key that the account does not know. */
function forged(account: string): string {
  const key = pairingUser({ secret: 'a'.repeat(43), token: '' });
  return nodeToken({ account, accountKey: key }, node, Date.now());
}
