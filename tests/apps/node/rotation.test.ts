/** A node replaces its key. Each end may fail between any two steps, and the node stays paired. */
import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  type Attempt,
  type GreetingOptions,
  greetOnce,
  NextKeyAccepted,
  nextAttempt,
} from '../../../src/apps/node/greeting.ts';
import { openNodeStore } from '../../../src/apps/node/node-store.ts';
import type { Carrier } from '../../../src/hosts/channel/carriers/carrier.ts';
import { type Identity, newIdentity } from '../../../src/hosts/identity/keys.ts';
import { nodeKeyFiles, nodeKeysIn } from '../../../src/hosts/identity/node-keys.ts';
import { welcomeNode } from '../../../src/hosts/nodes/listener.ts';
import { MOST_NEW_KEYS } from '../../../src/hosts/nodes/new-keys.ts';
import { makeFolder } from '../../support/folder.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';
import { connection, database, OFFER, paired, type SampleNodes, sampleNodes } from '../../hosts/nodes/sample.ts';

const DAY_MS = 86_400_000;

/** Which message is lost with its connection: the nth of an attempt, in either direction. */
type Cut = { readonly attempt: number; readonly message: number };

async function pairedNode() {
  const identity = newIdentity();
  const tables = await database();
  const openGateway = (): Promise<SampleNodes> => sampleNodes({ database: tables, gatewayId: () => identity.id });
  let gateway = await openGateway();
  onTestFinished(() => gateway.nodes.close());
  const stateDir = makeFolder();
  const store = await openNodeStore(stateDir);
  onTestFinished(() => store.close());
  let cut: Cut | undefined;
  let attempts = 0;
  const dial = async (): Promise<Carrier> => {
    attempts++;
    let messages = 0;
    const isCut = (): boolean => cut?.attempt === attempts && cut.message === ++messages;
    const [near, far] = memoryCarriers({
      onTheWay: (message) => {
        if (!isCut()) return [message];
        queueMicrotask(() => near.close('cut'));
        return [];
      },
    });
    welcomeNode(far, { admission: gateway.nodes, identity, version: '1' }).catch(() => undefined);
    return near;
  };
  const hello = { version: '1', name: 'mac', platform: 'linux', offer: OFFER, instance: randomUUID() } as const;
  const keys = nodeKeysIn(stateDir);
  const greeting: GreetingOptions = {
    url: 'wss://gateway',
    keys,
    store,
    hello: async () => hello,
    dial,
    onState: ({ code }) => void gateway.nodes.approve(code, 'ann'),
  };
  const greet = async (attempt: Attempt = { key: 'current' }, more: Partial<GreetingOptions> = {}) => {
    const greeted = await greetOnce({ ...greeting, ...more }, attempt, new AbortController().signal);
    greeted.carrier.close('seen');
    return greeted;
  };
  await greet();
  return {
    keys,
    store,
    stateDir,
    greet,
    nodes: () => gateway.nodes.list(),
    remove: () => void gateway.nodes.remove('mac', 'ann'),
    audited: () => gateway.audited,
    async restartGateway() {
      await gateway.nodes.close();
      gateway = await openGateway();
    },
    cutAt(where: Cut) {
      attempts = 0;
      cut = where;
    },
    /** Connects as `pincer node run` does until the key is replaced. Returns how many connections that took. */
    async rotated(most = 8): Promise<number> {
      let attempt: Attempt = { key: 'current' };
      for (let count = 1; count <= most; count++) {
        let failure: unknown;
        try {
          if ((await greet(attempt)).mayUseNextKey) failure = new NextKeyAccepted();
          if (keys.next() === undefined) return count;
        } catch (error) {
          failure = error;
        }
        attempt = nextAttempt(attempt, failure, greeting);
      }
      throw new Error('not rotated');
    },
    greetWith: (identity_: Identity) =>
      greet({ key: 'current' }, { keys: { current: () => identity_, next: () => undefined, commit: () => undefined } }),
  };
}

it('keeps the id, and refuses the old key once the new one was used', async () => {
  const node = await pairedNode();
  const [before] = node.nodes();
  const old = node.keys.current();
  node.keys.prepare();
  expect(await node.rotated()).toBe(2);
  expect(node.keys.current().id).not.toBe(old.id);
  expect(node.nodes()).toMatchObject([{ id: before?.id, name: 'mac', state: 'paired' }]);
  expect(node.store.paired()?.node).toBe(before?.id);
  await expect(node.greetWith(old)).rejects.toMatchObject({ code: 'NODE_IDENTITY' });
  expect((await node.greet()).welcome.id).toBe(before?.id);
  expect(node.audited()).toContain('key replaced mac');
});

