import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import type { GatewayOptions } from '../../../src/hosts/gateway/gateway.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { ended, output, type TestGateway, testGateway } from '../../support/gateway.ts';
import { type MemoryNode, memoryNodes } from '../../support/nodes.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };
const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };

interface Setting {
  readonly config?: ConfigFile;
  readonly nodeConfig?: ConfigFile;
  readonly info?: Partial<NodeInfo>;
  readonly more?: Partial<GatewayOptions>;
}

/** A gateway with one connected node. */
async function connected({ config = ON_NODE, nodeConfig, info, more }: Setting = {}) {
  const memory = memoryNodes();
  const host = await testGateway(config, { nodes: memory.nodes, ...more });
  const node = await memory.add(info, nodeConfig);
  node.connect();
  return { host, node };
}

function sent({ calls }: MemoryNode, method: string): readonly unknown[] {
  return calls.filter((call) => call.method === method).map(({ params }) => params);
}

async function textOfLog({ gateway }: TestGateway, sessionId: string): Promise<string> {
  return (await gateway.call('session.log', { caller, sessionId })).text;
}

/** Cuts the link the first time that a method is called, before it is served. */
function cutBefore(node: MemoryNode, method: string): void {
  node.before = (call) => {
    if (call.method !== method) return;
    node.before = () => {};
    node.cut();
    return eventLoopTurns(3);
  };
}

describe('a request for a node', () => {
  it('runs there, and the session names the node', async () => {
    const { host, node } = await connected();
    const outcome = await host.exec({ command: 'echo here; pwd' });
    expect(outcome).toMatchObject({
      status: 'completed',
      session: {
        host: 'node',
        node: { id: node.info.id, name: 'mac-1', from: 'only' },
        cwd: node.local.folder,
        exitCode: 0,
      },
    });
    expect(output(outcome)).toBe(`here\n${node.local.folder}\n`);
  });

  it('sends what the call sets, and nothing of the gateway and its caller', async () => {
    const { host, node } = await connected();
    await host.exec(
      { command: 'true', env: { TZ: 'UTC' }, timeout: 7, yieldMs: 50 },
      { environment: { HOME: '/home/x', SECRET: 's', PATH: '/bin' } },
    );
    expect(sent(node, 'exec.start')).toEqual([
      {
        key: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        request: { command: 'true', env: { TZ: 'UTC' }, timeout: 7, security: 'full', ask: 'off' },
        caller,
        streams: 'merged',
        stdin: 'closed',
      },
    ]);
  });

  it('asks for allowlist and on-miss where nothing is set', async () => {
    const { host, node } = await connected({ config: { tools: { exec: { host: 'node' } } } });
    await host.exec({ command: 'true' });
    expect(sent(node, 'exec.start')).toMatchObject([{ request: { security: 'allowlist', ask: 'on-miss' } }]);
  });

  it.each(['PATH', 'path', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'PINCER_X'])(
    'with the variable %s is refused before anything is sent',
    async (name) => {
      const { host, node } = await connected();
      await expect(host.exec({ command: 'true', env: { [name]: '/x' } })).rejects.toMatchObject({
        code: 'EXEC_ENV_REFUSED',
      });
      expect(node.calls).toEqual([]);
    },
  );

  it("carries the operator's folders in front of the PATH of the node", async () => {
    const config = { tools: { exec: { ...ON_NODE.tools?.exec, pathPrepend: ['/opt/a', '/opt/b'] } } };
    const { host, node } = await connected({ config });
    await host.exec({ command: 'true' });
    expect(sent(node, 'exec.start')).toMatchObject([{ path: '/opt/a:/opt/b:/usr/bin:/bin' }]);
  });

  it('carries no PATH to macOS, and warns', async () => {
    const config = { tools: { exec: { ...ON_NODE.tools?.exec, pathPrepend: ['/opt/a'] } } };
    const { host, node } = await connected({ config, info: { platform: 'darwin' } });
    expect(await host.exec({ command: 'true' })).toMatchObject({
      warnings: ['tools.exec.pathPrepend has no effect on node mac-1: a macOS node keeps its PATH'],
    });
    expect(sent(node, 'exec.start')[0]).not.toHaveProperty('path');
  });

  it('is denied by the gateway where security is deny, and nothing is sent', async () => {
    const { host, node } = await connected();
    expect(await host.exec({ command: 'true', security: 'deny' })).toMatchObject({
      status: 'denied',
      reason: 'security=deny',
    });
    expect(node.calls).toEqual([]);
    expect(await host.gateway.call('audit.list', {})).toMatchObject([{ event: 'denied', details: { host: 'node' } }]);
  });

  it('warns that elevated has no effect', async () => {
    const { host } = await connected();
    expect(await host.exec({ command: 'true', elevated: true })).toMatchObject({
      warnings: ['elevated has no effect on a node'],
    });
  });

  it('has no started row in the audit log where the node denies it', async () => {
    const nodeConfig: ConfigFile = { tools: { exec: { security: 'allowlist', ask: 'off' } } };
    const { host } = await connected({ nodeConfig });
    expect(await host.exec({ command: 'python3 -c 1' })).toMatchObject({
      status: 'denied',
      reason: 'allowlist-miss',
      message: expect.stringMatching(/^node mac-1: /u),
      hint: expect.stringMatching(/^on node mac-1: /u),
    });
    const rows = await host.gateway.call('audit.list', {});
    expect(rows.map(({ event }) => event)).toEqual(['denied']);
    expect(await host.gateway.call('session.list', { caller })).toEqual([]);
  });

  it('passes on a fault of the node, with its name', async () => {
    const { host } = await connected();
    await expect(host.exec({ command: 'true', workdir: '/missing' })).rejects.toMatchObject({
      code: 'EXEC_WORKDIR_MISSING',
      message: 'node mac-1: folder not found: /missing',
    });
  });

  it('is not sent where it is too long for a node, and the fault says what to do', async () => {
    const { host, node } = await connected();
    await expect(host.exec({ command: 'true', workdir: `/${'x'.repeat(600_000)}` })).rejects.toMatchObject({
      code: 'PARAM_INVALID',
      message:
        'node mac-1: a node does not accept this call: exec.request must be a value of at most 524288 characters and 4000 values',
      hint: 'put long values into a file that the command reads',
    });
    expect(node.calls.map(({ method }) => method)).not.toContain('exec.start');
  });
});

