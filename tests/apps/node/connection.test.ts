import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectionOptions, type ConnectionState, connectNode } from '../../../src/apps/node/connection.ts';
import { type NodeStore, openNodeStore } from '../../../src/apps/node/node-store.ts';
import { Fault } from '../../../src/base/fault.ts';
import type { Carrier } from '../../../src/hosts/channel/carriers/carrier.ts';
import { type Link, openLink } from '../../../src/hosts/channel/link.ts';
import {
  acceptNode,
  type AcceptedNode,
  type Decision,
  type ProvenNode,
} from '../../../src/hosts/identity/handshake.ts';
import { newInvitation } from '../../../src/hosts/identity/invitation.ts';
import { type Identity, newIdentity } from '../../../src/hosts/identity/keys.ts';
import { NODE_METHODS } from '../../../src/wire/nodes/methods.ts';
import { makeFolder } from '../../support/folder.ts';
import { memoryCarriers, type MemoryOptions } from '../../support/memory-carrier.ts';
import { until } from '../../support/patience.ts';

interface Setting {
  readonly states: ConnectionState[];
  readonly links: Link[];
  readonly accepted: AcceptedNode[];
  readonly ended: string[];
  readonly store: NodeStore;
  readonly connection: ReturnType<typeof connectNode>;
  readonly node: Identity;
}

interface SettingOptions extends Partial<ConnectionOptions> {
  /** The node has not paired with the gateway before. */
  readonly isNew?: true;
  readonly gateway?: Identity;
  readonly decide?: (peer: ProvenNode) => Decision;
  readonly memory?: MemoryOptions | undefined;
}

const welcome = (): Decision => ({ answer: 'welcome', epoch: randomUUID() });

/** A node that dials a gateway in this process. */
async function connecting(options: SettingOptions = {}): Promise<Setting> {
  const { gateway = newIdentity(), decide = welcome, memory, isNew, ...more } = options;
  const states: ConnectionState[] = [];
  const links: Link[] = [];
  const accepted: AcceptedNode[] = [];
  const ended: string[] = [];
  const store = more.store ?? (await openNodeStore(makeFolder()));
  if (isNew === undefined && more.invitation === undefined && store.paired() === undefined)
    store.pair({ id: gateway.id, url: 'wss://gateway', isBound: false });
  const node = newIdentity();
  const dial = async (): Promise<Carrier> => {
    const [near, far] = memoryCarriers(memory);
    acceptNode(far, gateway, async (peer) => decide(peer), { version: '1' })
      .then((peer) => {
        accepted.push(peer);
        if (peer.decision.answer === 'welcome')
          links.push(openLink(far, { epoch: peer.decision.epoch, side: 'acceptor', methods: NODE_METHODS }));
      })
      .catch(() => undefined);
    return near;
  };
  const connection = connectNode({
    url: 'wss://gateway',
    keys: { current: () => node, next: () => undefined, commit: () => undefined },
    store,
    calls: {
      serve: (id) => async (call) => ({
        path: `${id} ${call.method}`,
        workspace: '/',
        store: 's',
        platform: 'linux',
        version: '1',
      }),
      removed: async (id) => void ended.push(id),
    },
    hello: async () => ({
      version: '1',
      name: 'n',
      platform: 'linux',
      offer: { exec: 'judged', files: 'none', pty: true },
      instance: randomUUID(),
    }),
    dial,
    onState: (state) => states.push(state),
    firstDelayMs: 1,
    ...more,
  });
  onTestFinished(async () => {
    await connection.close();
    if (more.store === undefined) store.close();
  });
  return { states, links, accepted, ended, store, connection, node };
}

const isConnected = ({ states }: Setting) => states.at(-1)?.state === 'connected';

