import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { greetingBytes, readGreeting } from '../../../src/apps/daemon/greeting.ts';
import { gatewayServer, type ServerOptions } from '../../../src/apps/daemon/server.ts';
import { FrameReader, messageFrame } from '../../../src/hosts/channel/frames.ts';
import { PROTOCOL } from '../../../src/wire/message.ts';
import { type Gateway, type Method, METHODS } from '../../../src/wire/methods.ts';
import { Mismatch } from '../../../src/wire/mismatch.ts';
import { check, type Schema } from '../../../src/wire/schema.ts';
import { runs, timeoutFor, withSeed } from '../../support/budget.ts';
import { makeFolder } from '../../support/folder.ts';
import { testGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';

interface Answer {
  readonly result?: unknown;
  readonly fault?: { readonly code: string; readonly message: string; readonly details?: object };
}

/** A gateway behind a socket, and a client that sends whatever it is given. */
async function rawClient(gateway: ServerOptions['gateway']) {
  const path = join(makeFolder(), 's');
  const logged: string[] = [];
  const build = { version: '1', time: 5 };
  const server = gatewayServer({ gateway, build, leave: () => {}, log: (text) => logged.push(text) });
  await server.listen(path);
  const socket = connect(path);
  const reader = new FrameReader();
  const answers = new Map<number, Answer>();
  let isOpen = true;
  socket.on('close', () => (isOpen = false));
  socket.write(greetingBytes({ ...build, protocol: PROTOCOL }));
  await readGreeting(socket);
  let parts: Uint8Array[] = [];
  socket.on('data', (piece: Buffer) =>
    reader.read(piece, (kind, id, payload) => {
      parts.push(Uint8Array.from(payload));
      if (kind !== 'message' && kind !== 'last') return;
      const message = JSON.parse(Buffer.concat(parts).toString()) as Answer;
      parts = [];
      if ('result' in message || 'fault' in message) answers.set(id, message);
    }),
  );
  onTestFinished(() => {
    socket.destroy();
    server.stopListening();
    server.close();
  });
  let last = -1;
  return {
    logged,
    isOpen: () => isOpen,
    async ask(method: string, params: unknown): Promise<Answer> {
      const id = (last += 2);
      socket.write(messageFrame(id, { call: method, params }));
      // These wait for something that never happens here.
      if (['session.started', 'notice.follow', 'audit.follow'].includes(method))
        socket.write(messageFrame(id, { cancel: true }));
      await until(() => answers.has(id) || !isOpen, `an answer to ${method}`);
      const answer = answers.get(id);
      if (answer === undefined) throw new Error(`the daemon closed the connection at ${method}`);
      answers.delete(id);
      return answer;
    },
  };
}

const DENIED = { tools: { exec: { host: 'gateway', security: 'deny' } } } as const;
const caller = { agent: 'main', client: 'test', conversation: 'c' };
const session = { caller, sessionId: 'brisk-otter' };

/** Parameters of each method that match. */
function examples(folder: string): Readonly<Record<Method, Record<string, unknown>>> {
  const place = { caller, folder, restrictions: { tools: { exec: { ask: 'always' } } } };
  const context = { caller, folder, environment: { PATH: '/usr/bin:/bin' }, umask: 0o22, size: { cols: 80, rows: 24 } };
  const request = {
    command: 'true',
    workdir: '.',
    env: { A: '1' },
    yieldMs: 10,
    timeout: 1,
    pty: false,
    ask: 'always',
  };
  return {
    'exec.start': { request, context: { ...context, ticket: 't', synchronous: true } },
    'session.started': { caller, ticket: 'none' },
    'session.list': { caller },
    'session.poll': { ...session, waitMs: 0 },
    'session.log': { ...session, offset: 0, limit: 5 },
    'session.input': { ...session, input: { kind: 'keys', keys: ['Enter'], hex: ['0a'], literal: 'x' } },
    'session.interrupt': session,
    'session.kill': session,
    'session.background': session,
    'session.clear': session,
    'session.screen': session,
    'session.resize': { ...session, size: { cols: 80, rows: 24 } },
    'session.control': { ...session, take: true, typist: 't', by: 'you' },
    'session.recording': { ...session, from: 0, maxBytes: 10 },
    'session.processes': session,
    'session.wait': { ...session, waitMs: 0 },
    'session.follow': { ...session, after: 0 },
    'approval.list': { state: 'all', limit: 3 },
    'approval.count': { state: 'pending' },
    'approval.show': { id: 'none' },
    'approval.resolve': { id: 'none', decision: 'deny', by: 'you', reason: 'no', digest: 'a'.repeat(64) },
    'approval.extend': { id: 'none', byMs: 60_000, by: 'you' },
    'approval.history': { q: 'state:denied', limit: 3 },
    'approval.outcome': { id: 'none', caller, yieldMs: 10 },
    'command.say': { text: '/exec', sender: 'you', caller, folder },
    'policy.explain': { request, context },
    'policy.replay': { since: 0, environment: {}, document: { version: 1 }, after: 0, rows: 1 },
    'policy.posture': place,
    'sandbox.tool': {
      ...place,
      tool: 'read',
      args: { path: 'a' },
      context: { showSecrets: false, secrets: { hide: ['x'] } },
    },
    'node.tool': {
      ...place,
      node: 'none',
      tool: 'read',
      args: { path: 'a' },
      context: { staleCheck: 'off' },
      reads: true,
    },
    'sandbox.explain': place,
    'sandbox.list': {},
    'sandbox.recreate': { agent: 'main' },
    'event.range': {},
    'login.link': { role: 'viewer', by: 'you', ttl: 60 },
    'login.use': { code: 'none', browser: 'test' },
    'login.prove': { cookie: 'none', handshake: { origin: 'none', port: 1, pageNonce: 'none', serverNonce: 'none' } },
    'login.check': { cookie: 'none' },
    'login.list': {},
    'login.revoke': { id: 'none', by: 'you' },
    'login.record': { by: 'page:operator-1', details: { action: 'none' } },
    'node.choice': { folder, agent: 'main' },
    'node.list': {},
    'node.pending': {},
    'node.show': { node: 'none' },
    'node.approve': { node: 'none', by: 'you', replaces: 'other' },
    'node.reject': { node: 'none', by: 'you' },
    'node.invite': { by: 'you', url: 'wss://127.0.0.1:7463' },
    'node.rename': { node: 'none', name: 'mac' },
    'node.remove': { node: 'none', by: 'you' },
    'audit.list': { after: 0, limit: 3, client: 'test' },
    'audit.follow': { after: 0 },
    'audit.query': { q: 'agent:main', before: 9, limit: 3 },
    'audit.histogram': { q: '', from: 0, to: 1, bins: 2 },
    'audit.export': { q: '', next: { after: 0, upTo: 1, now: 1 } },
    'audit.verify': {},
    'rules.get': {},
    'rules.set': { change: { kind: 'remove', agent: 'main', entry: 'none' }, revision: 'none', by: 'you' },
    'rules.test': { ...place, document: { version: 1 } },
    'notice.list': { after: 0, limit: 3, client: 'test' },
    'notice.follow': { after: 0 },
    'daemon.status': {},
    'daemon.stop': { force: false },
  };
}

describe('a request', () => {
  const REFUSED: readonly (readonly [string, unknown, string, string])[] = [
    ['exec.start', {}, 'params.request', 'is missing, and must be an object'],
    ['exec.start', { request: {} }, 'params.context', 'is missing, and must be an object'],
    ['session.list', null, 'params', 'must be an object, not null'],
    ['session.list', [], 'params', 'must be an object, not an array'],
    ['session.list', { caller: { agent: 7 } }, 'params.caller.agent', 'must be a string, not 7'],
    ['session.poll', { ...session, waitMs: -1 }, 'params.waitMs', 'must be a number of at least 0, not -1'],
    ['session.log', { ...session, limit: 1.5 }, 'params.limit', 'must be an integer of at least 0, not 1.5'],
    [
      'session.input',
      { ...session, input: { kind: 'x' } },
      'params.input.kind',
      'must be one of write, keys, submit, paste, raw, not "x"',
    ],
    ['session.follow', { caller, after: 0 }, 'params.sessionId', 'is missing, and must be a string'],
    ['notice.follow', { after: '0' }, 'params.after', 'must be an integer of at least 0, not "0"'],
    [
      'approval.resolve',
      { id: 'a', by: 'b', decision: 'maybe' },
      'params.decision',
      'must be one of allow-once, allow-always, deny, not "maybe"',
    ],
    ['daemon.stop', { force: 'yes' }, 'params.force', 'must be true or false, not "yes"'],
  ];
  it.each(REFUSED)('B27: %s %j is refused at %s', async (method, params, place, problem) => {
    const { gateway } = await testGateway(DENIED);
    const client = await rawClient(gateway);
    expect((await client.ask(method, params)).fault).toMatchObject({
      code: 'GATEWAY_BAD_REQUEST',
      message: `${method}: ${place} ${problem}`,
      details: { method, place },
    });
    expect(client.logged).toEqual([]);
  });

  it('B27: refuses a timeout that is not a number', async () => {
    const { gateway, folder } = await testGateway(DENIED);
    const { request, context } = examples(folder)['exec.start'] as { request: object; context: object };
    const client = await rawClient(gateway);
    expect((await client.ask('exec.start', { request: { ...request, timeout: 'x' }, context })).fault).toMatchObject({
      code: 'GATEWAY_BAD_REQUEST',
      message: 'exec.start: params.request.timeout must be a number of at least 0, not "x"',
      details: { expected: 'a number of at least 0' },
    });
  });

  it('reaches the gateway without members that the daemon does not know', async () => {
    const { gateway, folder } = await testGateway(DENIED);
    const heard: unknown[] = [];
    const call: Gateway['call'] = (method, params, signal) => {
      heard.push(params);
      return gateway.call(method, params, signal);
    };
    const client = await rawClient({ ...gateway, call });
    const known = examples(folder)['sandbox.tool'];
    const extra = { ...known, later: 1, caller: { ...caller, later: 1 }, context: { agent: 'other', umask: 0 } };
    await client.ask('sandbox.tool', extra);
    expect(heard).toEqual([{ ...known, context: { umask: 0 } }]);
  });

  it(
    'never crashes the daemon, however it was changed: it is answered, or refused with place and expectation',
    withSeed(async (next) => {
      const { gateway, folder } = await testGateway(DENIED);
      const client = await rawClient(gateway);
      const valid = examples(folder);
      const methods = Object.keys(METHODS) as Method[];
      const tally = { answered: 0, refused: 0, failed: 0 };
      for (let i = 0; i < runs(500, 10_000); i++) {
        const method = methods[Math.floor(next() * methods.length)]!;
        const params = mutated(JSON.parse(JSON.stringify(valid[method])), next);
        const { result, fault: error } = await client.ask(method, params);
        const sent = JSON.stringify([method, params])?.slice(0, 500);
        const expected = problemOf(METHODS[method].params, params);
        if (expected !== undefined) {
          tally.refused++;
          expect(error, sent).toMatchObject({ code: 'GATEWAY_BAD_REQUEST', details: { method, ...expected } });
        } else if (error === undefined) {
          tally.answered++;
          expect(problemOf(METHODS[method].result, result, true), sent).toBeUndefined();
        } else {
          tally.failed++;
          expect(error.code, `${sent}: ${error.message}`).not.toMatch(/^INTERNAL_|GATEWAY_BAD_REQUEST/u);
        }
      }
      expect(client.logged).toEqual([]);
      expect(client.isOpen()).toBe(true);
      expect(Object.values(tally).filter((count) => count === 0)).toEqual([]);
    }),
    timeoutFor(120_000),
  );
});

/** Where a value does not match; with `strict`, also unknown members. */
function problemOf(schema: Schema<unknown>, value: unknown, strict = false) {
  try {
    const read = check(schema, value, 'params');
    if (strict) expect(read).toEqual(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    return { place: error.place, expected: error.expected };
  }
}

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => -1,
  () => 0,
  () => 1.5,
  () => 1e308,
  () => Number.MAX_SAFE_INTEGER,
  () => '',
  () => '/',
  () => '\0',
  () => '\ud800',
  () => 'x'.repeat(5_000),
  () => [],
  () => ({}),
  () => [{}],
  () => true,
  () => false,
  () => nested(3_000),
  () => JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
];

/** The value with something in it replaced, removed or added. */
function mutated(value: unknown, next: () => number): unknown {
  const other = () => VALUES[Math.floor(next() * VALUES.length)]!();
  if (typeof value !== 'object' || value === null || next() < 0.1) return other();
  const names = Object.keys(value);
  const name = names[Math.floor(next() * names.length)];
  if (name === undefined || next() < 0.1) return { ...value, extra: other() };
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  if (next() < 0.1) delete copy[name];
  else copy[name] = mutated(copy[name], next);
  return copy;
}
