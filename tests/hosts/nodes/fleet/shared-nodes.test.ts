import { expect, it, onTestFinished, vi } from 'vitest';
import { closeNats, connectNats } from '../../../../src/hosts/channel/carriers/nats-connect.ts';
import type { Database } from '../../../../src/hosts/database/shape.ts';
import { newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { Bucket } from '../../../../src/hosts/nodes/fleet/bucket.ts';
import { gatewayUser, readNatsCredentials } from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { isSameNode } from '../../../../src/hosts/nodes/fleet/shared-node.ts';
import { createSharedNodes, type SharedNodes } from '../../../../src/hosts/nodes/fleet/shared-nodes.ts';
import { type Registry, registryIn } from '../../../../src/hosts/nodes/registry.ts';
import { type NatsCluster, natsCluster } from '../../../support/nats-cluster.ts';
import { until } from '../../../support/patience.ts';
import { database, diskFull, OFFER } from '../sample.ts';

interface TestGateway {
  readonly registry: Registry;
  readonly shared: SharedNodes;
  readonly logged: string[];
}

const connected = async (cluster: NatsCluster) => {
  const user = gatewayUser(readNatsCredentials(cluster.files.otherCreds), newIdentity(), Date.now());
  const nats = await connectNats({ servers: cluster.servers.split(','), user, name: 'gateway' });
  onTestFinished(() => closeNats(nats));
  return nats;
};

/** A gateway with a registry on disk. It connects again as the real one does. */
async function gatewayOn(cluster: NatsCluster, disk?: Database): Promise<TestGateway> {
  const logged: string[] = [];
  let shared: SharedNodes | undefined;
  const registry = registryIn(disk ?? (await database()), Date.now, () => shared?.changed());
  shared = createSharedNodes({
    replicas: cluster.servers.includes(',') ? 3 : 1,
    registry: { all: () => registry.shared(), apply: (node) => void registry.apply(node) },
    log: (text) => logged.push(text),
  });
  let isOver = false;
  const ended = (async () => {
    while (!isOver) {
      const nats = await connected(cluster).catch(() => undefined);
      if (nats === undefined) continue;
      const sharing = shared.connected(nats);
      await until(() => isOver || nats.isClosed(), 'the end of a connection', 600_000);
      await closeNats(nats);
      await sharing;
    }
  })();
  onTestFinished(async () => {
    isOver = true;
    await shared.close();
    await ended;
  });
  return { registry, shared, logged };
}

function paired({ registry }: TestGateway, name = 'mac', bound = false): string {
  const { id, publicKey } = newIdentity();
  const key = Buffer.from(publicKey).toString('base64');
  registry.pair({ id, publicKey: key, name, platform: 'linux', version: '1', offer: OFFER, bound }, 'ann');
  return id;
}

const names = ({ registry }: TestGateway): readonly string[] =>
  registry.all().map(({ name, state }) => `${name} ${state}`);

const agree = (...gateways: readonly TestGateway[]): Promise<void> =>
  until(() => {
    const [first = [], ...others] = gateways.map(({ registry }) => registry.shared().map(({ node }) => node));
    return others.every(
      (other) => other.length === first.length && other.every((node) => first.some((each) => isSameNode(each, node))),
    );
  }, 'one registry');

it('shares pairings, names, keys and removals', async () => {
  const cluster = await natsCluster();
  const [one, two] = [await gatewayOn(cluster), await gatewayOn(cluster)];
  const id = paired(one);
  await until(() => names(two).length === 1, 'the node at the other gateway');
  expect(two.registry.get(id)).toMatchObject({ name: 'mac', state: 'paired', pairedBy: 'ann', bound: false });
  two.registry.rename(id, 'build-1');
  const next = Buffer.from(newIdentity().publicKey).toString('base64');
  one.registry.announceKey(id, next);
  await agree(one, two);
  expect([names(one), one.registry.get(id)?.nextKey, two.registry.idOfKey(next)]).toEqual([
    ['build-1 paired'],
    next,
    id,
  ]);
  const first = one.registry.get(id)!.publicKey;
  two.registry.replaceKey(id);
  await agree(one, two);
  expect(one.registry.get(id)).toMatchObject({ publicKey: next });
  expect(one.registry.endedKeys(60_000).map(({ key }) => key)).toEqual([first]);
  one.registry.setCloned(id, true);
  await until(() => two.registry.get(id)?.clonedAt !== undefined, 'the mark of a copied key');
  two.registry.revoke(id);
  await until(() => names(one)[0] === 'build-1 revoked', 'the removal');
  expect(
    one.registry
      .endedKeys(60_000)
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual([first, next].toSorted());
});

it('does not bring a forgotten node back, and takes over its next pairing', async () => {
  const cluster = await natsCluster();
  const [one, two] = [await gatewayOn(cluster), await gatewayOn(cluster)];
  const id = paired(one);
  await until(() => names(two).length === 1, 'the node at the other gateway');
  const { publicKey } = one.registry.get(id)!;
  two.registry.revoke(id);
  two.registry.forget(id);
  await agree(one, two);
  expect([names(one), names(two)]).toEqual([['mac revoked'], []]);
  // A new gateway has never seen it paired.
  const three = await gatewayOn(cluster);
  await agree(one, three);
  expect(names(three)).toEqual([]);
  three.registry.pair(
    { id, publicKey, name: 'mac', platform: 'linux', version: '1', offer: OFFER, bound: false },
    'bob',
  );
  await agree(one, two, three);
  expect(names(two)).toEqual(['mac paired']);
  expect(two.registry.get(id)).toMatchObject({ publicKey, pairedBy: 'bob' });
});

it('gives a node a free name where another one has its name, and keeps the shared one', async () => {
  const cluster = await natsCluster();
  const [one, two] = [await gatewayOn(cluster), await gatewayOn(cluster)];
  paired(two, 'mac', true); // not shared
  const id = paired(one, 'mac');
  await until(() => names(two).length === 2, 'the node at the other gateway');
  expect([names(one), names(two)]).toEqual([['mac paired'], ['mac paired', 'mac-2 paired']]);
  two.registry.rename(id, 'other');
  await until(() => names(one)[0] === 'other paired', 'the new name');
});

it('tells the others when a node is bound to one gateway', async () => {
  const cluster = await natsCluster();
  const [one, two] = [await gatewayOn(cluster), await gatewayOn(cluster)];
  const id = paired(one);
  await until(() => names(two).length === 1, 'the node at the other gateway');
  const { publicKey } = one.registry.get(id)!;
  one.registry.revoke(id);
  one.registry.pair({ id, publicKey, name: 'mac', platform: 'linux', version: '1', offer: OFFER, bound: true }, 'ann');
  const { pairedAt } = one.registry.get(id)!;
  await until(() => two.registry.get(id)?.pairedAt === pairedAt, 'the removal');
  expect(names(two)).toEqual(['mac revoked']);
  expect(one.registry.get(id)).toMatchObject({ state: 'paired', bound: true });
  expect(two.registry.shared().map(({ node }) => node.keys)).toEqual([
    [{ key: publicKey, number: 1, endedAt: pairedAt }],
  ]);
  expect(two.registry.endedKeys(60_000)).toEqual([{ key: publicKey, endedAt: pairedAt, isInUse: false }]);
});

it('keeps changes while NATS is off, and shares them later', async () => {
  const cluster = await natsCluster();
  const [one, two] = [await gatewayOn(cluster), await gatewayOn(cluster)];
  const [first, second] = [paired(one, 'first'), paired(one, 'second')];
  await until(() => names(two).length === 2, 'the nodes at the other gateway');
  await cluster.kill(0);
  one.registry.rename(first, 'renamed');
  two.registry.revoke(second);
  expect([names(one), names(two)]).toEqual([
    ['renamed paired', 'second paired'],
    ['first paired', 'second revoked'],
  ]);
  await cluster.start(0);
  await agree(one, two);
  expect(names(one)).toEqual(['renamed paired', 'second revoked']);
});

it('reads a node that it does not know yet from the leader, and says when it cannot', async () => {
  const cluster = await natsCluster();
  const one = await gatewayOn(cluster);
  const id = paired(one);
  const two = await gatewayOn(cluster);
  await until(
    async () =>
      two.shared.read(id).then(
        () => names(two).length > 0,
        () => false, // it is not connected yet
      ),
    'the node',
  );
  expect(names(two)).toEqual(['mac paired']);
  await cluster.kill(0);
  await until(
    async () =>
      two.shared.read(id).then(
        () => false,
        ({ code }) => code === 'NODE_FLEET_UNAVAILABLE',
      ),
    'the refusal',
  );
});

it('tries a record again once a second while the disk is full, and runs on meanwhile', async () => {
  const cluster = await natsCluster();
  const disk = await database();
  const writes = vi.spyOn(disk, 'transaction');
  const most = 1_000; // attempts without a pause would never end
  for (let i = 0; i < most; i++) writes.mockImplementationOnce(diskFull);
  const [one, two] = [await gatewayOn(cluster), await gatewayOn(cluster, disk)];
  paired(one);
  await until(() => two.logged.filter((line) => line.includes('the disk is full')).length > 1, 'the second attempt');
  expect(writes.mock.calls.length).toBeLessThan(most);
  writes.mockRestore();
  await until(() => names(two).length === 1, 'the node after the disk has room');
});

it('leaves a malformed record alone', async () => {
  const cluster = await natsCluster();
  const one = await gatewayOn(cluster);
  const bucket = await Bucket.open(await connected(cluster), { name: 'pin_nodes', ttlMs: 0, replicas: 1 });
  const id = paired(one);
  await until(async () => (await bucket.get(id)) !== undefined, 'the record');
  for (const value of ['{', '{"id":"x"}', JSON.stringify({ id, keys: 'all' })]) {
    await bucket.update(id, value, (await bucket.get(id))!.revision);
    await until(() => one.logged.some((line) => line.includes(`${id} is malformed`)), 'the log line');
    one.logged.length = 0;
    one.registry.setCloned(id, true);
    expect((await bucket.get(id))?.value).toBe(value);
  }
  expect(names(one)).toEqual(['mac paired']);
});
