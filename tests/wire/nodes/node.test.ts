import { describe, expect, it } from 'vitest';
import { bounded } from '../../../src/wire/nodes/bounded.ts';
import { HANDSHAKE } from '../../../src/wire/nodes/handshake.ts';
import { NODE_METHODS } from '../../../src/wire/nodes/methods.ts';
import { nodeId, nodeInfo } from '../../../src/wire/nodes/node.ts';
import { check, json, record, type Schema, type Shape, string } from '../../../src/wire/schema.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';

const KEY = '0b7c1b7e-2f0c-4b1e-9d0c-3a8a9a3c1d2e';
const session: SessionInfo = {
  agent: 'main',
  id: 'brisk-otter',
  command: 'uname -n',
  name: 'uname',
  cwd: '/home/x',
  host: 'gateway',
  status: 'running',
  startedAt: 1,
  backgrounded: false,
  stdinOpen: false,
  waitingForInput: false,
  bytes: 0,
  truncated: false,
  tail: '',
};
const start = { key: KEY, request: { command: 'ls' }, caller: { agent: 'main' } };
const read = (schema: Schema<unknown>, value: unknown): unknown => check(schema, value, 'value');

describe('what a gateway may call', () => {
  const { params, event, result } = NODE_METHODS['exec.start'];

  it('accepts a request with its options, and drops what it does not know', () => {
    const whole = {
      ...start,
      size: { cols: 80, rows: 24 },
      streams: 'apart',
      stdin: 'open',
      attached: true,
      path: '/x:/bin',
      restrictions: { tools: { exec: { security: 'deny' } } },
    };
    expect(read(params, { ...whole, operator: true, caller: { ...start.caller, operator: true } })).toEqual(whole);
  });

  it.each([
    ['a key that is not a UUID', { ...start, key: 'x' }],
    ['a command of a megabyte', { ...start, request: { command: 'x'.repeat(1024 * 1024) } }],
    ['ten thousand variables', { ...start, request: { command: 'ls', env: Object.fromEntries(count(10_000)) } }],
    ['an agent with a long name', { ...start, caller: { agent: 'x'.repeat(257) } }],
    ['a terminal without columns', { ...start, size: { cols: 0, rows: 1 } }],
    ['restrictions of many values', { ...start, restrictions: { a: Array.from({ length: 20_001 }, () => 1) } }],
  ])('refuses %s', (_name, value) => {
    expect(() => read(params, value)).toThrow('must be');
  });

  it('accepts a session or an outcome as its result, and nothing else', () => {
    const outcome = { status: 'denied', reason: 'allowlist-miss', message: 'no', warnings: [] };
    expect(read(result, { session })).toEqual({ session });
    expect(read(result, { outcome })).toEqual({ outcome });
    expect(() => read(result, {})).toThrow('session is missing');
    expect(() => read(result, { outcome: { ...outcome, status: 'completed', session } })).toThrow('must be');
    expect(() => read(result, { session: { ...session, tail: 'x'.repeat(600_000) } })).toThrow('must be');
  });

  it('has one line of plain text wherever the gateway shows it, and the command as it is', () => {
    const hostile = '\u001b[2Jpaste\nthis\u202e';
    const plain = ' [2Jpaste this ';
    const refused = {
      status: 'denied',
      reason: 'allowlist-miss',
      message: hostile,
      hint: 'x'.repeat(5_000),
      warnings: [],
    };
    expect(read(result, { outcome: refused })).toEqual({
      outcome: { ...refused, message: plain, hint: `${'x'.repeat(4096)}…` },
    });
    const shown = { ...session, command: 'a\nb', tail: 'one\ntwo', cwd: hostile, failureNote: hostile };
    expect(read(result, { session: shown })).toEqual({ session: { ...shown, cwd: plain, failureNote: plain } });
  });

  it('has the events accepted and gap', () => {
    expect(read(event, { type: 'accepted', session })).toEqual({ type: 'accepted', session });
    expect(read(event, { type: 'gap', start: 1, bytes: 2 })).toEqual({ type: 'gap', start: 1, bytes: 2 });
    expect(() => read(event, { type: 'gap', start: -1, bytes: 2 })).toThrow('must be');
  });

  it('writes at most 64 KiB at a time, in base64', () => {
    const write = NODE_METHODS['session.write'].params;
    const data = Buffer.alloc(64 * 1024).toString('base64');
    expect(read(write, { sessionId: 'x', data })).toEqual({ sessionId: 'x', data });
    expect(() => read(write, { sessionId: 'x', data: `${data}AAAA` })).toThrow('must be');
    expect(() => read(write, { sessionId: 'x', data: 'ä' })).toThrow('must be');
  });
});

