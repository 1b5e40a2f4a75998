/** A node and several gateways of one NATS account, in this process. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { Connection } from '../../../src/apps/node/connection.ts';
import { connectToGateways, type NodeState } from '../../../src/apps/node/gateway-connections.ts';
import { type NodeStore, openNodeStore } from '../../../src/apps/node/node-store.ts';
import { openLink, type Link } from '../../../src/hosts/channel/link.ts';
import { acceptNode, type Decision } from '../../../src/hosts/identity/handshake.ts';
import { type Identity, newIdentity } from '../../../src/hosts/identity/keys.ts';
import { gatewayUser, type NatsCredentials, nodeToken } from '../../../src/hosts/nodes/fleet/credentials.ts';
import { newSeed, nkeyOf } from '../../../src/hosts/nodes/fleet/nkeys.ts';
import { NODE_METHODS } from '../../../src/wire/nodes/methods.ts';
import { makeFolder } from '../../support/folder.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';

const URL = 'nats://127.0.0.1:4222';
const REVOKED: Decision = { answer: 'refused', code: 'NODE_REVOKED', message: 'removed' };

function newAccount(): NatsCredentials {
  const [account, accountKey] = [newSeed('account'), newSeed('account')].map((seed) => nkeyOf('account', seed)!);
  return { account: account!.publicKey, accountKey: accountKey! };
}

interface FakeGateway {
  readonly identity: Identity;
  readonly links: Link[];
  dialed: number;
  /** How often the node has proved its key here. */
  greeted: number;
  /** Undefined: it welcomes the node. */
  refusal?: Decision;
  token: (node: Identity) => string;
  readonly membership: string;
}

function gatewayOf(account: NatsCredentials): FakeGateway {
  const identity = newIdentity();
  const token = (node: Identity): string => nodeToken(account, node, Date.now());
  return {
    identity,
    links: [],
    dialed: 0,
    greeted: 0,
    token,
    membership: gatewayUser(account, identity, Date.now()).token,
  };
}

interface Scene {
  readonly node: Identity;
  readonly account: NatsCredentials;
  readonly paired: FakeGateway;
  readonly store: NodeStore;
  readonly connection: Connection;
  readonly states: NodeState[];
  /** As whom each link is served, and at which gateway. */
  readonly served: string[];
  readonly removed: string[];
  readonly add: (gateway: FakeGateway) => Promise<void>;
  readonly connected: () => readonly string[];
}

