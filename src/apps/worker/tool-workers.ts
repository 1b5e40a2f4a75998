/** The workers of this process. They are started from the built program. */
import { homeFolder } from '../../config/state.ts';
import { gitVariables } from '../../hosts/obeyed/home.ts';
import { POOL_LIMITS, type PoolLimits, WorkerPool } from '../../hosts/workers/pool.ts';
import { programFile } from '../client/program.ts';
import { WORKER_ARGUMENT } from './argument.ts';

/** Long texts are read in a moment, so they do not wait behind documents and pictures. */
export type Lane = 'text' | 'documents';

const TEXT_LIMITS: PoolLimits = { ...POOL_LIMITS, workers: 2, workersPerOwner: 1 };

const pools = new Map<Lane, WorkerPool>();

/** The pool of a lane; undefined where there is no built program to start workers from. */
export function toolWorkers(lane: Lane): WorkerPool | undefined {
  const made = pools.get(lane);
  if (made !== undefined) return made;
  const program = programFile();
  if (program === undefined) return undefined;
  const command = {
    program: process.execPath,
    args: [program, WORKER_ARGUMENT],
    // Nothing else of the environment: a worker runs no commands, and what it depends on is in its task. By these variables git
    // obeys files, which a worker does not write.
    env: { ...gitVariables(), HOME: homeFolder() },
  };
  const pool = new WorkerPool(command, lane === 'text' ? TEXT_LIMITS : POOL_LIMITS);
  pools.set(lane, pool);
  return pool;
}
