/** The worker pools of this process. */
import { homeFolder } from '../../config/state.ts';
import { gitVariables } from '../../hosts/obeyed/home.ts';
import { POOL_LIMITS, type PoolLimits, WorkerPool } from '../../hosts/workers/pool.ts';
import { programFile } from '../client/program.ts';
import { WORKER_ARGUMENT } from './task.ts';

/** Reads of long texts are fast, so they do not wait behind documents and images. */
export type Lane = 'text' | 'documents';

const TEXT_LIMITS: PoolLimits = { ...POOL_LIMITS, workers: 2, workersPerOwner: 1 };

const pools = new Map<Lane, WorkerPool>();

/** The pool of a lane; undefined if there is no built program to start workers from. */
export function toolWorkers(lane: Lane): WorkerPool | undefined {
  const made = pools.get(lane);
  if (made !== undefined) return made;
  const program = programFile();
  if (program === undefined) return undefined;
  const command = {
    program: process.execPath,
    args: [program, WORKER_ARGUMENT],
    // No other variables: a worker runs no commands, and its task contains all its inputs. With the git variables it knows
    // which files git obeys, and does not write them.
    env: { ...gitVariables(), HOME: homeFolder() },
  };
  const pool = new WorkerPool(command, lane === 'text' ? TEXT_LIMITS : POOL_LIMITS);
  pools.set(lane, pool);
  return pool;
}
