import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exec } from './linked-node.ts';
import type { NodeTerms } from '../../../src/apps/node/guest.ts';
import { Fault } from '../../../src/base/fault.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { nodeToken } from '../../../src/hosts/nodes/fleet/credentials.ts';
import { newSeed, type Nkey, nkeyOf, type NkeyRole } from '../../../src/hosts/nodes/fleet/nkeys.ts';
import { METHODS } from '../../../src/wire/methods.ts';
import { NODE_METHODS, type NodeMethods } from '../../../src/wire/nodes/methods.ts';
import { runs, timeoutFor, withSeed } from '../../support/budget.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { GATEWAY, linkedNode } from './linked-node.ts';

const OTHER = 'h'.repeat(32);
const JUDGED = { tools: { exec: { host: 'gateway' } } } as const;

const newKey = (role: NkeyRole): Nkey => nkeyOf(role, newSeed(role))!;

async function acceptedSession({ events }: Exec): Promise<string> {
  await until(() => events.length > 0, 'the event accepted');
  const [event] = events;
  if (event?.type !== 'accepted') throw new Error('not accepted');
  return event.session.id;
}

function sessionOf(result: NodeMethods['exec.start']['result']) {
  if (!('session' in result)) throw new Error(`no session: ${JSON.stringify(result)}`);
  return result.session;
}

describe('a node', () => {
  it('runs a command for a gateway and sends its log', async () => {
    const node = await linkedNode();
    const exec = node.connect().exec('pwd; echo error >&2; exit 3');
    const session = sessionOf(await exec.result);
    expect({ code: session.exitCode, agent: session.agent, host: session.host }).toEqual({
      code: 3,
      agent: `${GATEWAY}/main`,
      host: 'gateway',
    });
    expect(exec.output()).toBe(`${node.folder}\nerror\n`);
    expect(exec.events).toMatchObject([{ type: 'accepted', session: { id: session.id } }]);
    expect(await node.gateway.call('notice.list', {})).toEqual([]);
  });

  it('describes itself', async () => {
    const node = await linkedNode();
    expect(await node.connect().call('node.describe', {})).toEqual({
      path: '/usr/bin:/bin',
      workspace: node.folder,
      store: node.store.id,
      platform: 'linux',
      version: '1',
    });
  });

  it('takes a token for its key from its own NATS account, and no other', async () => {
    const key = newIdentity();
    const newAccount = () => ({ account: newKey('account').publicKey, accountKey: newKey('account') });
    const [own, other] = [newAccount(), newAccount()];
    const node = await linkedNode(undefined, { key: () => key });
    const end = node.connect();
    const token = nodeToken(own, key, 1_000);
    const refused = async (wrong: string, message: string): Promise<void> =>
      expect(end.call('node.credentials', { token: wrong })).rejects.toMatchObject({ code: 'PARAM_INVALID', message });
    await refused(token, 'the token is not from the NATS account of this node'); // it has none yet
    node.store.setNatsToken(token);
    const renewed = nodeToken(own, key, 2_000);
    await end.call('node.credentials', { token: renewed });
    await refused(nodeToken(own, newIdentity(), 3_000), 'the token is not for the key of this node');
    await refused(nodeToken(other, key, 3_000), 'the token is not from the NATS account of this node');
    await refused(
      nodeToken({ ...other, account: own.account }, key, 3_000),
      'the token is not from the NATS account of this node',
    );
    expect(node.store.natsToken()).toBe(renewed);
  });

  it('refuses every other method, and keeps the link', async () => {
    const end = (await linkedNode()).connect();
    const closed = Object.keys(METHODS).filter((name) => !Object.hasOwn(NODE_METHODS, name));
    for (const method of [...closed, 'constructor', '__proto__', ''])
      await expect(end.channel.call(method, {})).rejects.toMatchObject({ code: 'NODE_METHOD_REFUSED' });
    await end.call('node.describe', {});
  });

  it('refuses malformed parameters, and keeps the link', async () => {
    const end = (await linkedNode()).connect();
    const parameterless = ['node.describe', 'approval.list'];
    for (const method of Object.keys(NODE_METHODS).filter((name) => !parameterless.includes(name)))
      for (const params of [null, [], {}, { sessionId: 1 }, { key: 'x' }])
        await expect(end.channel.call(method, params)).rejects.toMatchObject({ code: 'GATEWAY_BAD_REQUEST' });
    await end.call('node.describe', {});
  });

  it('ignores members that would make a caller the operator', async () => {
    const node = await linkedNode(JUDGED);
    const exec = node.connect().exec('touch ran', { caller: { agent: 'main', operator: true } as never });
    expect(await exec.result).toMatchObject({ outcome: { status: 'approval-pending' } });
    const [asked] = await node.gateway.call('approval.list', {});
    expect(asked?.binding).toMatchObject({ agent: `${GATEWAY}/main` });
  });

  it('runs nothing where node.exec is off', async () => {
    const node = await linkedNode(undefined, { terms: { exec: 'off' } } as never);
    const exec = node.connect().exec('touch ran');
    await expect(exec.result).rejects.toMatchObject({ code: 'NODE_CANNOT' });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });

  it('puts the folders of the gateway before its own PATH', async () => {
    const node = await linkedNode();
    const exec = node.connect().exec('printf %s "$PATH"', { path: '/opt/first:/usr/bin:/bin' });
    await exec.result;
    expect(exec.output().split(':')[0]).toBe('/opt/first');
  });

  it('passes on input, sizes, interrupts and kills', async () => {
    const end = (await linkedNode()).connect();
    const cat = end.exec('cat', { stdin: 'open' });
    const catId = await acceptedSession(cat);
    await end.call('session.write', { sessionId: catId, data: Buffer.from('héllo\n').toString('base64') });
    await until(() => cat.output() === 'héllo\n', 'the output');
    await end.call('session.write', { sessionId: catId, data: '', end: true });
    expect(sessionOf(await cat.result).exitCode).toBe(0);

    // The shell handles the interrupt itself: one that arrives while it starts a program can be lost.
    const pty = end.exec('trap "exit 1" INT; echo up; read line', {
      request: { command: '', pty: true },
      size: { cols: 80, rows: 24 },
    });
    const ptyId = await acceptedSession(pty);
    await until(() => pty.output().includes('up'), 'the output');
    await end.call('session.resize', { sessionId: ptyId, size: { cols: 100, rows: 30 } });
    await end.call('session.interrupt', { sessionId: ptyId });
    expect(sessionOf(await pty.result)).toMatchObject({ pty: { cols: 100, rows: 30 } });

    const slept = end.exec('sleep 60');
    const { session } = await end.call('session.kill', { sessionId: await acceptedSession(slept) });
    expect(session).toMatchObject({ status: 'failed', failure: 'killed' });
    expect(sessionOf(await slept.result).failure).toBe('killed');
  });
});