describe('a node', () => {
  it('serves the gateway that it has paired with under its proved id', async () => {
    const gateway = newIdentity();
    const one = await connecting({ gateway });
    await until(() => one.links.length > 0 && isConnected(one), 'the link');
    expect(await one.links[0]!.channel.call('node.describe', {})).toMatchObject({
      path: `${gateway.id} node.describe`,
    });
    expect(one.store.paired()).toMatchObject({ id: gateway.id, url: 'wss://gateway', isBound: true });
    expect(one.accepted[0]?.peer).toMatchObject({ id: one.node.id, name: 'n' });
    expect(one.states.map(({ state }) => state)).toEqual(['connecting', 'connected']);
  });

  it('shows the eight digits that the gateway shows until a person approves it', async () => {
    const one = await connecting({ isNew: true, decide: () => ({ answer: 'pending' }) });
    await until(() => one.states.at(-1)?.state === 'pending' && one.accepted.length > 0, 'the request');
    expect(one.states.at(-1)).toMatchObject({ code: one.accepted[0]?.peer.code });
    expect(one.store.paired()).toBeUndefined();
    one.accepted[0]!.settle({ answer: 'welcome', epoch: randomUUID() });
    await until(() => isConnected(one), 'the link');
    expect(one.store.paired()).toBeDefined();
  });

  it('does not confirm a gateway that welcomes it at once after the digits', async () => {
    const one = await connecting({ isNew: true, decide: () => ({ answer: 'pending' }) });
    await until(() => one.accepted.length > 0, 'the request');
    one.accepted[0]!.settle({ answer: 'welcome', epoch: randomUUID() }); // before any person compared them
    await until(() => isConnected(one), 'the link');
    const code = one.accepted[0]!.peer.code;
    expect(one.store.paired()).toMatchObject({ unconfirmed: code });
    expect([one.store.confirm(code === '00000000' ? '00000001' : '00000000'), one.store.confirm('')]).toEqual([
      false,
      false,
    ]);
    expect(one.store.paired()).toMatchObject({ unconfirmed: code });
    expect(one.store.confirm(code)).toBe(true);
    expect(one.store.paired()).not.toHaveProperty('unconfirmed');
  });

  it('refuses a gateway that welcomes it at once without an invitation', async () => {
    const one = await connecting({ isNew: true });
    await expect(one.connection.ended).rejects.toMatchObject({ code: 'NODE_GATEWAY_UNKNOWN' });
    expect(one.store.paired()).toBeUndefined();
    expect(one.states.map(({ state }) => state)).toEqual(['connecting', 'refused']);
  });

  it('does not trust a gateway that another process forgets before its welcome', async () => {
    const gateway = newIdentity();
    const store = await openNodeStore(makeFolder());
    onTestFinished(() => store.close());
    store.pair({ id: gateway.id, url: 'wss://gateway', isBound: false }, { by: 'digits', code: '12345678' });
    const forgotten = (): Decision => {
      store.forget();
      return welcome();
    };
    const one = await connecting({ gateway, store, isNew: true, decide: forgotten });
    await expect(one.connection.ended).rejects.toMatchObject({ code: 'NODE_GATEWAY_UNKNOWN' });
    expect(store.paired()).toBeUndefined();
  });

  it('accepts the welcome of a gateway whose digits it showed before it was restarted', async () => {
    const gateway = newIdentity();
    const store = await openNodeStore(makeFolder());
    onTestFinished(() => store.close());
    const one = await connecting({ gateway, store, isNew: true, decide: () => ({ answer: 'pending' }) });
    await until(() => one.states.at(-1)?.state === 'pending', 'the request');
    const again = await connecting({ gateway, store, isNew: true });
    await until(() => isConnected(again), 'the link');
    expect(store.paired()).toMatchObject({ id: gateway.id, unconfirmed: expect.stringMatching(/^\d{8}$/u) });
    expect(store.requestedCode(gateway.id)).toBeUndefined();
  });

  it('forgets the digits that it showed when it is stopped', async () => {
    const gateway = newIdentity();
    const one = await connecting({ gateway, isNew: true, decide: () => ({ answer: 'pending' }) });
    await until(() => one.states.at(-1)?.state === 'pending', 'the request');
    expect(one.store.requestedCode(gateway.id)).toMatch(/^\d{8}$/u);
    await one.connection.close();
    expect(one.store.requestedCode(gateway.id)).toBeUndefined();
  });

  it('proves its invitation once, and then its key', async () => {
    const gateway = newIdentity();
    const invitation = newInvitation('wss://gateway', gateway.id);
    const proofs: boolean[] = [];
    const one = await connecting({
      gateway,
      invitation,
      decide: (peer) => {
        proofs.push(peer.proves(Buffer.from(invitation.secret, 'base64url')));
        return welcome();
      },
    });
    await until(() => one.links.length === 1 && isConnected(one), 'the link');
    one.links[0]!.close('a restart');
    await until(() => one.links.length === 2 && isConnected(one), 'the second link');
    expect(proofs).toEqual([true, false]);
  });

  it.each([
    ['uses its own credentials where that gateway has paired it before', true],
    ['stops where it is not paired with that gateway', false],
  ])('whose invitation NATS refuses %s', async (_, isPaired) => {
    const gateway = newIdentity();
    const store = await openNodeStore(makeFolder());
    onTestFinished(() => store.close());
    if (isPaired) {
      store.pair({ id: gateway.id, url: 'nats://127.0.0.1:4222', isBound: false }, { by: 'invitation' });
      store.setNatsToken('a.b.c');
    }
    const invitations: boolean[] = [];
    const dial: ConnectionOptions['dial'] = async (_url, _signal, { invitation }) => {
      invitations.push(invitation !== undefined);
      const code = invitation === undefined ? 'NODE_UNREACHABLE' : 'NODE_CREDENTIALS';
      throw new Fault(code, 'refused');
    };
    const invitation = { ...newInvitation('nats://127.0.0.1:4222', gateway.id), token: 'a.b.c' };
    const one = await connecting({ gateway, store, invitation, dial });
    if (isPaired) await until(() => invitations.length > 1, 'the second attempt');
    else await expect(one.connection.ended).rejects.toMatchObject({ code: 'NODE_CREDENTIALS' });
    expect(invitations.slice(0, 2)).toEqual(isPaired ? [true, false] : [true]);
  });

  it('connects again after each end of its link', async () => {
    const one = await connecting();
    for (let count = 1; count <= 5; count++) {
      await until(() => one.links.length === count && isConnected(one), `link ${count}`);
      one.links.at(-1)?.close('cut');
    }
    expect(one.states.find(({ state }) => state === 'disconnected')).toMatchObject({
      reason: expect.stringContaining('cut'),
    });
  });

  it('waits twice as long after each failure, with jitter', async () => {
    const random = () => 0.5;
    const down = () => Promise.reject(new Fault('NODE_UNREACHABLE', 'no route'));
    const one = await connecting({ dial: down, random, firstDelayMs: 2 });
    await until(() => one.states.filter(({ state }) => state === 'disconnected').length > 5, 'some attempts');
    const delays = one.states.flatMap((state) => (state.state === 'disconnected' ? [state.retryInMs] : []));
    expect(delays.slice(0, 5)).toEqual([2, 3, 6, 12, 24]);
  });
});