it('rotates again and again under one id', async () => {
  const node = await pairedNode();
  const [before] = node.nodes();
  for (let i = 0; i < 3; i++) {
    node.keys.prepare();
    await node.rotated();
    await node.restartGateway();
  }
  expect(node.nodes().map(({ id }) => id)).toEqual([before?.id]);
});

it('keeps the old key until the gateway has heard the new one', async () => {
  const node = await pairedNode();
  const old = node.keys.current();
  node.keys.prepare();
  await node.greet(); // announces the key
  await node.restartGateway();
  expect((await node.greetWith(old)).gateway.answer).toBe('welcome');
  expect(await node.rotated()).toBe(2);
});

it('writes keys that only the owner can read, and keeps the identity of the machine as a gateway', async () => {
  const node = await pairedNode();
  const files = nodeKeyFiles(node.stateDir);
  node.keys.prepare();
  expect(statSync(files.next).mode & 0o777).toBe(0o600);
  await node.rotated();
  expect(statSync(files.current).mode & 0o777).toBe(0o600);
  expect([existsSync(files.next), existsSync(join(node.stateDir, 'identity.json'))]).toEqual([false, true]);
});

const CUTS = [1, 2].flatMap((attempt) => [1, 2, 3, 4].map((message): Cut => ({ attempt, message })));

it.each(CUTS)(
  'survives a crash of the gateway and a lost connection (attempt $attempt, message $message)',
  async (cut) => {
    const node = await pairedNode();
    const [before] = node.nodes();
    node.keys.prepare();
    node.cutAt(cut);
    await node.rotated(cut.attempt).catch(() => undefined); // the node dies after the cut
    await node.restartGateway();
    await node.rotated();
    expect(node.nodes().map(({ id }) => id)).toEqual([before?.id]);
    await node.restartGateway();
    expect((await node.greet()).welcome.id).toBe(before?.id);
  },
);

it('survives a crash of the node before it records that the gateway uses the new key', async () => {
  const node = await pairedNode();
  node.keys.prepare();
  await node.greet();
  const crash = (): never => {
    throw new Error('crash');
  };
  const keys = { ...node.keys, commit: crash };
  await expect(node.greet({ key: 'next' }, { keys })).rejects.toThrow('crash');
  // The old key is refused now, so the node tries the new one.
  expect(await node.rotated()).toBe(2);
});

it('returns to the old key where the gateway has lost the new one', async () => {
  const node = await pairedNode();
  node.keys.prepare();
  await expect(node.greet({ key: 'next' })).rejects.toMatchObject({ code: 'NODE_IDENTITY' });
  expect(await node.rotated()).toBe(2);
});

it('cannot announce the key of another node', async () => {
  const gateway = await sampleNodes();
  const { machine: other } = paired(gateway);
  const { machine } = paired(gateway);
  const announce = (nextKey: Uint8Array) => gateway.nodes.decide({ ...machine, nextKey }, connection());
  expect(announce(newIdentity().publicKey)).toMatchObject({ answer: 'welcome', knowsNextKey: true });
  expect(announce(other.publicKey)).not.toHaveProperty('knowsNextKey');
  expect(gateway.nodes.idOf(other.publicKey)).toBe(other.id);
});

it('has a limited number of new keys in a day, announced or used', async () => {
  const gateway = await sampleNodes();
  const { machine } = paired(gateway);
  const announce = () =>
    gateway.nodes.decide({ ...machine, nextKey: newIdentity().publicKey }, connection()) as { knowsNextKey?: true };
  const accepted = Array.from({ length: 2 * MOST_NEW_KEYS }, () => announce().knowsNextKey === true);
  // The last one that was announced has not ended.
  expect(accepted.filter(Boolean)).toHaveLength(MOST_NEW_KEYS + 1);
  expect(gateway.nodes.endedKeys(DAY_MS)).toHaveLength(MOST_NEW_KEYS);
  gateway.pass(DAY_MS);
  expect(announce()).toMatchObject({ answer: 'welcome', knowsNextKey: true });
});

it.each(['announced', 'used'])('stays removed under a key that it has %s', async (how) => {
  const node = await pairedNode();
  const next = node.keys.prepare();
  await (how === 'used' ? node.rotated() : node.greet());
  node.remove();
  await expect(node.greetWith(next)).rejects.toMatchObject({ code: 'NODE_REVOKED' });
});
