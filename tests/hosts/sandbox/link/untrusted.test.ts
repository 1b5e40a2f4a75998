import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { BOUNDS } from '../../../../src/hosts/channel/bounds.ts';
import { ProtocolViolation, expectThat } from '../../../../src/hosts/channel/protocol-violation.ts';
import { MethodChecks } from '../../../../src/hosts/channel/method-checks.ts';
import { readToolResult } from '../../../../src/hosts/tool-calls/untrusted-result.ts';
import { Inbox } from '../../../../src/hosts/channel/inbox.ts';
import * as runner from '../../../../src/wire/runner.ts';
import type { Shape } from '../../../../src/wire/schema.ts';
import { runs, timeoutFor, withSeed } from '../../../support/budget.ts';
import { type News, readNews } from './former/news.ts';
import { readToolAnswer } from './former/tool-answer.ts';

const MESSAGES: readonly object[] = [
  { type: 'hello', protocol: 4 },
  { type: 'started', pid: 5, pty: false, warnings: ['a\u001b[2J', 'b'] },
  { type: 'started', pid: 2 ** 22, pty: true, warnings: Array.from({ length: 8 }, () => 'x'.repeat(1000)) },
  { type: 'exit', exit: { kind: 'code', code: 255 } },
  { type: 'exit', exit: { kind: 'signal', signal: 'SIGKILL' } },
  { type: 'exit', exit: { kind: 'failed', reason: 'changed', message: 'no\u202esuch\nfile' } },
  { type: 'exit', exit: { kind: 'lost', message: 'x' } },
  { type: 'inputClosed' },
  { type: 'limited', more: [1, { a: 2 }] },
  { type: 'killed', n: 7, ok: true },
  { type: 'connect', host: 'example.org', port: 65_535 },
];

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]);
const RESULTS: readonly { head: object; bodies: Buffer }[] = [
  { head: { content: [], details: {} }, bodies: Buffer.alloc(0) },
  {
    head: {
      content: [
        { type: 'text', text: 'short', steer: 1 },
        { type: 'text', bytes: 5 },
        { type: 'image', mimeType: 'image/png', bytes: 10 },
        { type: 'text', text: 'x', bytes: 'y' },
      ],
      details: { path: 'a', bytes: 3, edits: [{ line: 1, deep: { er: [null, true] } }], unknown: 1 },
    },
    bodies: Buffer.concat([Buffer.from('ab\u00e9c'), PNG]),
  },
  {
    head: {
      content: [{ type: 'text', text: 'no' }],
      details: { code: 'FS_NOT_FOUND', hint: 'look', status: 'error' },
      isError: true,
      error: 'no',
    },
    bodies: Buffer.alloc(0),
  },
];

type Next = () => number;
const pick = <T>(next: Next, from: readonly T[]): T => from[Math.floor(next() * from.length)]!;

/** Names and values that mean something to one of the readers, or look as if they did. */
const NAMES =
  'type kind exit code signal message pid pty warnings n ok host port protocol content details isError error text bytes mimeType hint status approvalId approvalSlug approveWith path __proto__ constructor toString reason'.split(
    ' ',
  );
const VALUES: readonly unknown[] = [
  0,
  -0,
  -1,
  1,
  5,
  10,
  1.5,
  255,
  256,
  65_535,
  65_536,
  2 ** 22,
  2 ** 22 + 1,
  2 ** 53,
  1e300,
  null,
  true,
  false,
  '',
  '0',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(4096),
  'x'.repeat(4097),
  'x'.repeat(65_537),
  'SIGINT',
  'SIG',
  'KILL',
  'SIGABCDEFGHIJKLM',
  'SIGABCDEFGHIJKL',
  'a\u001bb',
  '\ud800',
  'EXEC_X',
  'a',
  'A',
  'approval-pending',
  'spawn-failed',
  'hello',
  'started',
  'exit',
  'killed',
  'pong',
  'connect',
  'cut',
  'failed',
  'lost',
  'code',
  'signal',
  'text',
  'image',
  'image/png',
  'image/jpeg',
  'image/svg+xml',
  [],
  {},
  [[]],
  [1, 'a'],
  { type: 'text', text: 'x' },
  Array.from({ length: 9 }, () => 'w'),
  { a: { b: { c: 1 } } },
  Array.from({ length: 1001 }, () => ({ type: 'text', text: '' })),
];

/** A copy with one change somewhere. */
function mutated(next: Next, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || next() < 0.15) return pick(next, VALUES);
  const names = Object.keys(value);
  if (Array.isArray(value)) {
    const copy = [...(value as unknown[])];
    const at = Math.floor(next() * (copy.length + 1));
    if (at === copy.length) copy.push(pick(next, VALUES));
    else if (next() < 0.2) copy.splice(at, 1);
    else copy[at] = mutated(next, copy[at]);
    return copy;
  }
  const entries = Object.entries(value);
  const how = next();
  if (how < 0.2 || names.length === 0) entries.push([pick(next, NAMES), pick(next, VALUES)]);
  else if (how < 0.35) entries.splice(Math.floor(next() * entries.length), 1);
  else {
    const at = Math.floor(next() * entries.length);
    entries[at] = [how < 0.45 ? pick(next, NAMES) : entries[at]![0], mutated(next, entries[at]![1])];
  }
  return Object.fromEntries(entries.map(([name, member]) => [name === '__proto__' ? PROTO : name, member]));
}
/** Becomes `__proto__` in the text. */
const PROTO = '\u0001proto';
const textOf = (value: unknown): string => JSON.stringify(value).replaceAll(JSON.stringify(PROTO), '"__proto__"');

