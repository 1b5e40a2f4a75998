import { afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { POOL_LIMITS, type PoolLimits, WorkerPool } from '../../../src/hosts/workers/pool.ts';
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

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  return work.then(
    (value) => Promise.reject(new Error(`it answered ${String(value)}`)),
    (error: unknown) => (error instanceof Fault ? error : Promise.reject(error)),
  );
}

describe('a pool of workers', () => {
  it('gives what the work gives, and keeps the worker for the next task', async () => {
    const pool = poolOf();
    const first = await pool.run('pid');
    expect(first).not.toBe(process.pid);
    expect(await pool.run('pid')).toBe(first);
  });

  it('throws the fault of the work as it was thrown, and a defect as a defect', async () => {
    const pool = poolOf();
    const { code, message, hint, details } = await faultOf(pool.run('fault'));
    expect({ code, message, hint, details }).toEqual({
      code: 'FS_NOT_FOUND',
      message: 'no such file',
      hint: 'look',
      details: { path: 'x' },
    });
    await expect(pool.run('defect')).rejects.toThrow('a defect');
  });

  it.each(['many objects', 'a growing map', 'a growing array', 'one long split'])(
    'F1: fails the one call that takes more memory than its ceiling: %s',
    async (task) => {
      const pool = poolOf();
      const before = await pool.run('pid');
      expect((await faultOf(pool.run(task))).code).toBe('TOOL_TOO_LARGE');
      const after = await pool.run('pid');
      expect(after).not.toBe(before);
    },
  );

  it('F2: fails the one call that does not end by the deadline, and ends its worker', async () => {
    const pool = poolOf({ deadlineMs: 500 });
    expect((await faultOf(pool.run('never ends'))).code).toBe('TOOL_TIMEOUT');
    expect(await poolOf().run('pid')).toEqual(expect.any(Number));
  });

  it.each(['crashes', 'exits'])('fails the one call whose worker %s', async (task) => {
    const pool = poolOf();
    expect((await faultOf(pool.run(task))).code).toBe('TOOL_CRASHED');
    expect(await pool.run('pid')).toEqual(expect.any(Number));
  });

  it.each([
    ['hears it', 'until aborted'],
    ['does not hear it', 'never ends'],
  ])('ends a call that is aborted when the work %s', async (_, task) => {
    const pool = poolOf({ abortMs: 200 });
    const abort = new AbortController();
    const work = pool.run(task, abort.signal);
    abort.abort(new Error('no longer wanted'));
    await expect(work).rejects.toThrow('no longer wanted');
    expect(await pool.run('pid')).toEqual(expect.any(Number));
  });

  it('makes further calls wait, and refuses those that are too many', async () => {
    const pool = poolOf({ waiting: 1 });
    const abort = new AbortController();
    const first = pool.run('until aborted', abort.signal);
    const second = pool.run('pid');
    expect((await faultOf(pool.run('pid'))).code).toBe('TOOL_BUSY');
    abort.abort(new Error('no longer wanted'));
    await expect(first).rejects.toThrow('no longer wanted');
    expect(await second).toEqual(expect.any(Number));
  });

  it('tells a call for which no worker was free by the deadline', async () => {
    const pool = poolOf({ deadlineMs: 500 });
    const codes = await Promise.all(['never ends', 'never ends'].map(async (task) => faultOf(pool.run(task))));
    expect(codes.map(({ code }) => code)).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT']);
  });

  it('does not keep a worker that holds more memory than it may after its work', async () => {
    const pool = poolOf({ keptBytes: 1 });
    const first = await pool.run('pid');
    expect(await pool.run('pid')).not.toBe(first);
  });

  it('ends a worker that has had nothing to do for a while', async () => {
    const pid = (await poolOf({ idleMs: 1 }).run('pid')) as number;
    await until(() => !isThere(pid), 'the end of the worker');
  });
});
