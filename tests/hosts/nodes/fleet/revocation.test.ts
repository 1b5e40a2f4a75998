import { expect, it, onTestFinished } from 'vitest';
import {
  closeNats,
  connectNats,
  type NatsConnection,
  type NatsUser,
} from '../../../../src/hosts/channel/carriers/nats-connect.ts';
import { type Identity, newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { machineUser, nodeToken, readNatsCredentials } from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { publicNkey } from '../../../../src/hosts/nodes/fleet/nkeys.ts';
import { type RevokedUser, revokeUsers } from '../../../../src/hosts/nodes/fleet/revocation.ts';
import { type NatsCluster, natsCluster } from '../../../support/nats-cluster.ts';
import { until } from '../../../support/patience.ts';

const HOUR_MS = 3_600_000;

function scene(cluster: NatsCluster) {
  const servers = cluster.servers.split(',');
  const credentials = readNatsCredentials(cluster.files.creds);
  const { account, admin } = credentials;
  const connect = async (user: NatsUser): Promise<NatsConnection> => {
    const nats = await connectNats({ servers, user, name: 'test' });
    onTestFinished(() => closeNats(nats));
    return nats;
  };
  const userOf = (node: Identity, at = Date.now()): NatsUser => machineUser(node, nodeToken(credentials, node, at));
  const revoke = (...users: RevokedUser[]): Promise<number> =>
    revokeUsers({ servers, account, admin: admin!, identity: newIdentity(), now: Date.now }, users);
  return { servers, credentials, connect, userOf, revoke };
}

const revoked = (node: Identity, at = Date.now()): RevokedUser => ({
  user: publicNkey('user', node.publicKey),
  since: at,
  until: at,
});

it.each([1, 3])('closes the connection of a revoked node on %i servers, and refuses the next one', async (count) => {
  const cluster = await natsCluster(count);
  const { connect, userOf, revoke } = scene(cluster);
  const [node, other] = [newIdentity(), newIdentity()];
  const [atNode, atOther] = [await connect(userOf(node)), await connect(userOf(other))];
  expect(await revoke(revoked(node))).toBe(1);
  await until(() => atNode.isClosed(), 'the end of the connection');
  // Each server refuses it.
  for (let attempt = 0; attempt < count; attempt++)
    await until(
      () =>
        connect(userOf(node, Date.now() - HOUR_MS))
          .then(closeNats, () => true)
          .then((refused) => refused === true),
      'the refusal',
    );
  expect(atOther.isClosed()).toBe(false);
  expect(await revoke(revoked(node, Date.now() - HOUR_MS))).toBe(0);
});

it('keeps revocations when the server restarts with its first configuration', async () => {
  const cluster = await natsCluster();
  const { connect, userOf, revoke } = scene(cluster);
  const [node, second] = [newIdentity(), newIdentity()];
  await revoke(revoked(node));
  await revoke(revoked(second));
  await cluster.kill(0);
  await cluster.start(0);
  const old = Date.now() - HOUR_MS;
  await expect(connect(userOf(node, old))).rejects.toMatchObject({ code: 'NODE_CREDENTIALS' });
  await expect(connect(userOf(second, old))).rejects.toMatchObject({ code: 'NODE_CREDENTIALS' });
});

it('accepts a node that was paired again after its revocation', async () => {
  const { connect, userOf, revoke } = scene(await natsCluster());
  const node = newIdentity();
  await revoke(revoked(node, Date.now() - HOUR_MS));
  expect((await connect(userOf(node))).isClosed()).toBe(false);
});