describe('a session from before a change', () => {
  it.each([
    ['node.exec', { exec: 'off' }],
    ['node.sandbox', { sandbox: true }],
  ] as const)('of %s gets no input of the gateway, and can be ended', async (setting, changed) => {
    const terms: Partial<NodeTerms> = {};
    const node = await linkedNode(undefined, { terms } as never);
    const end = node.connect();
    const [shell, other] = [end.exec('sh', { stdin: 'open' }), end.exec('sh', { stdin: 'open' })];
    const sessionId = await acceptedSession(shell);
    const data = (text: string): string => Buffer.from(text).toString('base64');
    await end.call('session.write', { sessionId, data: data('echo before\n') });
    await until(() => shell.output() === 'before\n', 'the output');
    Object.assign(terms, changed);
    for (const more of [{}, { end: true as const }])
      await expect(end.call('session.write', { sessionId, data: data('touch ran\n'), ...more })).rejects.toMatchObject({
        code: 'NODE_CANNOT',
        message: expect.stringContaining(setting),
      });
    await end.call('session.write', { sessionId, data: '', end: true });
    expect(sessionOf(await shell.result)).toMatchObject({ exitCode: 0 });
    const { session } = await end.call('session.kill', { sessionId: await acceptedSession(other) });
    expect(session).toMatchObject({ failure: 'killed' });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });
});