describe('a paired node', () => {
  async function pairedStore(gateway: Identity, isBound = true): Promise<NodeStore> {
    const store = await openNodeStore(makeFolder());
    onTestFinished(() => store.close());
    store.pair({ id: gateway.id, url: 'wss://gateway', isBound });
    return store;
  }

  it('does not connect to another gateway', async () => {
    const store = await pairedStore(newIdentity());
    const one = await connecting({ store });
    await until(() => one.states.some(({ state }) => state === 'disconnected'), 'the refusal');
    expect(one.states.find(({ state }) => state === 'disconnected')).toMatchObject({ code: 'NODE_IDENTITY' });
    expect(one.links).toEqual([]);
  });

  it('does not connect without the TLS binding that it was paired with', async () => {
    const gateway = newIdentity();
    const one = await connecting({ store: await pairedStore(gateway), gateway, memory: { binding: undefined } });
    await until(() => one.states.some(({ state }) => state === 'disconnected'), 'the refusal');
    expect(one.states.find(({ state }) => state === 'disconnected')).toMatchObject({ code: 'NODE_IDENTITY' });
    const plain = await connecting({
      store: await pairedStore(gateway, false),
      gateway,
      memory: { binding: undefined },
    });
    await until(() => isConnected(plain), 'the link on loopback');
  });

  it('ends the sessions of a gateway that removed it, and stops', async () => {
    const gateway = newIdentity();
    const store = await pairedStore(gateway);
    const one = await connecting({
      gateway,
      store,
      decide: () => ({ answer: 'refused', code: 'NODE_REVOKED', message: 'removed' }),
    });
    await expect(one.connection.ended).rejects.toMatchObject({ code: 'NODE_REVOKED' });
    expect(one.ended).toEqual([gateway.id]);
  });

  it('ends what the gateway before has started and asks, when it is paired with another one', async () => {
    const [former, gateway] = [newIdentity(), newIdentity()];
    const store = await pairedStore(former);
    const one = await connecting({ gateway, store, invitation: newInvitation('wss://gateway', gateway.id) });
    await until(() => one.links.length === 1 && isConnected(one), 'the link');
    expect([store.paired()?.id, one.ended]).toEqual([gateway.id, [former.id]]);
    one.links[0]!.close('a restart');
    await until(() => one.links.length === 2 && isConnected(one), 'the second link');
    expect(one.ended).toEqual([former.id]);
  });

  it.each(['NODE_REJECTED', 'NODE_INVITATION'] as const)('stops after %s', async (code) => {
    const one = await connecting({ decide: () => ({ answer: 'refused', code, message: 'no' }) });
    await expect(one.connection.ended).rejects.toMatchObject({ code });
  });

  it.each(['NODE_PROTOCOL', 'NODE_CLONED', 'NODE_PAIRING_FULL'] as const)('tries again after %s', async (code) => {
    let refusals = 0;
    const decide = (): Decision => (refusals++ < 2 ? { answer: 'refused', code, message: 'later' } : welcome());
    const one = await connecting({ decide });
    await until(() => isConnected(one), 'the link');
    expect(refusals).toBe(3);
  });
});

describe('closing', () => {
  it.each(['while it waits to dial again', 'while it is pending', 'while it is connected'])(
    'ends it %s',
    async (when) => {
      const one = await connecting({
        ...(when.includes('dial') ? { dial: () => Promise.reject(new Error('down')), firstDelayMs: 60_000 } : {}),
        ...(when.includes('pending') ? { isNew: true, decide: () => ({ answer: 'pending' }) as const } : {}),
      });
      const state = when.includes('dial') ? 'disconnected' : when.includes('pending') ? 'pending' : 'connected';
      await until(() => one.states.at(-1)?.state === state, state);
      await one.connection.close();
      await one.connection.ended;
      expect(one.states.at(-1)?.state).toBe(state);
    },
  );
});
