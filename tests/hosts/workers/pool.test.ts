import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { POOL_LIMITS, type PoolLimits, type TaskOptions, WorkerPool } from '../../../src/hosts/workers/pool.ts';
import { builtScript } from '../../support/built.ts';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';

const pools: WorkerPool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});

function poolOf(limits: Partial<PoolLimits> = {}): WorkerPool {
  const command = { program: process.execPath, args: [builtScript('task-worker')], env: {} };
  const pool = new WorkerPool(command, { ...POOL_LIMITS, workers: 1, heapMb: 64, ...limits });
  pools.push(pool);
  return pool;
}

/** Calls of one owner. */
const run = (pool: WorkerPool, task: string, { owner = 'one', signal }: Partial<TaskOptions> = {}) =>
  pool.run(task, { owner, signal });

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  return work.then(
    (value) => Promise.reject(new Error(`it answered ${String(value)}`)),
    (error: unknown) => (error instanceof Fault ? error : Promise.reject(error)),
  );
}

describe('a pool of workers', () => {
  it('returns the result of a task, and keeps the worker for the next one', async () => {
    const pool = poolOf();
    const first = await run(pool, 'pid');
    expect(first).not.toBe(process.pid);
    expect(await run(pool, 'pid')).toBe(first);
  });

  it('throws the fault of a task unchanged, and a defect as a defect', async () => {
    const pool = poolOf();
    const { code, message, hint, details } = await faultOf(run(pool, 'fault'));
    expect({ code, message, hint, details }).toEqual({
      code: 'FS_NOT_FOUND',
      message: 'no such file',
      hint: 'look',
      details: { path: 'x' },
    });
    await expect(run(pool, 'defect')).rejects.toThrow('a defect');
  });

  it.each(['many objects', 'a growing map', 'a growing array', 'one long split'])(
    'F1: fails the one call that takes more memory than its ceiling: %s',
    async (task) => {
      const pool = poolOf();
      const before = await run(pool, 'pid');
      expect((await faultOf(run(pool, task))).code).toBe('TOOL_TOO_LARGE');
      const after = await run(pool, 'pid');
      expect(after).not.toBe(before);
    },
  );

  it('F2: fails the one call that does not end by the deadline, and ends its worker', async () => {
    const pool = poolOf({ deadlineMs: 500 });
    expect((await faultOf(run(pool, 'never ends'))).code).toBe('TOOL_TIMEOUT');
    expect(await run(poolOf(), 'pid')).toEqual(expect.any(Number));
  });

  it('L16: a worker that never pauses ends when its parent is killed', async () => {
    const script = `const worker = require('node:child_process').spawn(process.execPath, [process.argv[1]], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', detached: true });
      worker.once('message', () => console.log(worker.pid));
      worker.send({ type: 'task', task: 'writes for ever', parent: process.pid });`;
    const parent = spawn(process.execPath, ['-e', script, builtScript('task-worker')]);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    onTestFinished(() => void (isThere(pid) && process.kill(pid, 'SIGKILL')));
    expect(isThere(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !isThere(pid), 'the worker has ended');
  });

  it('M13: lets a call that has begun to write complete after the deadline, within a limit', async () => {
    const pool = poolOf({ deadlineMs: 2_000, writingMs: 60_000 });
    await run(pool, 'pid');
    expect(await run(pool, 'writes for longer than the deadline')).toBe('written');
    const bounded = poolOf({ deadlineMs: 500, writingMs: 500 });
    expect((await faultOf(run(bounded, 'writes for ever'))).code).toBe('TOOL_TIMEOUT');
  });

  it.each(['crashes', 'exits'])('fails the one call whose worker %s', async (task) => {
    const pool = poolOf();
    expect((await faultOf(run(pool, task))).code).toBe('TOOL_CRASHED');
    expect(await run(pool, 'pid')).toEqual(expect.any(Number));
  });

  it.each([
    ['hears it', 'until aborted'],
    ['does not hear it', 'never ends'],
  ])('ends a call that is aborted when the work %s', async (_, task) => {
    const pool = poolOf({ abortMs: 200 });
    const abort = new AbortController();
    const work = run(pool, task, { signal: abort.signal });
    abort.abort(new Error('no longer wanted'));
    await expect(work).rejects.toThrow('no longer wanted');
    expect(await run(pool, 'pid')).toEqual(expect.any(Number));
  });

  it('makes further calls wait, and refuses those that are too many', async () => {
    const pool = poolOf({ waiting: 1 });
    const abort = new AbortController();
    const first = run(pool, 'until aborted', { signal: abort.signal });
    const second = run(pool, 'pid');
    expect((await faultOf(run(pool, 'pid'))).code).toBe('TOOL_BUSY');
    abort.abort(new Error('no longer wanted'));
    await expect(first).rejects.toThrow('no longer wanted');
    expect(await second).toEqual(expect.any(Number));
  });

  it('reserves a worker for others, however many calls one owner has', async () => {
    const pool = poolOf({ workers: 2, workersPerOwner: 1 });
    const abort = new AbortController();
    const hog = { owner: 'hog', signal: abort.signal };
    const hogged = ['until aborted', 'until aborted', 'until aborted'].map((task) => run(pool, task, hog));
    expect(await run(pool, 'pid', { owner: 'other' })).toEqual(expect.any(Number));
    abort.abort(new Error('no longer wanted'));
    await Promise.all(hogged.map((work) => expect(work).rejects.toThrow('no longer wanted')));
  });

  it('gives a free worker to the owner with the fewest', async () => {
    const pool = poolOf({ workers: 2, workersPerOwner: 2 });
    const abort = new AbortController();
    const order: string[] = [];
    const asked = (owner: string) => run(pool, 'pid', { owner }).then(() => order.push(owner));
    const long = run(pool, 'until aborted', { owner: 'hog', signal: abort.signal });
    await Promise.all(['hog', 'hog', 'other'].map(asked));
    expect(order).toEqual(['hog', 'other', 'hog']);
    abort.abort(new Error('no longer wanted'));
    await expect(long).rejects.toThrow('no longer wanted');
  });

  it('refuses an owner with too many waiting calls, and no other', async () => {
    const pool = poolOf({ waitingPerOwner: 1 });
    const abort = new AbortController();
    const hog = { owner: 'hog', signal: abort.signal };
    const hogged = [run(pool, 'until aborted', hog), run(pool, 'pid', hog)];
    expect((await faultOf(run(pool, 'pid', hog))).code).toBe('TOOL_BUSY');
    const other = run(pool, 'pid', { owner: 'other' });
    abort.abort(new Error('no longer wanted'));
    await Promise.all(hogged.map((work) => expect(work).rejects.toThrow('no longer wanted')));
    expect(await other).toEqual(expect.any(Number));
  });

  it('fails a call for which no worker was free by the deadline', async () => {
    const pool = poolOf({ deadlineMs: 500 });
    const codes = await Promise.all(['never ends', 'never ends'].map(async (task) => faultOf(run(pool, task))));
    expect(codes.map(({ code }) => code)).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT']);
  });

  it('does not keep a worker with too much memory after its work', async () => {
    const pool = poolOf({ keptBytes: 1 });
    const first = await run(pool, 'pid');
    expect(await run(pool, 'pid')).not.toBe(first);
  });

  it('ends an idle worker after a while', async () => {
    const pid = (await run(poolOf({ idleMs: 1 }), 'pid')) as number;
    await until(() => !isThere(pid), 'the end of the worker');
  });
});
