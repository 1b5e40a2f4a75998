/** A gateway that stops or dies, and the next one on the same state folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import { ended, notices, pending, type TestGateway, testGateway } from '../../support/gateway.ts';
import { type MemoryNode, type MemoryNodes, memoryNodes } from '../../support/nodes.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };
const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };
const QUICK = { nodeWaits: { reconnectMs: 20, retryMs: 5 } };

async function connected(
  nodeConfig?: ConfigFile,
): Promise<{ host: TestGateway; node: MemoryNode; memory: MemoryNodes }> {
  const memory = memoryNodes();
  const host = await testGateway(ON_NODE, { nodes: memory.nodes, ...QUICK });
  const node = await memory.add({}, nodeConfig);
  node.connect();
  return { host, node, memory };
}

async function sessionsOf({ gateway }: TestGateway) {
  return gateway.call('session.list', { caller });
}

async function events({ gateway }: TestGateway): Promise<readonly string[]> {
  return (await gateway.call('audit.list', {})).map(({ event }) => event);
}

/** Lines of a command that waits for input after each. */
const LINES = 'i=0; while [ $i -lt 6 ]; do i=$((i+1)); echo line $i; read -r go; done; exit 7';

/** Starts a command that has printed a line, and waits. */
async function withFirstLine(host: TestGateway): Promise<string> {
  const outcome = await host.exec({ command: LINES, background: true }, { stdin: 'open' });
  await until(async () => (await sessionsOf(host))[0]?.tail.includes('line 1') === true, 'the first line');
  return 'session' in outcome ? outcome.session.id : '';
}

/** Changes the database as a crash or a damage would. */
async function change({ stateDir }: TestGateway, sql: string): Promise<void> {
  const store = await openApprovalStore({ file: join(stateDir, 'gateway.db') });
  store.database.transaction(() => store.database.exec(sql));
  store.close();
}

describe('after a restart of the gateway', () => {
  it('a session on a node runs, is unreachable until the node is back, and ends once', async () => {
    const { host, node } = await connected();
    const outcome = await host.exec({ command: LINES, background: true }, { stdin: 'open' });
    const { id } = 'session' in outcome ? outcome.session : { id: '' };
    await until(async () => (await sessionsOf(host))[0]?.tail.includes('line 1') === true, 'the first line');
    node.cut();
    const next = await host.again();
    const [unreachable] = await sessionsOf(next);
    expect(unreachable).toMatchObject({
      id,
      status: 'running',
      unreachableSince: expect.any(Number),
      tail: 'line 1\n',
    });
    node.connect();
    await until(async () => (await sessionsOf(next))[0]?.unreachableSince === undefined, 'the node');
    for (let i = 0; i < 6; i++) {
      await until(async () => (await sessionsOf(next))[0]?.tail.includes(`line ${i + 1}\n`) === true, `line ${i + 1}`);
      await next.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'go\n' } });
    }
    expect(await ended(next, id)).toMatchObject({ id, status: 'completed', exitCode: 7 });
    const { text } = await next.gateway.call('session.log', { caller, sessionId: id });
    expect(text).toBe(Array.from({ length: 6 }, (_, i) => `line ${i + 1}\n`).join(''));
    expect(await notices(next)).toEqual(['exec-exit wakes']);
    expect(await events(next)).toEqual(['started', 'ended']);
    expect((await next.gateway.call('notice.list', {})).length).toBe(1);
  });

  it('a kill that was wanted during an outage ends the command first', async () => {
    const { host, node } = await connected();
    const outcome = await host.exec({ command: 'sleep 1000', background: true });
    const { id } = 'session' in outcome ? outcome.session : { id: '' };
    node.cut();
    await eventLoopTurns(3);
    await expect(host.gateway.call('session.kill', { caller, sessionId: id })).rejects.toMatchObject({
      code: 'NODE_OFFLINE',
    });
    const next = await host.again();
    node.calls.length = 0;
    node.connect();
    expect(await ended(next, id)).toMatchObject({ failure: 'killed' });
    const calls = node.calls.map(({ method }) => method).filter((method) => /^(?:exec|session)\./u.test(method));
    expect(calls).toEqual(['exec.lookup', 'session.kill', 'session.follow']);
  });

  it('a session whose start was not recorded continues with its log, and is not lost', async () => {
    const { host, node } = await connected();
    const id = await withFirstLine(host);
    node.cut();
    const next = await host.again(() => change(host, `UPDATE node_requests SET state = 'sent'`));
    expect(await sessionsOf(next)).toEqual([]);
    node.connect();
    await until(async () => (await sessionsOf(next)).length > 0, 'the session');
    expect(await sessionsOf(next)).toMatchObject([{ id, status: 'running', tail: 'line 1\n' }]);
    await next.gateway.call('session.kill', { caller, sessionId: id });
  });

  it('a request that the node does not know leaves no session and no folder', async () => {
    const { host, node } = await connected();
    const id = await withFirstLine(host);
    node.cut();
    const next = await host.again(() =>
      change(host, `UPDATE node_requests SET state = 'sent', key = '11111111-1111-4111-8111-111111111111'`),
    );
    node.connect();
    await until(async () => (await next.gateway.call('notice.list', {})).length > 0, 'the report');
    await until(() => !existsSync(join(host.stateDir, 'sessions', id)), 'the removal of the folder');
    expect(await sessionsOf(next)).toEqual([]);
  });

  it('a request that cannot be read is reported, and the gateway starts', async () => {
    const { host, node } = await connected();
    const id = await withFirstLine(host);
    node.cut();
    const copy = 'key || 1, node, store, session || 1, state';
    const next = await host.again(() =>
      change(
        host,
        `INSERT INTO node_requests (key, node, store, session, state, request)
      SELECT ${copy}, '{' FROM node_requests`,
      ),
    );
    expect(await sessionsOf(next)).toMatchObject([{ id, status: 'running' }]);
    node.connect();
    await until(async () => (await sessionsOf(next))[0]?.unreachableSince === undefined, 'the node');
    await next.gateway.call('session.kill', { caller, sessionId: id });
  });

  it('a node that was away for long has time to connect before its sessions are lost', async () => {
    let later = 0;
    const memory = memoryNodes();
    const host = await testGateway(ON_NODE, { nodes: memory.nodes, ...QUICK, now: () => Date.now() + later });
    const node = await memory.add({});
    node.connect();
    const id = await withFirstLine(host);
    node.cut();
    await until(async () => (await sessionsOf(host))[0]?.unreachableSince !== undefined, 'the broken link');
    later = 25 * 3600_000;
    const next = await host.again();
    await eventLoopTurns(20);
    expect(await sessionsOf(next)).toMatchObject([{ id, status: 'running' }]);
    node.connect();
    await until(async () => (await sessionsOf(next))[0]?.unreachableSince === undefined, 'the node');
    await next.gateway.call('session.kill', { caller, sessionId: id });
  });

  it('a question that is answered on the node becomes a session', async () => {
    const { host, node } = await connected({ tools: { exec: { security: 'allowlist' } } });
    const { id } = pending(await host.exec({ command: 'python3 -c "print(6*7)"' }));
    const next = await host.again();
    await node.local.gateway.call('approval.resolve', { id, decision: 'allow-once', by: 'person' });
    node.connect();
    await until(async () => (await notices(next)).length > 1, 'the notice of the end');
    expect(await sessionsOf(next)).toMatchObject([{ tail: '42\n', exitCode: 0, node: { name: 'mac-1' } }]);
    expect(await notices(next)).toEqual(['approval-requested', 'exec-finished wakes']);
  });
});