describe('another gateway, and a local session', () => {
  it('are invisible to each other', async () => {
    const node = await linkedNode();
    const theirs = node.connect(OTHER).exec('sleep 60');
    const theirId = await acceptedSession(theirs);
    const local = await node.exec({ command: 'sleep 60', background: true });
    const localId = 'session' in local ? local.session.id : '';
    const end = node.connect();
    for (const sessionId of [theirId, localId, theirId.slice(0, 3), ''])
      for (const [method, params] of [
        ['session.follow', { sessionId, after: 0 }],
        ['session.write', { sessionId, data: '' }],
        ['session.resize', { sessionId, size: { cols: 10, rows: 10 } }],
        ['session.interrupt', { sessionId }],
        ['session.processes', { sessionId }],
        ['session.kill', { sessionId }],
      ] as const) {
        const error: unknown = await end.channel.call(method, params).catch((fault: unknown) => fault);
        expect(error).toMatchObject({ code: 'EXEC_SESSION_UNKNOWN' });
        if (sessionId !== theirId && sessionId !== localId) expect(JSON.stringify(error)).not.toContain(theirId);
      }
    expect(await end.call('exec.lookup', { key: theirs.key, store: node.store.id })).toEqual({ state: 'never' });
    await node.calls.removed(OTHER);
    expect(sessionOf(await theirs.result).failure).toBe('killed');
    const left = await node.gateway.call('session.list', { caller: { agent: 'main' } });
    expect(left.map(({ id, status }) => [id, status])).toEqual([[localId, 'running']]);
  });
});

