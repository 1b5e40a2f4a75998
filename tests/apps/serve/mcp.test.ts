import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Home, makeHome, type Server, startServer } from './serving.ts';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';

let home: Home;
let server: Server;
beforeAll(async () => {
  home = makeHome({ tools: { exec: { host: 'gateway', ask: 'on-miss', security: 'allowlist' } } });
  server = await startServer(home);
});
afterAll(async () => {
  await server.end();
  await home.remove();
});

type Decision = 'allow-once' | 'deny' | 'decline' | 'cancel' | 'none';

const headers = () => ({ Authorization: `Bearer ${server.token}` });

async function connected(mode: 'legacy' | 'auto', decision: Decision = 'none') {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: decision === 'none' ? {} : { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  const asked: string[] = [];
  if (decision !== 'none')
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      if (decision === 'decline' || decision === 'cancel') return { action: decision };
      return { action: 'accept', content: { decision } };
    });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.base}/mcp`), {
    requestInit: { headers: headers() },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, asked };
}

const ERAS = [
  ['legacy', 'legacy'],
  ['auto', 'modern'],
] as const;

describe.each(ERAS)('a client that negotiates %s', (mode, era) => {
  it('negotiates its era, and lists and calls the tools', async () => {
    const { client } = await connected(mode);
    expect(client.getProtocolEra()).toBe(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['read', 'write', 'edit', 'exec', 'process', 'path']);
    const { content } = await client.callTool({ name: 'read', arguments: { path: 'a.txt' } });
    expect(content).toEqual([{ type: 'text', text: 'one\ntwo\n' }]);
  });

  it('gets the current posture when it connects', async () => {
    const file = join(home.folder, 'config', 'pincer', 'pincer.jsonc');
    const before = readFileSync(file, 'utf8');
    onTestFinished(() => writeFileSync(file, before));
    const judged = (await connected(mode)).client.getInstructions();
    writeFileSync(file, JSON.stringify({ tools: { fs: { workspaceOnly: false } } }));
    const open = (await connected(mode)).client.getInstructions();
    expect([judged, open]).toEqual([
      expect.stringContaining(
        'Here commands run on this machine when a rule allows them, others ask a person: security=allowlist (config), ask=on-miss (config); file tools work on this machine, within the workspace.',
      ),
      expect.stringContaining(
        'Here commands run directly on this machine and are not judged: no sandbox is set up (sandbox.mode=off), and rules need host=gateway, not host=sandbox (default); file tools work on this machine, and outside the workspace.',
      ),
    ]);
  });

  it.each<[Decision, string, number]>([
    ['allow-once', 'completed', 1],
    ['deny', 'denied', 1],
    ['decline', 'denied', 1],
    ['cancel', 'approval-pending', 1],
    ['none', 'approval-pending', 0],
  ])('is asked about a command and answers %s: %s', async (decision, status, times) => {
    const { client, asked } = await connected(mode, decision);
    const name = `${era}-${decision}.txt`;
    const { structuredContent } = await client.callTool({ name: 'exec', arguments: { command: `touch ${name}` } });
    expect([(structuredContent as { status: string }).status, asked.length]).toEqual([status, times]);
    expect(asked.every((message) => message.includes(`touch ${name}`))).toBe(true);
    const made = statSync(join(home.workspace, name), { throwIfNoEntry: false }) !== undefined;
    expect(made).toBe(status === 'completed');
  });

  it('cancels a call, and the command is gone', async () => {
    const { client } = await connected(mode, 'allow-once');
    const controller = new AbortController();
    const name = `${era}-cancelled.txt`;
    const call = client.callTool(
      { name: 'exec', arguments: { command: `echo $$ > ${name}; exec sleep 600`, yieldMs: 40_000 } },
      { signal: controller.signal },
    );
    const stopped = expect(call).rejects.toThrow(/abort/iu);
    const pid = await pidIn(name);
    controller.abort();
    await stopped;
    await until(() => !isThere(pid), 'the end of the command');
  });

  it('reads a file of the workspace as a resource, and is notified of its change', async () => {
    const { client } = await connected(mode);
    const name = `${era}-watched.md`;
    const file = join(home.workspace, name);
    writeFileSync(file, '# before\n');
    const uri = `oc://${name}`;
    const told: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
    if (era === 'modern') await client.listen({ resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
    const text = async () =>
      (await client.readResource({ uri })).contents.map((content) => 'text' in content && content.text);
    expect(await text()).toEqual(['# before\n']);
    await until(async () => {
      writeFileSync(file, '# after\n'); // watching begins a moment after it was asked for
      return told.includes(uri);
    }, 'the notice');
    expect(await text()).toEqual(['# after\n']);
  });

  it('is notified of changed tools', async () => {
    const { client } = await connected(mode);
    let told = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void told++);
    if (era === 'modern') await client.listen({ toolsListChanged: true });
    await client.listTools();
    const project = join(home.workspace, 'pincer.jsonc');
    writeFileSync(project, '{"tools": {"deny": ["process"]}}');
    try {
      await until(() => told > 0, 'the notice');
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('process');
    } finally {
      writeFileSync(project, '{}');
    }
  });
});