/** Now and then a few bytes are others. */
function damaged(next: Next, bytes: Buffer): Buffer {
  if (next() > 0.1) return bytes;
  const copy = Buffer.from(bytes.subarray(0, next() < 0.3 ? Math.floor(next() * bytes.length) : bytes.length));
  for (let i = 0; i < 3 && copy.length > 0; i++) copy[Math.floor(next() * copy.length)] = Math.floor(next() * 256);
  return copy;
}

function packed(head: string, bodies: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(head));
  return Buffer.concat([length, Buffer.from(head), bodies]);
}

type Outcome = { readonly value: unknown } | 'breach';

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof ProtocolViolation)) throw error;
    return 'breach';
  }
}

/** The slow comparison is for its message. */
function expectSame(now: Outcome, before: Outcome, bytes: Buffer): void {
  if (!isDeepStrictEqual(now, before)) expect(now, bytes.toString()).toStrictEqual(before);
}

function times(next: Next, value: unknown): unknown {
  let changed = value;
  for (let i = Math.floor(next() * 4); i > 0; i--) changed = mutated(next, changed);
  return changed;
}

const checks = new MethodChecks(runner.RUNNER_METHODS, 'hostile');
/** How each message of the reader before is sent now. */
const READERS: Readonly<Record<string, (fields: Record<string, unknown>) => unknown>> = {
  hello: (fields) => ({ type: 'hello', ...(checks.read('runner.welcome', 'result', fields) as object) }),
  exit: ({ exit }) => {
    const ending = checks.read('run.start', 'result', exit) as { kind: string };
    expect(checks.read('run.start', 'event', { type: 'exited', exit })).toStrictEqual({ type: 'exited', exit: ending });
    return { type: 'exit', exit: ending.kind === 'failed' ? { ...ending, reason: 'spawn-failed' } : ending };
  },
  killed: (fields) => {
    // The call that it answers is the id of its frame.
    expectThat(Number.isSafeInteger(fields['n']) && Number(fields['n']) >= 0, 'the end of no hunt');
    return { type: 'killed', n: fields['n'], ...(checks.read('run.kill', 'result', fields) as object) };
  },
  connect: (fields) => ({ type: 'connect', ...(checks.read('net.connect', 'params', fields) as object) }),
};

/** The answer to a ping and a cancellation: hosts/channel reads these itself. */
const OF_THE_CHANNEL: ReadonlySet<string> = new Set(['pong', 'cut']);

function readMessage(bytes: Buffer): unknown {
  const [message] = [new Inbox({ ...BOUNDS.hostile, message: 16 * 1024 }).message(bytes)] as Record<string, unknown>[];
  const type = message?.['type'];
  const read = typeof type === 'string' && Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  return read?.(message ?? {}) ?? checks.read('run.start', 'event', message);
}

it(
  'reads messages as the reader before it did',
  withSeed((next) => {
    let accepted = 0;
    const total = runs(4_000, 100_000);
    for (let i = 0; i < total; i++) {
      const bytes = damaged(next, Buffer.from(textOf(times(next, pick(next, MESSAGES)))));
      const before = outcomeOf(() => readNews(bytes));
      if (before !== 'breach' && OF_THE_CHANNEL.has((before.value as News).type)) continue;
      const now = outcomeOf(() => readMessage(bytes));
      expectSame(now, before, bytes);
      if (now !== 'breach') accepted++;
    }
    expect(accepted).toBeGreaterThan(total / 10);
    expect(accepted).toBeLessThan((total * 9) / 10);
  }),
  timeoutFor(20_000),
);

it(
  'reads results as the reader before it did',
  withSeed((next) => {
    let accepted = 0;
    const total = runs(4_000, 100_000);
    for (let i = 0; i < total; i++) {
      const { head, bodies } = pick(next, RESULTS);
      const bytes = damaged(next, packed(textOf(times(next, head)), bodies));
      const now = outcomeOf(() => readToolResult(bytes));
      expectSame(
        now,
        outcomeOf(() => readToolAnswer(bytes)),
        bytes,
      );
      if (now !== 'breach') accepted++;
    }
    expect(accepted).toBeGreaterThan(total / 10);
    expect(accepted).toBeLessThan((total * 9) / 10);
  }),
  timeoutFor(20_000),
);

it('has a greatest size for every text, list and opaque value that comes out of a sandbox', () => {
  const unbounded = (shape: Shape, at: string): readonly string[] => {
    const own = ['string', 'array', 'record'].includes(shape.type) && !('max' in shape) ? [at] : [];
    const inner: [string, { readonly shape: Shape }][] =
      shape.type === 'object' || shape.type === 'union' || shape.type === 'anyOf'
        ? Object.entries(shape.type === 'object' ? shape.members : shape.cases)
        : shape.type === 'array'
          ? [['[]', shape.items]]
          : shape.type === 'record'
            ? [['*', shape.values]]
            : [];
    return [...own, ...inner.flatMap(([name, schema]) => unbounded(schema.shape, `${at}.${name}`))];
  };
  const schemas: [string, { readonly shape: Shape }][] = Object.entries(runner.RUNNER_METHODS).flatMap(
    ([name, parts]) =>
      Object.entries(parts).map(([part, schema]): [string, { readonly shape: Shape }] => [`${name} ${part}`, schema]),
  );
  schemas.push(['resultDetails', runner.resultDetails], ['resultHead', runner.resultHead]);
  expect(schemas).toHaveLength(10);
  expect(schemas.flatMap(([name, schema]) => unbounded(schema.shape, name))).toEqual([]);
  expect(readFileSync('src/wire/runner.ts', 'utf8')).not.toMatch(/\bjson\(\)/u);
});