describe('a key', () => {
  it('starts one command, however often and from however many links it comes', async () => {
    const node = await linkedNode();
    const first = node.connect().exec('echo run >> runs; echo done');
    const others = Array.from({ length: 8 }, () =>
      node.connect().exec('echo run >> runs; echo done', { key: first.key }),
    );
    const results = await Promise.all([first, ...others].map(({ result }) => result));
    const again = node.connect().exec('echo other', { key: first.key });
    const last = sessionOf(await again.result);
    expect(new Set(results.map((result) => sessionOf(result).id))).toEqual(new Set([last.id]));
    expect(readFileSync(join(node.folder, 'runs'), 'utf8')).toBe('run\n');
    expect([first, ...others, again].map((exec) => exec.output())).toEqual(Array.from({ length: 10 }, () => 'done\n'));
  });

  it('of another gateway is another key', async () => {
    const node = await linkedNode();
    const first = node.connect().exec('echo a');
    const second = node.connect(OTHER).exec('echo b', { key: first.key });
    await Promise.all([first.result, second.result]);
    expect([first.output(), second.output()]).toEqual(['a\n', 'b\n']);
  });

  it('is looked up by its state', async () => {
    const node = await linkedNode();
    const end = node.connect();
    const state = async (key: string, store = node.store.id) => (await end.call('exec.lookup', { key, store })).state;
    const running = end.exec('sleep 60');
    const id = await acceptedSession(running);
    expect(await end.call('exec.lookup', { key: running.key, store: node.store.id })).toMatchObject({
      state: 'running',
      session: { id },
    });
    await end.call('session.kill', { sessionId: id });
    await running.result;
    expect(await state(running.key)).toBe('ended');
    const unknown = '11111111-1111-4111-8111-111111111111';
    expect([await state(unknown), await state(unknown, 'another'), await state(running.key, 'another')]).toEqual([
      'never',
      'lost',
      'ended',
    ]);
  });

  it('that was withdrawn before it arrived never starts a command', async () => {
    const node = await linkedNode();
    const end = node.connect();
    const key = '22222222-2222-4222-8222-222222222222';
    const lookUp = (how: { readonly withdraw?: true } = {}) =>
      end.call('exec.lookup', { key, store: node.store.id, ...how });
    expect(await lookUp({ withdraw: true })).toEqual({ state: 'never' });
    await expect(end.exec('touch ran', { key }).result).rejects.toMatchObject({ code: 'NODE_NOT_DISPATCHED' });
    expect(await lookUp()).toEqual({ state: 'never' });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });

  it('of a denied or refused request never ran, and keeps its answer', async () => {
    const node = await linkedNode({ tools: { exec: { host: 'gateway', security: 'deny' } } });
    const end = node.connect();
    const denied = end.exec('touch ran');
    const answer = await denied.result;
    expect(answer).toMatchObject({ outcome: { status: 'denied', reason: 'security=deny' } });
    const { judgement: _, ...outcome } = (answer as { readonly outcome: Record<string, unknown> }).outcome;
    expect(await end.exec('touch ran', { key: denied.key }).result).toEqual({ outcome });
    expect(await end.call('exec.lookup', { key: denied.key, store: node.store.id })).toMatchObject({ state: 'never' });
    const missing = end.exec('true', { request: { command: '', workdir: 'missing' } });
    await expect(missing.result).rejects.toMatchObject({ code: 'EXEC_WORKDIR_MISSING' });
    await expect(end.exec('true', { key: missing.key }).result).rejects.toMatchObject({ code: 'EXEC_WORKDIR_MISSING' });
    expect(await end.call('exec.lookup', { key: missing.key, store: node.store.id })).toEqual({ state: 'never' });
  });

  it.each([
    ['a person denied', JUDGED, 'user-denied', 'the command was not run: the user denied it: not today'],
    [
      'nobody answered in time',
      { ...JUDGED, approvals: { timeoutMs: 30 } },
      'approval-timeout (allowlist-miss)',
      'the command was not run: approval-timeout (allowlist-miss)',
    ],
  ])('of a request that %s is looked up with the reason', async (_, config, reason, message) => {
    const node = await linkedNode(config);
    const end = node.connect();
    const asked = end.exec('touch ran');
    await asked.result;
    const [approval] = await node.gateway.call('approval.list', { state: 'all' });
    if (reason === 'user-denied')
      await node.gateway.call('approval.resolve', {
        id: approval!.id,
        decision: 'deny',
        by: 'you',
        reason: 'not today',
      });
    const lookUp = () => end.call('exec.lookup', { key: asked.key, store: node.store.id });
    await until(async () => (await lookUp()).state !== 'asked', 'the end of the approval request');
    const outcome = { status: 'denied', reason, message, warnings: [] };
    expect(await lookUp()).toEqual({ state: 'never', outcome, approval: approval!.id });
  });

  it('of a request that needs approval is asked, and runs once after the answer', async () => {
    const node = await linkedNode(JUDGED);
    const end = node.connect();
    const asked = end.exec('touch ran');
    const result = await asked.result;
    expect(result).toMatchObject({ outcome: { status: 'approval-pending' } });
    expect(await end.exec('touch ran', { key: asked.key }).result).toMatchObject({
      outcome: { status: 'approval-pending' },
    });
    expect((await end.call('exec.lookup', { key: asked.key, store: node.store.id })).state).toBe('asked');
    const [approval, ...more] = await node.gateway.call('approval.list', {});
    expect(more).toEqual([]);
    await node.gateway.call('approval.resolve', { id: approval!.id, decision: 'allow-once', by: 'you' });
    await until(async () => existsSync(join(node.folder, 'ran')), 'the command');
    const after = end.exec('touch ran', { key: asked.key });
    expect(sessionOf(await after.result)).toMatchObject({ exitCode: 0, approvalId: approval!.id });
    expect((await end.call('exec.lookup', { key: asked.key, store: node.store.id })).state).toBe('ended');
  });

  it('of a start that the node did not survive is lost', async () => {
    const node = await linkedNode();
    const key = '22222222-2222-4222-8222-222222222222';
    node.store.accept(GATEWAY, key);
    const end = node.connect();
    expect(await end.call('exec.lookup', { key, store: node.store.id })).toEqual({ state: 'lost' });
    await expect(end.exec('touch ran', { key }).result).rejects.toMatchObject({ code: 'NODE_OUTCOME_UNKNOWN' });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });

  it('does not find another session with the id of its own', async () => {
    const node = await linkedNode();
    const end = node.connect();
    const other = end.exec('sleep 60');
    const id = await acceptedSession(other);
    const key = randomUUID();
    node.store.accept(GATEWAY, key);
    node.store.note(GATEWAY, key, { session: id, started: '1' }); // of the node before its restart
    expect(await end.call('exec.lookup', { key, store: node.store.id })).toEqual({ state: 'lost' });
    await expect(end.exec('sleep 60', { key }).result).rejects.toMatchObject({ code: 'NODE_OUTCOME_UNKNOWN' });
    await end.call('session.kill', { sessionId: id });
  });

  it('that cannot be written starts nothing', async () => {
    const { store } = await linkedNode();
    const full = () => {
      throw new Fault('APPROVAL_STORE_FULL', 'the disk is full');
    };
    const node = await linkedNode(undefined, { store: { ...store, accept: full } });
    await expect(node.connect().exec('touch ran').result).rejects.toMatchObject({ code: 'NODE_CANNOT' });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });
});

