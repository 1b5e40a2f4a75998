import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Home, makeHome, type Server, startServer } from './serving.ts';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';

let home: Home;
let server: Server;
beforeAll(async () => {
  home = makeHome({ tools: { exec: { applyPatch: { enabled: true } } } });
  server = await startServer(home, ['--allow-undo', '--model', 'gpt-5']);
});
afterAll(async () => {
  await server.end();
  await home.remove();
});

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: object }>>;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const document = async (): Promise<Document> => (await (await server.ask('/openapi.json')).json()) as Document;

describe('the tools over plain HTTP', () => {
  it('are those of the agent, with their schemas', async () => {
    const { tools } = (await (await server.ask('/v1/tools')).json()) as { tools: { name: string }[] };
    const names = ['read', 'write', 'edit', 'apply_patch', 'exec', 'process', 'path', 'changes'];
    expect(tools.map(({ name }) => name)).toEqual(names);
  });

  it('are described by an OpenAPI document that is whole', async () => {
    const { openapi, info, servers, security, paths, components } = await document();
    expect({ openapi, title: info.title, servers, security }).toEqual({
      openapi: '3.1.0',
      title: 'Pincer',
      servers: [{ url: server.base }],
      security: [{ token: [] }],
    });
    expect(components.securitySchemes).toMatchObject({ token: { type: 'http', scheme: 'bearer' } });
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { responses } of operations) {
      expect(Object.keys(responses).every((status) => /^[1-5]\d\d$/u.test(status))).toBe(true);
      expect(Object.values(responses).every(({ description }) => description.length > 0)).toBe(true);
    }
    const references = [...JSON.stringify(paths).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/gu)];
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter(([, name]) => !Object.hasOwn(components.schemas, name!))).toEqual([]);
    expect(paths['/healthz']?.['get']?.security).toEqual([]);
  });

  it('can all be called as documented', async () => {
    const { paths } = await document();
    const calls: Readonly<Record<string, object>> = {
      '/v1/tools/read': { path: 'a.txt' },
      '/v1/tools/write': { path: 'called.txt', content: 'a\nb\n' },
      '/v1/tools/edit': { path: 'called.txt', oldText: 'b', newText: 'c' },
      '/v1/tools/apply_patch': { input: '*** Begin Patch\n*** Add File: patched.txt\n+x\n*** End Patch\n' },
      '/v1/tools/exec': { command: 'cat called.txt' },
      '/v1/tools/process': { action: 'list' },
      '/v1/tools/path': { verb: 'validate', path: 'oc://x.md/a' },
      '/v1/tools/changes': { action: 'list' },
    };
    const posts = Object.entries(paths).filter(([, path]) => path['post'] !== undefined);
    expect(posts.map(([path]) => path).toSorted()).toEqual(Object.keys(calls).toSorted());
    for (const [path, { post }] of posts) {
      const schema = post!.requestBody!.content['application/json']!.schema;
      expect(Object.keys(schema.properties!)).toEqual(expect.arrayContaining(Object.keys(calls[path]!)));
      const answer = await server.ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(calls[path]),
      });
      const body = (await answer.json()) as Answer;
      expect([path, answer.status, body.isError, body.error]).toEqual([path, 200, undefined, undefined]);
    }
    expect(readFileSync(join(home.workspace, 'called.txt'), 'utf8')).toBe('a\nc\n');
  });

  it('answer to their other names, and to other names of parameters', async () => {
    const { status, body } = await server.call('sandboxed_read', { file_path: 'a.txt' });
    expect([status, body.content]).toEqual([200, [{ type: 'text', text: 'one\ntwo\n' }]]);
  });

  it('answer where they cannot do their work: that is an answer', async () => {
    const { status, body } = await server.call('read', { path: 'none.txt' });
    expect([status, body.isError, body.details?.['code']]).toEqual([200, true, 'FS_NOT_FOUND']);
  });

  it('write files with the umask of the server', async () => {
    await server.call('write', { path: 'masked.txt', content: 'x' });
    const mask = process.umask();
    expect(statSync(join(home.workspace, 'masked.txt')).mode & 0o777).toBe(0o666 & ~mask);
    await server.call('exec', { command: 'touch touched.txt' });
    expect(statSync(join(home.workspace, 'touched.txt')).mode & 0o777).toBe(0o666 & ~mask);
  });

  it('record the client that User-Agent names, and let it undo only what it did', async () => {
    const send = async (agent: string, tool: string, args: object) => {
      const headers = { 'content-type': 'application/json', 'user-agent': agent };
      const init = { method: 'POST', headers, body: JSON.stringify(args) };
      return (await (await server.ask(`/v1/tools/${tool}`, init)).json()) as Answer;
    };
    await send('Robot/1.0 (x)', 'write', { path: 'robot.txt', content: 'x' });
    await send('you/2.0', 'write', { path: 'you.txt', content: 'x' });
    const listed = await send('Robot/1.0', 'changes', { action: 'list', limit: 2 });
    expect(listed.details).toMatchObject({
      changes: [
        { client: 'client-you', files: [{ path: 'you.txt' }] },
        { client: 'robot', files: [{ path: 'robot.txt' }] },
      ],
    });
    const undone = await send('robot/9', 'changes', { action: 'undo', since: '1h' });
    expect(undone.details).toMatchObject({ files: ['robot.txt'] });
  });

  it('return 202 for a command that waits for approval', async () => {
    const { status, body } = await server.call('exec', { command: 'touch asked.txt', host: 'gateway', ask: 'always' });
    expect([status, body.details?.['status']]).toEqual([202, 'approval-pending']);
    expect(body.details?.['approvalId']).toMatch(/^[\da-f-]{36}$/u);
  });

  it('accept a thousand concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) => patiently('read', { path: 'a.txt', offset: 1 + (n % 2) })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.every(({ body }, n) => body.content![0]!.text.startsWith(n % 2 === 0 ? 'one' : 'two'))).toBe(true);
  });

  /** Calls a tool over a connection of its own. Unlike fetch it does not give up on one that is not taken soon. */
  async function patiently(
    tool: string,
    args: object,
    tries = 5,
  ): Promise<{ status: number | undefined; body: Answer }> {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    const sent = request(`${server.base}/v1/tools/${tool}`, { method: 'POST', headers, agent: false });
    sent.end(JSON.stringify(args));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    // A server that is busy for so long has not read the header in time; it answers and resets the connection.
    if (answer.statusCode === 408 && tries > 1) {
      sent.on('error', () => {});
      answer.resume();
      return patiently(tool, args, tries - 1);
    }
    return { status: answer.statusCode, body: (await json(answer)) as Answer };
  }

  it('stop a foreground command when its client disconnects', async () => {
    const controller = new AbortController();
    const call = server.call(
      'exec',
      { command: 'echo $$ > pid.txt; exec sleep 600', yieldMs: 60_000 },
      controller.signal,
    );
    const gone = expect(call).rejects.toThrow('This operation was aborted');
    const pid = await pidIn('pid.txt');
    expect(isThere(pid)).toBe(true);
    controller.abort();
    await gone;
    await until(() => !isThere(pid), 'the end of the command');
  });

  it('leave a command in the background alone when the connection ends', async () => {
    const { body } = await server.call('exec', { command: 'echo $$ > back.txt; exec sleep 600', background: true });
    const pid = await pidIn('back.txt');
    expect([body.details?.['status'], isThere(pid)]).toEqual(['running', true]);
    const killed = await server.call('process', { action: 'kill', sessionId: body.details?.['sessionId'] });
    expect(killed.body.isError).toBe(undefined);
    await until(() => !isThere(pid), 'the end of the command');
  });
});

