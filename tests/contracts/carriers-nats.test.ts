import { expect, it, onTestFinished } from 'vitest';
import type { Carrier } from '../../src/hosts/channel/carriers/carrier.ts';
import { dialNats, listenNats, nodeSubjects, pairingSubjects } from '../../src/hosts/channel/carriers/nats.ts';
import { closeNats, connectNats, type NatsConnection } from '../../src/hosts/channel/carriers/nats-connect.ts';
import { NATS_KINDS, NO_CONNECTION, natsFrame } from '../../src/hosts/channel/carriers/nats-frames.ts';
import { newIdentity } from '../../src/hosts/identity/keys.ts';
import {
  gatewayUser,
  machineUser,
  nodeToken,
  pairingToken,
  pairingUser,
  readNatsCredentials,
} from '../../src/hosts/nodes/fleet/credentials.ts';
import { natsCluster } from '../support/nats-cluster.ts';
import { eventLoopTurns, until } from '../support/patience.ts';
import { describeCarrier, receive } from './carrier-laws.ts';

const gateway = newIdentity();
const node = newIdentity();

interface Connected {
  readonly ends: readonly [node: Carrier, gateway: Carrier];
  readonly connections: readonly [node: NatsConnection, gateway: NatsConnection];
  readonly kill: () => Promise<void>;
}

async function connected(): Promise<Connected> {
  const cluster = await natsCluster();
  const servers = cluster.servers.split(',');
  const credentials = readNatsCredentials(cluster.files.creds);
  const own = gatewayUser(credentials, gateway, Date.now());
  const atGateway = await connectNats({ servers, user: own, name: 'gateway' });
  let accept: (carrier: Carrier) => void = () => {};
  const accepted = new Promise<Carrier>((resolve) => (accept = resolve));
  await listenNats(atGateway, {
    gateway: gateway.id,
    nodes: [],
    isPaired: () => true,
    connection: async (carrier) => accept(carrier),
    log: () => undefined,
  });
  const user = machineUser(node, nodeToken(credentials, node, Date.now()));
  const atNode = await connectNats({ servers, user, name: 'node' });
  const dialed = await dialNats(atNode, { subjects: nodeSubjects(node.id, gateway.id), gateway: gateway.id });
  onTestFinished(async () => {
    await Promise.all([closeNats(atNode), closeNats(atGateway)]);
  });
  return { ends: [dialed, await accepted], connections: [atNode, atGateway], kill: () => cluster.kill(0) };
}

describeCarrier('NATS, from the node', async () => (await connected()).ends);
describeCarrier('NATS, from the gateway', async () => {
  const [atNode, atGateway] = (await connected()).ends;
  return [atGateway, atNode];
});

it('ends at both ends when the server is killed', async () => {
  const { ends, kill } = await connected();
  const [atNode, atGateway] = ends.map(receive);
  await kill();
  await until(() => atNode!.down.length + atGateway!.down.length === 2, 'both ends');
});

it('has no TLS exporter', async () => {
  const { ends } = await connected();
  expect(ends.map(({ binding }) => binding)).toEqual([undefined, undefined]);
});

it('drops frames of an earlier connection', async () => {
  const { ends, connections } = await connected();
  const [atNode, atGateway] = ends.map(receive);
  const { up } = nodeSubjects(node.id, gateway.id);
  connections[0].publish(up, natsFrame(NATS_KINDS.data, 'ab'.repeat(16), 0, Buffer.from('late')));
  ends[0].send(Buffer.from('in time'));
  await until(() => atGateway!.messages.length === 1, 'the message');
  expect(atGateway).toMatchObject({ messages: [Buffer.from('in time')], down: [] });
  expect(atNode).toMatchObject({ messages: [], down: [] });
});

it('ends the connections of nodes that a gateway had before its restart', async () => {
  const { ends, connections } = await connected();
  const [atNode] = ends.map(receive);
  const { down } = nodeSubjects(node.id, gateway.id);
  connections[1].publish(down, natsFrame(NATS_KINDS.restarted, '00'.repeat(16)));
  await until(() => atNode!.down.length === 1, 'the end');
  await eventLoopTurns();
  expect(atNode!.down).toEqual(['the gateway was restarted']);
});

it('a machine that pairs hears only the gateway that it means', async () => {
  const cluster = await natsCluster();
  const servers = cluster.servers.split(',');
  const credentials = readNatsCredentials(cluster.files.creds);
  const accepted: Carrier[] = [];
  for (const own of [gateway, newIdentity()]) {
    const nats = await connectNats({ servers, user: gatewayUser(credentials, own, Date.now()), name: own.id });
    onTestFinished(() => closeNats(nats));
    const connection = async (carrier: Carrier): Promise<void> => void accepted.push(carrier);
    await listenNats(nats, { gateway: own.id, nodes: [], isPaired: () => false, connection, log: () => undefined });
  }
  const invitation = { id: 'i'.repeat(16), secret: Buffer.alloc(32, 7).toString('base64url') };
  const now = Date.now();
  const token = pairingToken(credentials, invitation, now, now + 60_000);
  const machine = await connectNats({ servers, user: pairingUser({ ...invitation, token }), name: 'machine' });
  onTestFinished(() => closeNats(machine));
  const dialed = await dialNats(machine, { subjects: pairingSubjects(invitation.id), gateway: gateway.id });
  const [atMachine, atGateway] = [receive(dialed), receive(accepted[0]!)];
  for (let number = 1; number <= 3; number++) {
    dialed.send(Buffer.from(`${number}`));
    await until(() => atGateway.messages.length === number, 'the message');
    accepted[0]!.send(Buffer.from(`${number}`));
    await until(() => atMachine.messages.length === number, 'the answer');
  }
  expect([accepted.length, atMachine.down]).toEqual([1, []]);
});

it('answers a few of many questions for the gateways of a node, so that one node does not slow down the others', async () => {
  const { connections } = await connected();
  const [atNode] = connections;
  const { open, down } = nodeSubjects(node.id, gateway.id);
  const heard: string[] = [];
  for (const subject of [`${down}.here`, down])
    atNode.subscribe(subject, { callback: (_, message) => void heard.push(message.subject) });
  const questions = 2_000;
  for (let i = 0; i < questions; i++) atNode.publish(open, natsFrame(NATS_KINDS.find, NO_CONNECTION));
  atNode.publish(open, natsFrame(NATS_KINDS.open, 'cd'.repeat(16), 0, Buffer.from(gateway.id)));
  await until(() => heard.at(-1) === down, 'the answer to what was sent last');
  const answers = heard.length - 1;
  expect(answers).toBeGreaterThan(0);
  expect(answers).toBeLessThan(questions / 10);
});