describe('the explanation of a request for a node', () => {
  const explain = ({ gateway, folder }: TestGateway, request: object) =>
    gateway.call('policy.explain', {
      request: { command: 'true', ...request },
      context: { caller, folder, environment: {} },
    });

  it('sends the question that a start would send, and names the node that decided', async () => {
    const config = { tools: { exec: { ...ON_NODE.tools?.exec, pathPrepend: ['/opt/a'] } } };
    const { host, node } = await connected({ config, nodeConfig: { tools: { exec: { ask: 'off' } } } });
    expect(await explain(host, { command: 'python3 -c 1', env: { TZ: 'UTC' } })).toMatchObject({
      judgement: { verdict: 'deny', reason: expect.stringMatching(/^node mac-1: /u) },
      effective: { host: 'node', node: 'mac-1', security: 'allowlist' },
      node: { id: node.info.id, name: 'mac-1', from: 'only' },
    });
    expect(sent(node, 'policy.explain')).toEqual([
      {
        request: { command: 'python3 -c 1', env: { TZ: 'UTC' }, timeout: 1800, security: 'full', ask: 'off' },
        caller,
        path: '/opt/a:/usr/bin:/bin',
      },
    ]);
  });

  it.each([{ env: { LD_PRELOAD: '/x' } }, { node: 'other' }])(
    'sends nothing that the gateway refuses: %j',
    async (asked) => {
      const { host, node } = await connected();
      await expect(explain(host, asked)).rejects.toBeInstanceOf(Fault);
      expect((await explain(host, { security: 'deny' })).judgement.verdict).toBe('deny');
      expect(node.calls).toEqual([]);
    },
  );

  it('fails where the link breaks, and asks again where the PATH of the node has changed', async () => {
    const { host, node } = await connected();
    let refusals = 1;
    node.before = ({ method }) => {
      if (method === 'policy.explain' && refusals-- > 0) throw new Fault('NODE_PATH_REFUSED', 'changed');
    };
    expect((await explain(host, {})).judgement.verdict).toBe('allow');
    cutBefore(node, 'policy.explain');
    await expect(explain(host, {})).rejects.toMatchObject({ code: 'NODE_NOT_DISPATCHED' });
  });
});

