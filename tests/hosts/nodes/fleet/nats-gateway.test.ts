import { expect, it } from 'vitest';
import { closeNats, connectNats } from '../../../../src/hosts/channel/carriers/nats-connect.ts';
import { type Identity, newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { machineUser, nodeToken, readNatsCredentials } from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { type NatsGateway, openNatsGateway } from '../../../../src/hosts/nodes/fleet/nats-gateway.ts';
import type { EndedNodeKey } from '../../../../src/hosts/nodes/shape.ts';
import { type NatsCluster, natsCluster } from '../../../support/nats-cluster.ts';
import { until } from '../../../support/patience.ts';
import { sampleNodes } from '../sample.ts';

const HOUR_MS = 3_600_000;

interface Opened {
  readonly gateway: NatsGateway;
  readonly logged: readonly string[];
}

/** A gateway with the keys to revoke. */
async function opened(cluster: NatsCluster, endedKeys: () => readonly EndedNodeKey[]): Promise<Opened> {
  const logged: string[] = [];
  const { nodes } = await sampleNodes();
  const nothing = async (): Promise<void> => undefined;
  const gateway = await openNatsGateway(
    { servers: cluster.servers.split(','), creds: cluster.files.creds },
    {
      identity: newIdentity(),
      version: '1',
      admission: nodes,
      paired: () => [],
      endedKeys,
      nodes: { connected: nothing, changed: () => undefined, read: nothing, close: nothing },
      shares: [],
      now: Date.now,
      log: (text) => logged.push(text),
      revokeAgainMs: 1,
    },
  );
  return { gateway, logged };
}

async function isAccepted(cluster: NatsCluster, node: Identity, issuedAt: number): Promise<boolean> {
  const user = machineUser(node, nodeToken(readNatsCredentials(cluster.files.creds), node, issuedAt));
  try {
    await closeNats(await connectNats({ servers: cluster.servers.split(','), user, name: 'node' }));
    return true;
  } catch {
    return false;
  }
}

const isRevoked = (count: number) => (line: string) => line === `revoked the NATS credentials of ended keys: ${count}`;

it('also revokes tokens that were given after the end of a key, except to a node that was paired with it again', async () => {
  const cluster = await natsCluster();
  const [removed, again] = [newIdentity(), newIdentity()];
  const endedAt = Date.now() - HOUR_MS;
  const { gateway, logged } = await opened(cluster, () => [
    { publicKey: removed.publicKey, endedAt, isInUse: false },
    { publicKey: again.publicKey, endedAt, isInUse: true },
  ]);
  await until(() => logged.some(isRevoked(2)), 'the revocation');
  const accepted = async (issuedAt: number): Promise<readonly boolean[]> =>
    Promise.all([removed, again].map((node) => isAccepted(cluster, node, issuedAt)));
  expect(await accepted(endedAt - 1)).toEqual([false, false]);
  expect(await accepted(endedAt + HOUR_MS / 2)).toEqual([false, true]);
  await gateway.close();
});

it('revokes keys after it failed to read them, and closes', async () => {
  const cluster = await natsCluster();
  const node = newIdentity();
  let reads = 0;
  const { gateway, logged } = await opened(cluster, () => {
    if (++reads === 1) throw new Error('the disk is broken');
    return [{ publicKey: node.publicKey, endedAt: Date.now(), isInUse: false }];
  });
  await until(() => logged.some(isRevoked(1)), 'the revocation');
  expect(logged).toContain('the disk is broken');
  await gateway.close();
});