function count(entries: number): [string, string][] {
  return Array.from({ length: entries }, (_, i) => [`V${i}`, '']);
}

/** Places of strings, arrays and records without a maximum, outside of values whose total is limited. */
function unlimited(schema: Schema<unknown>, at: string): string[] {
  const shape: Shape = schema.shape;
  if (isBoundedInTotal(schema)) return [];
  if (shape.type === 'string') return shape.max === undefined ? [at] : [];
  if (shape.type === 'array') return [...(shape.max === undefined ? [at] : []), ...unlimited(shape.items, `${at}[]`)];
  if (shape.type === 'record') return [...(shape.max === undefined ? [at] : []), ...unlimited(shape.values, `${at}{}`)];
  if (shape.type === 'object')
    return Object.entries(shape.members).flatMap(([name, member]) => unlimited(member, `${at}.${name}`));
  if (shape.type === 'union' || shape.type === 'anyOf') return shape.cases.flatMap((one) => unlimited(one, at));
  return shape.type === 'json' ? [at] : [];
}

/** Whether it refuses a large value before it looks at anything else. */
function isBoundedInTotal(schema: Schema<unknown>): boolean {
  let isRefused = false;
  const wrong = (expected: string): void => {
    isRefused ||= expected.startsWith('a value of at most');
  };
  schema.read({ x: 'x'.repeat(20_000_000) }, { at: [], wrong, unknown() {} });
  return isRefused;
}

it('limits every string, list and record that crosses machines', () => {
  const parts = [
    ...Object.entries(NODE_METHODS).flatMap(([name, shapes]) =>
      Object.entries(shapes).map(([part, schema]): [string, Schema<unknown>] => [`${name} ${part}`, schema]),
    ),
    ...Object.entries(HANDSHAKE),
  ];
  expect(parts.flatMap(([name, schema]) => unlimited(schema, name))).toEqual([]);
});

describe('bounded', () => {
  const schema = bounded(record(json()), { text: 10, values: 4 });

  it.each([
    ['within both', { a: 'b', c: ['d', 1] }, true],
    ['with long strings', { a: 'x'.repeat(10) }, false],
    ['with long names', { ['x'.repeat(11)]: 1 }, false],
    ['with many entries', { a: [1, 2, 3, 4] }, false],
    ['with many members', { a: 1, b: 1, c: 1, d: 1, e: 1 }, false],
  ])('decides about a value %s', (_name, value, isAccepted) => {
    if (isAccepted) expect(read(schema, value)).toEqual(value);
    else expect(() => read(schema, value)).toThrow('a value of at most 10 characters and 4 values');
  });

  it('reads a very deep value', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => read(bounded(string(), { text: 10, values: 1000 }), deep)).toThrow('at most');
  });
});

it('has ids of 32 letters, and names without control characters', () => {
  const info = {
    id: 'a'.repeat(32),
    name: 'mac',
    platform: 'linux',
    version: '1',
    state: 'paired',
    connected: true,
    offer: { exec: 'judged', files: 'none', pty: true },
  };
  expect(read(nodeInfo, info)).toEqual(info);
  expect(() => read(nodeInfo, { ...info, name: 'a\nb' })).toThrow('must be');
  expect(() => read(nodeId, 'A'.repeat(32))).toThrow('must be');
});

it('counts a long list without using up the stack', () => {
  const schema = bounded(json(), { text: 10, values: 1_000_000 });
  expect(
    (
      read(
        schema,
        Array.from({ length: 500_000 }, () => 1),
      ) as readonly unknown[]
    ).length,
  ).toBe(500_000);
});
