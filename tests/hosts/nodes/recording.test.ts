import { describe, expect, it } from 'vitest';
import { marksOf, outputOf, parseCast, readAll } from '../../support/cast.ts';
import { ended, testGateway, type TestGateway } from '../../support/gateway.ts';
import { memoryNodes } from '../../support/nodes.ts';
import { until } from '../../support/patience.ts';

const caller = { agent: 'main' };
const ON_NODE = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } } as const;
const LINES = 'printf one; read -r line; printf two; read -r line; exit 4';

async function nodeSession() {
  const memory = memoryNodes();
  const host = await testGateway(ON_NODE, { nodes: memory.nodes });
  const node = await memory.add();
  node.connect();
  const outcome = await host.exec({ command: LINES, pty: true, background: true });
  if (!('session' in outcome)) throw new Error(JSON.stringify(outcome));
  const sessionId = outcome.session.id;
  return { host, node, sessionId };
}

const info = ({ gateway }: TestGateway, sessionId: string) =>
  gateway.call('session.wait', { caller, sessionId, waitMs: 0 });
const shows = (host: TestGateway, sessionId: string, text: string) =>
  until(async () => (await info(host, sessionId)).tail.includes(text), `the output ${text}`);
const type = ({ gateway }: TestGateway, sessionId: string) =>
  gateway.call('session.input', { caller, sessionId, input: { kind: 'submit' } });
const recordingOf = async ({ gateway }: TestGateway, sessionId: string) => {
  const { text } = await readAll((from) => gateway.call('session.recording', { caller, sessionId, from }));
  return parseCast(text);
};

describe('the recording of a session on a node', () => {
  it('is made by the gateway, and marks when the node was not connected', async () => {
    const { host, node, sessionId } = await nodeSession();
    await shows(host, sessionId, 'one');
    node.cut();
    await until(async () => (await info(host, sessionId)).unreachableSince !== undefined, 'the absence');
    const there = { agent: '', operator: true } as const;
    const [local] = await node.local.gateway.call('session.list', { caller: there });
    const input = { kind: 'submit' } as const;
    await node.local.gateway.call('session.input', { caller: there, sessionId: local!.id, input });
    node.connect();
    await shows(host, sessionId, 'two');
    await type(host, sessionId);
    await ended(host, sessionId);
    const cast = await recordingOf(host, sessionId);
    expect(outputOf(cast)).toMatch(/^one[^]*two/u);
    expect(marksOf(cast)).toEqual(['node disconnected', 'node connected', 'input agent']);
    const codes = cast.events.map(({ code, data }) => (code === 'o' ? data.trim() : data));
    expect(codes.findIndex((data) => data.includes('two'))).toBeGreaterThan(codes.indexOf('node connected'));
    expect(cast.events.at(-1)).toMatchObject({ code: 'x', data: '4' });
  });

  it('continues after a restart of the gateway, with a mark', async () => {
    const { host, sessionId } = await nodeSession();
    await shows(host, sessionId, 'one');
    const next = await host.again();
    await until(async () => (await info(next, sessionId)).pid !== undefined, 'the session of the node');
    await type(next, sessionId);
    await shows(next, sessionId, 'two');
    await type(next, sessionId);
    await ended(next, sessionId);
    const cast = await recordingOf(next, sessionId);
    expect(outputOf(cast)).toMatch(/^one[^]*two/u);
    expect(outputOf(cast).match(/one/gu)).toHaveLength(1);
    expect(marksOf(cast)[0]).toBe('gateway restarted');
    expect(cast.events.at(-1)).toMatchObject({ code: 'x', data: '4' });
  });

  it('has no mark for input that the node did not get, and neither has the session', async () => {
    const { host, node, sessionId } = await nodeSession();
    await shows(host, sessionId, 'one');
    node.cut();
    await until(async () => (await info(host, sessionId)).unreachableSince !== undefined, 'the absence');
    await expect(type(host, sessionId)).rejects.toMatchObject({ code: 'NODE_OFFLINE' });
    expect((await info(host, sessionId)).lastInput).toBeUndefined();
    expect(marksOf(await recordingOf(host, sessionId))).toEqual(['node disconnected']);
    node.connect();
  });

  it('and its processes come from the node', async () => {
    const { host, sessionId } = await nodeSession();
    await shows(host, sessionId, 'one');
    const { processes } = await host.gateway.call('session.processes', { caller, sessionId });
    expect(processes.some(({ command }) => command.includes('printf one'))).toBe(true);
  });
});