describe('the settings of a gateway', () => {
  it('restrict its own commands', async () => {
    const node = await linkedNode();
    const deny = { tools: { exec: { denyRules: [{ pattern: '/**/touch' }] } } };
    const denied = node.connect().exec('touch ran', { restrictions: deny });
    expect(await denied.result).toMatchObject({ outcome: { status: 'denied', reason: 'deny-rule' } });
    const strict = node.connect().exec('touch ran', { restrictions: { tools: { exec: { security: 'deny' } } } });
    expect(await strict.result).toMatchObject({ outcome: { status: 'denied', reason: 'security=deny' } });
  });

  it('deny also where the node has an entry for the agent with deny rules of its own', async () => {
    const list = [{ id: `${GATEWAY}/main`, tools: { exec: { denyRules: [{ pattern: '/**/dd' }] } } }];
    const node = await linkedNode({
      tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } },
      agents: { list },
    });
    const deny = { tools: { exec: { denyRules: [{ pattern: '/**/touch' }] } } };
    const denied = node.connect().exec('touch ran', { restrictions: deny });
    expect(await denied.result).toMatchObject({ outcome: { status: 'denied', reason: 'deny-rule' } });
  });

  it('loosen nothing', async () => {
    const node = await linkedNode(JUDGED);
    const lax = {
      tools: { exec: { host: 'sandbox', security: 'full', ask: 'off' }, elevated: { enabled: true } },
      approvals: { headless: true },
      agents: { list: [{ id: `${GATEWAY}/main`, tools: { exec: { security: 'full', ask: 'off' } } }] },
    };
    const asked = node.connect().exec('touch ran', { restrictions: lax });
    expect(await asked.result).toMatchObject({ outcome: { status: 'approval-pending' } });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });
});

describe('a cut link', () => {
  it('ends no session, and the log goes on from any position', async () => {
    const node = await linkedNode();
    writeFileSync(join(node.folder, 'go'), '');
    const first = node.connect();
    const exec = first.exec('echo one; while [ -e go ]; do sleep 0.05; done; echo two');
    const sessionId = await acceptedSession(exec);
    await until(() => exec.output() === 'one\n', 'the first line');
    first.cut();
    await expect(exec.result).rejects.toThrow('lost');
    const second = node.connect();
    const parts: Buffer[] = [];
    const followed = second.call(
      'session.follow',
      { sessionId, after: 4 },
      { log: ({ bytes }) => parts.push(Buffer.from(bytes)) },
    );
    unlinkSync(join(node.folder, 'go'));
    expect((await followed).session).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(Buffer.concat(parts).toString()).toBe('two\n');
  });

  it('leaves the log on the disk; that of a short session which was followed to its end stays in memory', async () => {
    const node = await linkedNode();
    const logOf = (id: string): string => join(node.stateDir, 'sessions', id, 'log');
    const end = node.connect();
    const short = sessionOf(await end.exec('echo one').result);
    writeFileSync(join(node.folder, 'go'), '');
    const exec = end.exec('echo one; while [ -e go ]; do sleep 0.05; done');
    const sessionId = await acceptedSession(exec);
    await until(() => exec.output() === 'one\n', 'the first line');
    end.cut();
    await expect(exec.result).rejects.toThrow('lost');
    await until(() => existsSync(logOf(sessionId)) && readFileSync(logOf(sessionId), 'utf8') === 'one\n', 'the log');
    expect(existsSync(logOf(short.id))).toBe(false);
    unlinkSync(join(node.folder, 'go'));
  });

  it('ends an attached session, unless the gateway follows it again in time', async () => {
    const node = await linkedNode(undefined, { attachedMs: 300 });
    const first = node.connect();
    const lost = first.exec('sleep 60', { attached: true });
    const kept = first.exec('sleep 60', { attached: true });
    const [lostId, keptId] = [await acceptedSession(lost), await acceptedSession(kept)];
    first.cut();
    const second = node.connect();
    const follow = second.call('session.follow', { sessionId: keptId, after: 0 });
    const ended = await node.gateway.call('session.wait', {
      caller: { agent: '', operator: true },
      sessionId: lostId,
      waitMs: 30_000,
    });
    expect(ended).toMatchObject({ failure: 'killed' });
    expect((await second.call('exec.lookup', { key: kept.key, store: node.store.id })).state).toBe('running');
    await second.call('session.kill', { sessionId: keptId });
    expect((await follow).session.failure).toBe('killed');
  });

  it('in the form of a cancelled call ends nothing and answers', async () => {
    const node = await linkedNode();
    const end = node.connect();
    const exec = end.exec('sleep 60');
    const sessionId = await acceptedSession(exec);
    exec.cancel();
    expect(sessionOf(await exec.result)).toMatchObject({ id: sessionId, status: 'running' });
    await end.call('session.kill', { sessionId });
  });
});