describe('a client that vanishes in the middle of a call', () => {
  const call = (command: string) => ({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'exec', arguments: { command, yieldMs: 40_000, security: 'full', ask: 'off' } },
  });
  const post = (body: unknown, more: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${server.base}/mcp`, {
      method: 'POST',
      headers: {
        ...headers(),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...more,
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };

  it('takes its command with it, in a session too', async () => {
    const free = makeHome();
    const other = await startServer(free);
    onTestFinished(async () => {
      await other.end();
      await free.remove();
    });
    const ask = (body: unknown, more: Record<string, string>, signal?: AbortSignal) =>
      other.ask('/mcp', {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
    const greeted = await ask(initialize, {});
    await greeted.text();
    const session = { 'mcp-session-id': greeted.headers.get('mcp-session-id')! };
    await ask({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    const file = join(free.workspace, 'pid.txt');
    const controller = new AbortController();
    const command = 'echo $$ > pid.txt; exec sleep 600';
    const answer = await ask(
      { ...call(command), params: { name: 'exec', arguments: { command, yieldMs: 40_000 } } },
      session,
      controller.signal,
    );
    expect(answer.status).toBe(200);
    await until(
      () => statSync(file, { throwIfNoEntry: false })?.size !== undefined && readFileSync(file, 'utf8') !== '',
      'the start',
    );
    const pid = Number(readFileSync(file, 'utf8'));
    expect(isThere(pid)).toBe(true);
    controller.abort();
    await until(() => !isThere(pid), 'the end of the command');
  });

  it('has a session id that cannot be guessed, and DELETE ends it', async () => {
    const greeted = await post(initialize, {});
    await greeted.text();
    const id = greeted.headers.get('mcp-session-id')!;
    expect(id).toMatch(/^[\da-f-]{36}$/u);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
    expect((await post(list, { 'mcp-session-id': id })).status).toBe(200);
    expect((await post(list, { 'mcp-session-id': 'another' })).status).toBe(404);
    expect((await post(list, {})).status).toBe(400);
    const ended = await server.ask('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': id } });
    expect(ended.status).toBe(200);
    expect((await post(list, { 'mcp-session-id': id })).status).toBe(404);
  });

  it('gets clear errors for invalid messages', async () => {
    expect((await post('{', {})).status).toBe(400);
    expect((await post([], {})).status).toBe(400);
    expect((await post(null, {})).status).toBe(400);
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'initialize' }, {})).status).toBe(400);
    expect((await server.ask('/mcp', { method: 'PUT', body: '{}' })).status).toBe(405);
    expect((await server.ask('/mcp')).status).toBe(400);
  });
});

async function pidIn(name: string): Promise<number> {
  const file = join(home.workspace, name);
  const text = (): string =>
    statSync(file, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(file, 'utf8');
  await until(() => text().endsWith('\n'), name);
  return Number(text());
}
