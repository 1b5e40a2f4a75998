/** Requests to a node survive any list of faults: each key starts at most one command, and logs are whole. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { fc, runs, timeoutFor } from '../../support/property.ts';
import { type FaultyPair, faultyPair, timesRun } from './faulty-pair.ts';

const caller = { agent: 'main', conversation: 'c' };
const operator = { agent: '', operator: true } as const;

const FAULTS = ['cut', 'swallow', 'repeat', 'replay', 'crash', 'restart', 'restartNode'] as const;
const steps = fc.array(
  fc.record({
    fault: fc.constantFrom(...FAULTS, 'cut' as const, 'swallow' as const, 'cut' as const),
    /** Turns of the event loop before the fault, and before the reconnect. */
    before: fc.nat(60),
    after: fc.nat(10),
    /** A request starts before the fault. */
    starts: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

interface Request {
  readonly mark: string;
  /** The code of the error that its caller got. */
  code?: string | undefined;
  isSettled: boolean;
  /** The caller died with its gateway. */
  isOrphan: boolean;
}

let marks = 0;

/** The command prints 100 kB and leaves one character in a file. */
function start(pair: FaultyPair): Request {
  const mark = `mark-${++marks}`;
  const request: Request = { mark, isSettled: false, isOrphan: false };
  pair.host.exec({ command: `printf x >> ${mark}; seq 1 18000; echo ${mark}`, background: true }).then(
    () => (request.isSettled = true),
    (error: unknown) => {
      request.code = error instanceof Fault ? error.code : String(error);
      request.isSettled = true;
    },
  );
  return request;
}

async function apply(pair: FaultyPair, fault: (typeof FAULTS)[number], requests: readonly Request[]): Promise<void> {
  if (fault === 'crash' || fault === 'restart')
    for (const request of requests) request.isOrphan ||= fault === 'crash' && !request.isSettled;
  await pair[fault]();
}

async function hashOf({ gateway }: FaultyPair['host'], sessionId: string): Promise<string> {
  const hash = createHash('sha256');
  await gateway.follow({ caller: operator, sessionId }, (event) => {
    if (event.type === 'output') hash.update(event.bytes);
    else if (event.type === 'gap') hash.update(`gap of ${event.bytes} at ${event.start}`);
  });
  return hash.digest('hex');
}

/** Throws if a law is broken. */
async function check(pair: FaultyPair, requests: readonly Request[], hasRestartedNode: boolean): Promise<void> {
  const { host, node } = pair;
  await until(() => requests.every(({ isSettled, isOrphan }) => isSettled || isOrphan), 'the answers');
  await until(async () => (await pair.openRequests()) === 0, 'the ends of all requests');
  const sessions = await host.gateway.call('session.list', { caller });
  const audit = await host.gateway.call('audit.list', {});
  for (const { id } of sessions) {
    const events = audit.filter(({ sessionId }) => sessionId === id).map(({ event }) => event);
    expect(events, id).toEqual(['started', 'ended']);
  }
  const exits = (await host.gateway.call('notice.list', {})).filter(({ kind }) => kind === 'exec-exit');
  expect(new Set(exits.map(({ sessionId }) => sessionId)).size).toBe(exits.length);
  for (const { mark, code, isOrphan } of requests) {
    const times = timesRun(node, mark);
    expect(times, mark).toBeLessThanOrEqual(1);
    if (code === 'NODE_OFFLINE' || code === 'NODE_NOT_DISPATCHED') expect(times, `${mark}: ${code}`).toBe(0);
    const starts = audit.filter(({ event, command }) => event === 'started' && command?.includes(`${mark};`) === true);
    expect(starts.length, mark).toBeLessThanOrEqual(1);
    // A gateway that dies before it has sent the request leaves nothing.
    if (times === 1 || (code === undefined && !isOrphan)) expect(starts.length, `${mark}: ${code}`).toBe(1);
  }
  if (hasRestartedNode) return;
  for (const { id, command, exitCode } of sessions) {
    expect(exitCode, id).toBe(0);
    const own = (await node.gateway.call('session.list', { caller: operator })).find((one) => one.command === command);
    expect(await hashOf(host, id), id).toBe(await hashOf(node, own!.id));
  }
}

describe('requests to a node', () => {
  it(
    'run at most once, end once and have whole logs after any list of cuts, lost and repeated messages and restarts',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const pair = await faultyPair();
          try {
            pair.connect();
            const requests = [start(pair)];
            for (const { fault, before, after, starts } of all) {
              if (starts) requests.push(start(pair));
              await eventLoopTurns(before);
              await apply(pair, fault, requests);
              await eventLoopTurns(after);
              pair.connect();
            }
            await check(
              pair,
              requests,
              all.some(({ fault }) => fault === 'restartNode'),
            );
          } finally {
            await pair.close();
          }
        }),
        { numRuns: runs(12, 200) },
      );
    },
    timeoutFor(120_000),
  );
});