describe('a link that is cut at any moment', () => {
  it(
    'starts each request once, and delivers its whole log',
    withSeed(async (next) => {
      const node = await linkedNode();
      const turns = (most: number) => eventLoopTurns(Math.floor(next() * most));
      /** As a gateway does: after a cut it looks the key up, and sends the request again only if it never ran. */
      const outputOf = async (number: number): Promise<string> => {
        const key = randomUUID();
        const command = `echo ${number} >> runs; seq 1 2000`;
        let log = Buffer.alloc(0);
        let session: string | undefined;
        for (;;) {
          const end = node.connect();
          const cut = next() < 0.7 ? turns(60).then(() => end.cut()) : undefined;
          const listen = {
            log: ({ start, bytes }: { start: number; bytes: Uint8Array }) => {
              expect(start).toBe(log.length);
              log = Buffer.concat([log, bytes]);
            },
            event: (event: unknown) => {
              const { type, session: started } = event as { type: string; session: { id: string } };
              if (type === 'accepted') session = started.id;
            },
          };
          try {
            if (session === undefined) {
              const { state, session: found } = await end.call('exec.lookup', { key, store: node.store.id });
              if (state === 'lost') throw new Fault('NODE_OUTCOME_UNKNOWN', 'lost');
              session = found?.id;
              if (state === 'asked') continue;
            }
            if (session !== undefined)
              await end.call('session.follow', { sessionId: session, after: log.length }, listen);
            else await end.call('exec.start', { key, request: { command }, caller: { agent: 'main' } }, listen);
            return log.toString();
          } catch (error) {
            if (error instanceof Fault) throw error; // not a cut
          } finally {
            await cut;
            end.cut();
          }
        }
      };
      const count = runs(40);
      const outputs = await Promise.all(Array.from({ length: count }, (_, number) => outputOf(number)));
      const whole = Array.from({ length: 2000 }, (_, line) => `${line + 1}\n`).join('');
      expect(outputs.filter((output) => output !== whole)).toEqual([]);
      const ran = readFileSync(join(node.folder, 'runs'), 'utf8').trim().split('\n');
      expect(ran.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, number) => number));
    }),
    timeoutFor(60_000),
  );
});

describe('a long log', () => {
  it('reaches a slow gateway whole, and waits in the log of the node meanwhile', async () => {
    const node = await linkedNode();
    const end = node.connect();
    const exec = end.exec('seq 1 2000000');
    const session = sessionOf(await exec.result);
    expect(exec.output().length).toBe(session.bytes);
    expect(exec.output().endsWith('\n2000000\n')).toBe(true);
  });
});