async function scene(): Promise<Scene> {
  const [node, account] = [newIdentity(), newAccount()];
  const paired = gatewayOf(account);
  const gateways = new Map([[paired.identity.id, paired]]);
  const store = await openNodeStore(makeFolder());
  store.pair({ id: paired.identity.id, url: URL, isBound: false });
  store.setNatsToken(nodeToken(account, node, Date.now()));
  const [states, served, removed]: [NodeState[], string[], string[]] = [[], [], []];
  let hear: ((gateway: string) => void) | undefined;
  const connection = connectToGateways({
    url: URL,
    keys: { current: () => node, next: () => undefined, commit: () => undefined },
    store,
    calls: {
      serve: (gateway, at) => {
        served.push(`${gateway} at ${at}`);
        return async () => ({});
      },
      removed: async (gateway) => void removed.push(gateway),
    },
    hello: async () => ({
      version: '1',
      name: 'n',
      platform: 'linux',
      offer: { exec: 'judged', files: 'none', pty: true },
      instance: 'instance-1',
    }),
    dial: async (_, __, { gateway }) => {
      const at = gateways.get(gateway ?? '');
      if (at === undefined) throw new Error('no such gateway');
      at.dialed++;
      const [near, far] = memoryCarriers({ binding: undefined }); // as over NATS
      const decide = async (): Promise<Decision> => {
        at.greeted++;
        return at.refusal ?? { answer: 'welcome', epoch: randomUUID(), token: at.token(node) };
      };
      acceptNode(far, at.identity, decide, { version: '1', membership: at.membership })
        .then(({ decision }) => {
          if (decision.answer === 'welcome')
            at.links.push(openLink(far, { epoch: decision.epoch, side: 'acceptor', methods: NODE_METHODS }));
        })
        .catch(() => undefined);
      return near;
    },
    discover: (_, __, heard, signal) => {
      hear = heard;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
    onState: (state) => states.push(state),
    log: () => undefined,
    firstDelayMs: 5,
    longestDelayMs: 20,
  });
  onTestFinished(async () => {
    await connection.close();
    store.close();
  });
  const connected = (): readonly string[] => {
    const last = states.at(-1);
    return last?.state === 'connected' ? last.gateways : [];
  };
  await until(() => connected().length === 1 && hear !== undefined, 'the paired gateway');
  const add = async (gateway: FakeGateway): Promise<void> => {
    gateways.set(gateway.identity.id, gateway);
    hear?.(gateway.identity.id);
  };
  return { node, account, paired, store, connection, states, served, removed, add, connected };
}

it('serves a gateway of its fleet as the paired one, and stays paired', async () => {
  const { account, paired, store, served, add, connected } = await scene();
  const before = store.paired();
  const other = gatewayOf(account);
  await add(other);
  await until(() => connected().length === 2, 'the other gateway');
  expect(served).toEqual([
    `${paired.identity.id} at ${paired.identity.id}`,
    `${paired.identity.id} at ${other.identity.id}`,
  ]);
  expect(store.paired()).toEqual(before);
});

it('is connected as long as one gateway is, and says which', async () => {
  const { account, paired, states, add, connected } = await scene();
  const other = gatewayOf(account);
  await add(other);
  await until(() => connected().length === 2, 'the other gateway');
  const seen = states.length;
  paired.refusal = { answer: 'refused', code: 'NODE_HANDSHAKE', message: 'not now' };
  paired.links.at(-1)?.close('the gateway was restarted');
  const { greeted } = paired;
  await until(() => paired.greeted > greeted + 2, 'attempts to reach the paired gateway');
  expect(states.slice(seen)).toEqual([
    { state: 'connected', gateway: other.identity.id, gateways: [other.identity.id] },
  ]);
});

it('refuses a gateway of another account, and keeps the others', async () => {
  const { paired, add, connected, removed } = await scene();
  const stranger = gatewayOf(newAccount());
  await add(stranger);
  await until(() => stranger.dialed > 2, 'attempts');
  expect([connected(), stranger.greeted, stranger.links, removed]).toEqual([[paired.identity.id], 0, [], []]);
});

it('does not count the refusal of one gateway as a removal while another is connected', async () => {
  const { account, paired, add, connected, removed, connection } = await scene();
  const other = gatewayOf(account);
  other.refusal = REVOKED;
  await add(other);
  await until(() => other.greeted > 2, 'refusals');
  expect([connected(), removed]).toEqual([[paired.identity.id], []]);
  const failed = expect(connection.ended).rejects.toMatchObject({ code: 'NODE_REVOKED' });
  paired.refusal = { answer: 'refused', code: 'NODE_HANDSHAKE', message: 'not now' };
  paired.links.at(-1)?.close('the gateway was restarted');
  await failed;
  expect(removed).toEqual([paired.identity.id]);
});

it('stops when the last gateway closes its link because the node was removed, also where none can be reached again', async () => {
  const { account, paired, add, connected, removed, connection } = await scene();
  const other = gatewayOf(account);
  await add(other);
  await until(() => connected().length === 2, 'the other gateway');
  const unreachable: Decision = { answer: 'refused', code: 'NODE_HANDSHAKE', message: 'not now' };
  [other.refusal, paired.refusal] = [unreachable, unreachable];
  other.links.at(-1)?.close('revoked');
  await until(() => other.greeted > 2, 'attempts to reach the other gateway');
  expect([connected(), removed]).toEqual([[paired.identity.id], []]);
  const failed = expect(connection.ended).rejects.toMatchObject({ code: 'NODE_REVOKED' });
  paired.links.at(-1)?.close('revoked');
  await failed;
  expect(removed).toEqual([paired.identity.id]);
});

it('keeps no more than eight connections', async () => {
  const { account, add, connected } = await scene();
  const others = Array.from({ length: 9 }, () => gatewayOf(account));
  for (const other of others) await add(other);
  await until(() => connected().length === 8, 'eight gateways');
  await eventLoopTurns(200);
  for (const other of others) await add(other);
  await eventLoopTurns(200);
  expect(connected()).toHaveLength(8);
});

it('keeps no token of another account, and none of another key', async () => {
  const { node, account, store, add, connected } = await scene();
  const [first, second] = [gatewayOf(account), gatewayOf(account)];
  first.token = () => nodeToken(newAccount(), node, Date.now());
  second.token = () => nodeToken(account, newIdentity(), Date.now());
  const known = store.natsToken();
  await add(first);
  await add(second);
  await until(() => connected().length === 3, 'the gateways');
  expect(store.natsToken()).toBe(known);
});