describe('the choice of a node', () => {
  it('fails at once where the node is not connected, and nothing is sent', async () => {
    const { host, node } = await connected();
    node.cut();
    await eventLoopTurns(3);
    await expect(host.exec({ command: 'true' })).rejects.toMatchObject({ code: 'NODE_OFFLINE' });
    expect(node.calls).toEqual([]);
    expect(await host.gateway.call('audit.list', {})).toEqual([]);
  });

  it('is made by the call, then the conversation, then the agent', async () => {
    const config: ConfigFile = {
      tools: { exec: { ...ON_NODE.tools?.exec, node: 'd' } },
      agents: { list: [{ id: 'main', tools: { exec: { node: 'c' } } }] },
      commands: { useAccessGroups: false },
    };
    const memory = memoryNodes();
    const host = await testGateway(config, { nodes: memory.nodes });
    for (const name of ['a', 'b', 'c', 'd']) (await memory.add({ name })).connect();
    const nameOf = async (request: object, more = {}) => {
      const outcome = await host.exec({ command: 'true', ...request }, more);
      return 'session' in outcome ? outcome.session.node?.name : outcome.status;
    };
    expect(await nameOf({}, { caller: { agent: 'other' } })).toBe('d');
    expect(await nameOf({})).toBe('c');
    await host.gateway.call('command.say', {
      text: '/exec node=b',
      caller,
      sender: 'p',
      folder: host.folder,
    });
    expect(await nameOf({})).toBe('b');
    expect(await nameOf({ node: 'A' })).toBe('a');
    const { session } = (await host.exec({ command: 'true', node: 'A' })) as { session: SessionInfo };
    expect(session.node).toMatchObject({ name: 'a', from: 'call' });
  });

  it('is limited by tools.exec.nodes', async () => {
    const { host } = await connected({ config: { tools: { exec: { ...ON_NODE.tools?.exec, nodes: ['other'] } } } });
    await expect(host.exec({ command: 'true', node: 'mac-1' })).rejects.toMatchObject({ code: 'NODE_NOT_ALLOWED' });
  });

  it('appears in the posture', async () => {
    const { host, node } = await connected();
    const posture = async () =>
      (await host.gateway.call('policy.posture', { caller, folder: host.folder })).posture.commands;
    expect(await posture()).toBe(
      'commands run on node mac-1 (the only one that is connected), which judges them by its own rules',
    );
    node.cut();
    await eventLoopTurns(3);
    expect(await posture()).toBe(
      'commands fail: host=node (config), and node mac-1 is not connected; nothing was sent',
    );
  });
});

describe('a broken link', () => {
  it('before the start is answered after the reconnect, and the command runs once', async () => {
    const { host, node } = await connected();
    let runs = 0;
    node.started = async () => {
      runs++;
      node.cut();
      await eventLoopTurns(3);
      node.connect();
    };
    expect(output(await host.exec({ command: 'echo once' }))).toBe('once\n');
    expect(runs).toBe(1);
    expect(sent(node, 'exec.lookup')).toHaveLength(1);
  });

  it('before the request arrives: it is sent again with the same key', async () => {
    const { host, node } = await connected();
    node.before = async ({ method }) => {
      if (method !== 'exec.start') return;
      node.before = () => {};
      node.cut();
      await eventLoopTurns(3);
      node.connect();
      throw new Error('the node died');
    };
    expect(output(await host.exec({ command: 'echo again' }))).toBe('again\n');
    const keys = sent(node, 'exec.start').map((params) => (params as { readonly key: string }).key);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('while the node is asked for its description sends nothing', async () => {
    const { host, node } = await connected({ more: { nodeWaits: { reconnectMs: 20 } } });
    cutBefore(node, 'node.describe');
    await expect(host.exec({ command: 'true' })).rejects.toMatchObject({ code: 'NODE_NOT_DISPATCHED' });
    expect(sent(node, 'exec.start')).toEqual([]);
  });

  it('without a reconnect leaves the outcome unknown, and names the key', async () => {
    const { host, node } = await connected({ more: { nodeWaits: { reconnectMs: 20 } } });
    cutBefore(node, 'exec.start');
    const failed = host.exec({ command: 'true' });
    await expect(failed).rejects.toMatchObject({
      code: 'NODE_OUTCOME_UNKNOWN',
      details: { key: expect.any(String), node: { name: 'mac-1' } },
    });
    expect(await host.gateway.call('session.list', { caller })).toEqual([]);
  });

  it('ends nothing: the output is whole after each reconnect', async () => {
    const { host, node } = await connected();
    const lines = 'i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo line $i; read -r go; done';
    const outcome = await host.exec({ command: lines, background: true }, { stdin: 'open' });
    const id = 'session' in outcome ? outcome.session.id : '';
    const write = () =>
      host.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'go\n' } });
    for (let i = 1; i <= 40; i++) {
      await until(async () => (await textOfLog(host, id)).includes(`line ${i}\n`), `line ${i}`);
      if (i % 8 === 0) {
        node.cut();
        await until(async () => (await info(host, id))?.unreachableSince !== undefined, 'the broken link');
        await expect(write()).rejects.toMatchObject({ code: 'NODE_OFFLINE' });
        node.connect();
        expect(await info(host, id)).not.toHaveProperty('unreachableSince');
      }
      await write();
    }
    expect(await ended(host, id)).toMatchObject({ status: 'completed', exitCode: 0 });
    const expected = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join('');
    expect(await textOfLog(host, id)).toBe(expected);
  });

  it('keeps 32 MB whole, with twelve cuts', async () => {
    const { host, node } = await connected();
    const outcome = await host.exec({ command: 'seq 1 4500000', background: true });
    const id = 'session' in outcome ? outcome.session.id : '';
    for (let i = 1; i <= 12; i++) {
      await until(async () => ((await info(host, id))?.bytes ?? 0) > i * 1_000_000, `megabyte ${i}`);
      node.cut();
      await eventLoopTurns(i);
      node.connect();
    }
    expect(await ended(host, id)).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(await hashOfLog(host, id)).toEqual(
      await hashOfLog(node.local, (sent(node, 'session.follow')[0] as { readonly sessionId: string }).sessionId),
    );
  });

  it('delays a kill until the node connects', async () => {
    const { host, node } = await connected();
    const outcome = await host.exec({ command: 'sleep 1000', background: true });
    const id = 'session' in outcome ? outcome.session.id : '';
    node.cut();
    await eventLoopTurns(3);
    await expect(host.gateway.call('session.kill', { caller, sessionId: id })).rejects.toMatchObject({
      code: 'NODE_OFFLINE',
      message: 'node mac-1 is not connected; the kill is recorded, and ends the command when the node connects',
    });
    node.connect();
    expect(await ended(host, id)).toMatchObject({ status: 'failed', failure: 'killed' });
  });

  it('for too long counts as lost', async () => {
    const { host, node } = await connected({ more: { nodeWaits: { lostAfterMs: 20 } } });
    const outcome = await host.exec({ command: 'sleep 1000', background: true });
    node.cut();
    expect(await ended(host, 'session' in outcome ? outcome.session.id : '')).toMatchObject({
      failure: 'lost',
      failureNote: 'node mac-1 did not reconnect',
    });
  });

  it('to a node that has forgotten the session loses it', async () => {
    const { host, node } = await connected({ more: { nodeWaits: { retryMs: 5 } } });
    const outcome = await host.exec({ command: 'sleep 1000', background: true });
    node.cut();
    node.before = ({ method }) => {
      if (method === 'session.follow') throw new Fault('EXEC_SESSION_UNKNOWN', 'no such session');
    };
    await eventLoopTurns(3);
    node.connect();
    expect(await ended(host, 'session' in outcome ? outcome.session.id : '')).toMatchObject({ failure: 'lost' });
  });
});

