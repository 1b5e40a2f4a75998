/** A paired gateway whose program is hostile: the node refuses what is malformed, runs only what its rules allow, and stays up. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NODE_METHODS } from '../../../src/wire/nodes/methods.ts';
import { fc, runs, timeoutFor } from '../../support/property.ts';
import { GATEWAY, linkedNode } from './linked-node.ts';

const KEY = '00000000-0000-4000-8000-00000000000';
/** Nothing but `true` is allowed, so that a command that creates a file shows a bypass. */
const RULES = { tools: { exec: { host: 'gateway', security: 'allowlist', ask: 'off' } } } as const;
const VALID: readonly unknown[] = [
  { key: `${KEY}1`, request: { command: 'touch ran' }, caller: { agent: 'main' } },
  { key: `${KEY}2`, request: { command: 'touch ran', security: 'full', ask: 'off' }, caller: { agent: 'main' } },
  { key: `${KEY}3`, store: 's' },
  { sessionId: 'quiet-mole', after: 0 },
  { sessionId: 'quiet-mole', data: '', end: true },
  { sessionId: 'quiet-mole', size: { cols: 1, rows: 1 } },
];
const SMUGGLED: Readonly<Record<string, unknown>> = {
  operator: true,
  host: 'sandbox',
  elevated: true,
  environment: { PATH: '/tmp' },
  pathPrepend: ['/tmp'],
  folder: '/',
  approvalId: 'x',
  guestSandbox: true,
  personOnly: false,
  typist: 'x',
  node: 'x',
  restrictions: { tools: { exec: { security: 'full', ask: 'off' } } },
  agents: { list: [{ id: 'main', tools: { exec: { security: 'full' } } }] },
};

/** A valid value with members that a gateway may not set, at any depth. */
const params = fc
  .tuple(
    fc.constantFrom(...VALID),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Object.keys(SMUGGLED))), { maxLength: 4 }),
  )
  .map(([valid, added]) => added.reduce<unknown>((value, [at, name]) => smuggled(value, at, name), valid));

function smuggled(value: unknown, at: number, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value);
  const inside = names[at % (names.length + 1)];
  if (inside === undefined) return { ...value, [name]: SMUGGLED[name] };
  const member = (value as Record<string, unknown>)[inside];
  return typeof member === 'object' && member !== null
    ? { ...value, [inside]: smuggled(member, Math.floor(at / (names.length + 1)), name) }
    : { ...value, [name]: SMUGGLED[name] };
}

it('stores a limited number of approval requests, whatever agents the gateway names', async () => {
  const node = await linkedNode({ tools: { exec: { host: 'gateway' } } }, { mostOpen: 3 });
  const end = node.connect();
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, at) => end.exec('touch ran', { caller: { agent: `agent-${at}` } }).result),
  );
  const statuses = outcomes.map((result) => ('outcome' in result ? result.outcome.status : 'ran'));
  expect(statuses.filter((status) => status === 'approval-pending').length).toBeLessThanOrEqual(3);
  const refused = outcomes.find((result) => 'outcome' in result && result.outcome.status === 'denied');
  expect(refused).toMatchObject({
    outcome: { reason: 'approval-unavailable', message: expect.stringContaining('already has 3 pending') },
  });
  for (let at = 0; at < 4; at++) await end.exec('touch ran', { caller: { agent: `later-${at}` } }).result;
  expect(await node.gateway.call('approval.count', { state: 'pending' })).toBe(3);
  // Another gateway has its own limit, and answered requests make room.
  const other = await node.connect('h'.repeat(32)).exec('touch ran').result;
  expect(other).toMatchObject({ outcome: { status: 'approval-pending' } });
  const [first] = await node.gateway.call('approval.list', { state: 'pending' });
  await node.gateway.call('approval.resolve', { id: first!.id, decision: 'deny', by: 'ann' });
  const again = await (first!.binding.agent.startsWith('h') ? node.connect('h'.repeat(32)) : end).exec('touch ran')
    .result;
  expect(again).toMatchObject({ outcome: { status: 'approval-pending' } });
  expect(existsSync(join(node.folder, 'ran'))).toBe(false);
});

it('runs nothing that its rules do not allow, whatever a gateway sends, and stays up', {
  timeout: timeoutFor(60_000),
}, async () => {
  const node = await linkedNode(RULES);
  let end = node.connect();
  const methods = [...Object.keys(NODE_METHODS), 'session.list', 'approval.resolve', 'exec', ''];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), fc.oneof(params, fc.jsonValue()), async (method, sent) => {
      // A follower of notices waits for them; the others answer.
      const stop = new AbortController();
      const answered = end.channel.call(method, sent, { signal: stop.signal }).catch((error: unknown) => error);
      if (method === 'notice.follow') stop.abort();
      await answered;
      if (end.channel.lost !== undefined) end = node.connect();
    }),
    { numRuns: runs(200, 10_000) },
  );
  expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  const sessions = await node.gateway.call('session.list', { caller: { agent: '', operator: true } });
  expect(sessions.filter(({ agent }) => !agent.startsWith(`${GATEWAY}/`))).toEqual([]);
  expect(await node.connect().call('node.describe', {})).toMatchObject({ workspace: node.folder });
});
