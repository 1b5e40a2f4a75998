/** A paired node whose program is hostile: whatever it sends, the gateway answers its own caller, and serves other nodes. */
import { expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import type { IncomingCall } from '../../../src/hosts/channel/serving.ts';
import { testGateway } from '../../support/gateway.ts';
import { ENDED_NODE_SESSION, NODE_SESSION } from '../../support/node-session.ts';
import { memoryNodes } from '../../support/nodes.ts';
import { fc, runs, timeoutFor } from '../../support/property.ts';

const CONFIG = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } } as const;
const DESCRIPTION = { path: '/usr/bin:/bin', workspace: '/', store: 's', platform: 'linux', version: '0' };
const VALID: readonly unknown[] = [
  DESCRIPTION,
  { session: NODE_SESSION },
  { session: ENDED_NODE_SESSION },
  { state: 'running', session: NODE_SESSION },
  { state: 'never' },
  { outcome: { status: 'denied', reason: 'user-denied', message: '\u001b[2Jx', warnings: [] } },
  {},
];

/** A valid value, one of which any member may be any JSON. */
const result = fc
  .tuple(fc.constantFrom(...VALID), fc.array(fc.tuple(fc.nat(), fc.jsonValue()), { maxLength: 2 }))
  .map(([valid, changes]) => changes.reduce<unknown>((value, [at, other]) => changed(value, at, other), valid));
const step = fc.oneof(
  fc.record({ event: fc.oneof(fc.jsonValue(), fc.constantFrom({ type: 'accepted', session: NODE_SESSION })) }),
  fc.record({ log: fc.integer({ min: 0, max: 2 ** 40 }), bytes: fc.uint8Array({ maxLength: 100 }) }),
  fc.record({ gap: fc.integer({ min: 0, max: 2 ** 40 }) }),
);
const end = fc.oneof(
  fc.record({ result }),
  fc.record({ code: fc.string({ maxLength: 8 }), message: fc.string() }),
  fc.record({ cut: fc.constant(true) }),
);
const answer = fc.record({ steps: fc.array(step, { maxLength: 4 }), end });
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

function changed(value: unknown, at: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const names = Object.keys(value);
  const name = names[at % (names.length + 1)];
  if (name === undefined) return other;
  const member = (value as Record<string, unknown>)[name];
  return { ...value, [name]: changed(member, Math.floor(at / (names.length + 1)), other) };
}

function perform(call: IncomingCall, { steps, end: last }: Answer, cut: () => void): unknown {
  for (const one of steps) {
    if ('event' in one) call.event(one.event);
    else if ('log' in one) call.log({ stream: 'out', start: one.log, bytes: one.bytes });
    else call.event({ type: 'gap', start: one.gap, bytes: 1 });
  }
  if ('cut' in last) cut();
  else if ('code' in last) throw new Fault(last.code as never, last.message);
  else return last.result;
  return undefined;
}

it('answers its own caller, whatever a node sends, and serves the other nodes', {
  timeout: timeoutFor(60_000),
}, async () => {
  const memory = memoryNodes();
  const waits = { reconnectMs: 20, answerMs: 2_000, lostAfterMs: 20 };
  const host = await testGateway(CONFIG, { nodes: memory.nodes, nodeWaits: waits });
  const hostile = await memory.add({ name: 'hostile' });
  const honest = await memory.add({ name: 'honest' });
  honest.connect();
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 2, maxLength: 6 }), fc.boolean(), async (answers, describes) => {
      let next = 0;
      hostile.hostile = async (call) => {
        if (describes && call.method === 'node.describe') return DESCRIPTION;
        return perform(call, answers[next++ % answers.length]!, () => hostile.cut());
      };
      hostile.connect();
      const answered = await host
        .exec({ command: 'true', node: 'hostile', yieldMs: 50 })
        .catch((error: unknown) => error);
      if (answered instanceof Error) {
        expect(answered).toBeInstanceOf(Fault);
        expect((answered as Fault).code).not.toBe('INTERNAL_ERROR');
      } else
        expect(answered).toMatchObject({
          status: expect.stringMatching(/^(?:running|completed|failed|denied|approval-pending)$/u),
        });
      const { message = '' } = answered as { readonly message?: string };
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      hostile.cut();
    }),
    { numRuns: runs(60, 10_000) },
  );
  expect(await host.exec({ command: 'echo alive', node: 'honest' })).toMatchObject({
    status: 'completed',
    output: { text: 'alive\n' },
  });
});

it('lists each process of a node once, whatever the node says about their parents', async () => {
  const memory = memoryNodes();
  const host = await testGateway(CONFIG, { nodes: memory.nodes });
  const node = await memory.add({ name: 'hostile' });
  node.connect();
  const outcome = await host.exec({ command: 'sleep 600', background: true });
  if (!('session' in outcome)) throw new Error(JSON.stringify(outcome));
  const chain = Array.from({ length: 400 }, (_, i) => ({ pid: i + 2, ppid: i + 1, command: 'x' }));
  const ring = [
    { pid: 1_000, ppid: 1_001, command: 'x' },
    { pid: 1_001, ppid: 1_000, command: 'x' },
  ];
  const processes = [...chain, ...chain, ...ring];
  node.hostile = async ({ method }) => (method === 'session.processes' ? { processes, omitted: 7 } : {});
  const sessionId = outcome.session.id;
  const shown = await host.gateway.call('session.processes', { caller: { agent: 'main' }, sessionId });
  expect(shown).toEqual({ processes: [...chain, ...ring], omitted: 7 });
});