async function pidIn(name: string): Promise<number> {
  const file = join(home.workspace, name);
  await until(
    () => statSync(file, { throwIfNoEntry: false })?.size !== undefined && readFileSync(file, 'utf8').endsWith('\n'),
    name,
  );
  return Number(readFileSync(file, 'utf8'));
}

describe('the metrics', () => {
  it('are text that Prometheus reads, and count what happened', async () => {
    await server.call('read', { path: 'none.txt' });
    await server.ask('/nothing/at/all');
    // The server hears of the end of a command a moment after its process is gone.
    const running = async () =>
      /^pincer_sessions_running (\d+)$/mu.exec(await (await server.ask('/metrics')).text())?.[1];
    await until(async () => (await running()) === '0', 'the end of all sessions');
    const answer = await server.ask('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    const sample = /^[a-z_:][\w:]*(?:\{(?:[a-z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})? (?:-?[\d.e+-]+|NaN|[+-]Inf)$/iu;
    expect(lines.filter((line) => !/^# (?:HELP|TYPE) /u.test(line) && !sample.test(line))).toEqual([]);
    const value = (start: string) =>
      Number(
        lines
          .find((line) => line.startsWith(`${start} `))
          ?.split(' ')
          .at(-1),
      );
    expect(value('pincer_tool_calls_total{tool="read",outcome="ok"}')).toBeGreaterThan(1_000);
    expect(value('pincer_tool_calls_total{tool="read",outcome="error"}')).toBeGreaterThan(0);
    expect(value('pincer_tool_calls_total{tool="exec",outcome="approval-pending"}')).toBe(1);
    expect(value('pincer_http_requests_total{route="other",method="GET",status="404"}')).toBe(1);
    expect(value('pincer_approvals_pending')).toBe(1);
    expect(value('pincer_sessions_running')).toBe(0);
    expect(value('pincer_gateway_up')).toBe(1);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('report that the server is ready', async () => {
    expect(await (await server.ask('/readyz')).json()).toEqual({ status: 'ready' });
  });
});
