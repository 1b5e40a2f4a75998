/** Requests whose caller got no answer, and the gaps of logs. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { ended, type TestGateway, testGateway } from '../../support/gateway.ts';
import { type MemoryNode, memoryNodes } from '../../support/nodes.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };
const operator = { agent: '', operator: true } as const;
const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };

const DESCRIPTION = { path: '/usr/bin:/bin', workspace: '/', store: 's', platform: 'linux', version: 'test' };

async function connected(lostAfterMs?: number, nodeConfig?: ConfigFile) {
  const memory = memoryNodes();
  const nodeWaits = { reconnectMs: 20, retryMs: 5, ...(lostAfterMs === undefined ? {} : { lostAfterMs }) };
  const host = await testGateway(ON_NODE, { nodes: memory.nodes, nodeWaits });
  const node = await memory.add({}, nodeConfig);
  node.connect();
  return { host, node };
}

async function texts({ gateway }: TestGateway): Promise<readonly string[]> {
  const all = await gateway.call('notice.list', {});
  return all.map(({ text }) => text.replace(/key=[0-9a-f-]{36}/u, 'key=K').replace(/session=[a-z-]+/u, 'session=S'));
}

/** Cuts the link when the request arrives; the caller gets NODE_OUTCOME_UNKNOWN. */
async function unknownOutcome(host: TestGateway, node: MemoryNode, isStarted: boolean): Promise<void> {
  const cut = async (): Promise<void> => {
    node.cut();
    await eventLoopTurns(3);
  };
  if (isStarted) node.started = cut;
  else
    node.before = async ({ method }) => {
      if (method !== 'exec.start') return;
      await cut();
      throw new Error('the node died');
    };
  await expect(host.exec({ command: 'echo once' })).rejects.toMatchObject({ code: 'NODE_OUTCOME_UNKNOWN' });
  node.before = () => {};
  node.started = () => {};
}

describe('a request with an unknown outcome', () => {
  it.each([false, true])('that never ran is reported as such (after a restart: %s)', async (isRestarted) => {
    const { host, node } = await connected();
    await unknownOutcome(host, node, false);
    const next = isRestarted ? await host.again() : host;
    node.connect();
    await until(async () => (await texts(next)).length > 0, 'the notice');
    expect(await texts(next)).toEqual(['Exec never ran (node=mac-1, key=K): echo once']);
    expect(await next.gateway.call('session.list', { caller })).toEqual([]);
  });

  it.each([false, true])('that runs becomes a session (after a restart: %s)', async (isRestarted) => {
    const { host, node } = await connected();
    await unknownOutcome(host, node, true);
    const next = isRestarted ? await host.again() : host;
    node.connect();
    await until(async () => (await texts(next)).length > 1, 'the notices');
    expect(await texts(next)).toEqual([
      'Exec started (node=mac-1, key=K, session=S): echo once',
      expect.stringMatching(/^Exec completed \(.*code 0\) :: once$/u),
    ]);
    const events = (await next.gateway.call('audit.list', {})).map(({ event }) => event);
    expect(events).toEqual(['started', 'ended']);
  });
});

describe('a gateway that stops', () => {
  it('sends nothing any more after its caller was told so', async () => {
    const { host, node } = await connected();
    let describe: () => void = () => {};
    const described = new Promise<void>((resolve) => (describe = resolve));
    node.before = ({ method }) => (method === 'node.describe' ? described : undefined);
    // A session of this machine, which has to end, keeps the gateway busy meanwhile.
    await host.exec({ command: 'trap "" TERM; echo on; sleep 60', host: 'gateway', background: true });
    const failed = expect(host.exec({ command: 'echo once' })).rejects.toMatchObject({ code: 'NODE_NOT_DISPATCHED' });
    await until(() => node.calls.some(({ method }) => method === 'node.describe'), 'the question');
    const closed = host.gateway.close();
    describe();
    await Promise.all([failed, closed]);
    expect(node.calls.map(({ method }) => method)).not.toContain('exec.start');
  });
});

describe('a node that breaks each link', () => {
  it.each([
    ['exec.start', 'NODE_OUTCOME_UNKNOWN'],
    ['node.describe', 'NODE_NOT_DISPATCHED'],
  ])('at %s gets a few attempts, and the caller an answer', async (breaking, code) => {
    const { host, node } = await connected();
    node.cut();
    let attempts = 0;
    node.hostile = async ({ method }) => {
      if (method === 'exec.lookup') return { state: 'never' };
      if (method === breaking) {
        attempts++;
        node.cut();
        node.connect();
      }
      return method === 'node.describe' ? DESCRIPTION : new Promise(() => {});
    };
    node.connect();
    await expect(host.exec({ command: 'echo once' })).rejects.toMatchObject({ code });
    expect(attempts).toBe(5);
  });
});

describe('a node that stays away', () => {
  it('loses its sessions after the limit, which counts across a restart of the gateway', async () => {
    const { host, node } = await connected(300);
    const outcome = await host.exec({ command: 'sleep 1000', background: true });
    const { id } = 'session' in outcome ? outcome.session : { id: '' };
    node.cut();
    await until(
      async () => (await host.gateway.call('session.list', { caller }))[0]?.unreachableSince !== undefined,
      'the broken link',
    );
    const [{ unreachableSince } = {}] = await host.gateway.call('session.list', { caller });
    const next = await host.again();
    const [session] = await next.gateway.call('session.list', { caller });
    if (session?.status === 'running') expect(session).toMatchObject({ id, unreachableSince });
    expect(await ended(next, id)).toMatchObject({ failure: 'lost', failureNote: 'node mac-1 did not reconnect' });
  });
});

describe('a gap in the log of a node', () => {
  it('is a gap at the same place here', async () => {
    const { host, node } = await connected(undefined, {
      tools: { exec: { security: 'full', ask: 'off', maxLogBytes: 200_000 } },
    });
    const command = 'read -r begin; seq 1 1000000; read -r go';
    const outcome = await host.exec({ command, background: true }, { stdin: 'open' });
    const { id } = 'session' in outcome ? outcome.session : { id: '' };
    node.cut(); // the gateway reads when the node has dropped the middle
    const own = async () => (await node.local.gateway.call('session.list', { caller: operator }))[0]!;
    const begin = { kind: 'write', data: 'begin\n' } as const;
    await node.local.gateway.call('session.input', { caller: operator, sessionId: (await own()).id, input: begin });
    await until(async () => (await own()).bytes === 6_888_896, 'all output on the node');
    node.connect();
    await until(async () => (await hosts()).unreachableSince === undefined, 'the node');
    await host.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'go\n' } });
    expect(await ended(host, id)).toMatchObject({ exitCode: 0, truncated: true, bytes: 6_888_896 });
    expect(await shape(host, id)).toEqual(await shape(node.local, (await own()).id));

    async function hosts() {
      return (await host.gateway.call('session.list', { caller }))[0]!;
    }
  });
});

/** The gaps of a log, and a hash of the rest. */
async function shape({ gateway }: TestGateway, sessionId: string) {
  const hash = createHash('sha256');
  const gaps: string[] = [];
  await gateway.follow({ caller: operator, sessionId }, (event) => {
    if (event.type === 'output') hash.update(event.bytes);
    if (event.type === 'gap') gaps.push(`${event.bytes} bytes at ${event.start}`);
  });
  return { gaps, hash: hash.digest('hex') };
}