describe('a session on a node', () => {
  it('has a time limit that the node enforces', async () => {
    const { host } = await connected();
    expect(await host.exec({ command: 'sleep 1000', timeout: 0.2 })).toMatchObject({
      status: 'failed',
      session: { failure: 'timeout', failureNote: '0.2' },
    });
  });

  it('takes the end of its input', async () => {
    const { host } = await connected();
    const outcome = await host.exec({ command: 'cat; echo done', background: true }, { stdin: 'open' });
    const id = 'session' in outcome ? outcome.session.id : '';
    const input = { kind: 'write', data: 'x'.repeat(200_000), eof: true } as const;
    await host.gateway.call('session.input', { caller, sessionId: id, input });
    expect(await ended(host, id)).toMatchObject({ exitCode: 0, bytes: 200_005 });
  });

  it('is resized and interrupted', async () => {
    const { host } = await connected();
    const command = "trap 'stty size' WINCH; trap 'exit 3' INT; echo ready; while :; do sleep 0.05; done";
    const outcome = await host.exec({ command, background: true, pty: true });
    const id = 'session' in outcome ? outcome.session.id : '';
    await until(async () => (await textOfLog(host, id)).includes('ready'), 'the trap');
    await host.gateway.call('session.resize', { caller, sessionId: id, size: { cols: 91, rows: 17 } });
    await until(async () => (await textOfLog(host, id)).includes('17 91'), 'the new size');
    await host.gateway.call('session.interrupt', { caller, sessionId: id });
    expect(await ended(host, id)).toMatchObject({ exitCode: 3 });
  });

  it('continues when the gateway stops', async () => {
    const { host, node } = await connected();
    await host.exec({ command: 'sleep 1000', background: true });
    await host.gateway.close();
    const left = await node.local.gateway.call('session.list', { caller: { agent: 'guest' } });
    expect(left.map(({ status }) => status)).toEqual(['running']);
  });

  it('ends with the gateway where a client is attached', async () => {
    const { host, node } = await connected();
    await host.exec({ command: 'sleep 1000' }, { attached: true });
    await host.gateway.close();
    const left = await node.local.gateway.call('session.list', { caller: { agent: 'guest' } });
    expect(left.map(({ status }) => status)).toEqual(['failed']);
  });
});

async function info({ gateway }: TestGateway, id: string) {
  return (await gateway.call('session.list', { caller })).find((session) => session.id === id);
}

async function hashOfLog({ gateway }: TestGateway, sessionId: string): Promise<string> {
  const hash = createHash('sha256');
  await gateway.follow({ caller: { agent: '', operator: true }, sessionId }, (event) => {
    if (event.type === 'output') hash.update(event.bytes);
    if (event.type === 'gap') hash.update(`gap of ${event.bytes}`);
  });
  return hash.digest('hex');
}
