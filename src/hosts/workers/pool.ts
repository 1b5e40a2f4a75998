/**
 * Runs heavy work in child processes with a memory limit and a deadline, so that a worker that dies is one failed call. They
 * are processes and not threads, because V8 aborts the whole process when a thread's heap cannot take one large allocation.
 */
import { availableParallelism } from 'node:os';
import { Fault, type FaultCode } from '../../base/fault.ts';
import type { TaskAnswer } from './messages.ts';
import { type WorkerCommand, WorkerEnded, WorkerProcess } from './worker-process.ts';

export interface PoolLimits {
  readonly workers: number;
  /** Fewer than `workers`, so that one owner cannot make the calls of others wait. */
  readonly workersPerOwner: number;
  /** How many calls may wait for a worker; more are refused. */
  readonly waiting: number;
  readonly waitingPerOwner: number;
  /** From the start of the work to its answer; also the longest wait for a worker. */
  readonly deadlineMs: number;
  /** Extra time for a worker that has begun to write: if it were killed, the result would deny what it has written. */
  readonly writingMs: number;
  /** The heap of one worker, in MiB. */
  readonly heapMb: number;
  /** How long an aborted call may continue. */
  readonly abortMs: number;
  /** How long an idle worker is kept. */
  readonly idleMs: number;
  /** A worker with more memory than this after its work is not kept. */
  readonly keptBytes: number;
}

const WORKERS_PER_OWNER = Math.max(2, Math.min(4, availableParallelism()));

export const POOL_LIMITS: PoolLimits = {
  workers: WORKERS_PER_OWNER + 1,
  workersPerOwner: WORKERS_PER_OWNER,
  waiting: 256,
  waitingPerOwner: 64,
  deadlineMs: 30_000,
  writingMs: 30_000,
  heapMb: 1024,
  abortMs: 5_000,
  idleMs: 30_000,
  keptBytes: 256 << 20,
};

interface IdleWorker {
  readonly worker: WorkerProcess;
  readonly timer: NodeJS.Timeout;
}

/** A call that waits for a worker. */
interface Waiting {
  readonly owner: unknown;
  readonly proceed: () => void;
}

export interface TaskOptions {
  /** Compared by identity. */
  readonly owner: unknown;
  readonly signal?: AbortSignal | undefined;
}

export class WorkerPool {
  readonly #command: WorkerCommand;
  readonly #limits: PoolLimits;
  readonly #idle: IdleWorker[] = [];
  /** In order of arrival. None of them may start: a call that may start does so immediately. */
  readonly #queue = new Set<Waiting>();
  /** How many workers each owner uses. */
  readonly #used = new Map<unknown, number>();
  #busy = 0;

  constructor(command: WorkerCommand, limits: PoolLimits = POOL_LIMITS) {
    this.#command = command;
    this.#limits = limits;
  }

  /** Runs a task in a worker. Throws the worker's fault, TOOL_TOO_LARGE, TOOL_TIMEOUT or TOOL_BUSY. */
  async run(task: unknown, { owner, signal }: TaskOptions): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#mayStart(owner)) this.#count(owner, 1);
    else await this.#turn(owner, signal);
    try {
      const answer = await this.#answer(this.#take(), task, signal);
      if (answer.type === 'defect') signal?.throwIfAborted(); // most likely caused by the signal
      return valueOf(answer);
    } finally {
      this.#count(owner, -1);
      this.#startNext();
    }
  }

  /** Ends the idle workers. */
  close(): void {
    for (const { worker, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      worker.stop();
    }
  }

  #usedBy(owner: unknown): number {
    return this.#used.get(owner) ?? 0;
  }

  #mayStart(owner: unknown): boolean {
    return this.#busy < this.#limits.workers && this.#usedBy(owner) < this.#limits.workersPerOwner;
  }

  #count(owner: unknown, change: 1 | -1): void {
    this.#busy += change;
    const used = this.#usedBy(owner) + change;
    if (used === 0) this.#used.delete(owner);
    else this.#used.set(owner, used);
  }

  /** The owner with the fewest workers is next, then the call that came first. */
  #startNext(): void {
    let next: Waiting | undefined;
    for (const waiting of this.#queue) {
      if (!this.#mayStart(waiting.owner)) continue;
      if (next === undefined || this.#usedBy(waiting.owner) < this.#usedBy(next.owner)) next = waiting;
    }
    if (next === undefined) return;
    this.#count(next.owner, 1);
    next.proceed();
  }

  #take(): WorkerProcess {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.worker.isAlive) return idle.worker;
    }
    return new WorkerProcess(this.#command, this.#limits.heapMb);
  }

  #keep(worker: WorkerProcess): void {
    worker.unref();
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.worker === worker),
        1,
      );
      worker.stop();
    }, this.#limits.idleMs).unref();
    this.#idle.push({ worker, timer });
  }

  async #answer(worker: WorkerProcess, task: unknown, signal: AbortSignal | undefined): Promise<TaskAnswer> {
    const { deadlineMs, writingMs, abortMs, keptBytes } = this.#limits;
    let isLate = false;
    const timers: NodeJS.Timeout[] = [];
    const stopAfter = (ms: number, stop: () => void): void => {
      const stopUnlessWriting = (): void => void (worker.isWriting ? timers.push(setTimeout(stop, writingMs)) : stop());
      timers.push(setTimeout(stopUnlessWriting, ms));
    };
    stopAfter(deadlineMs, () => {
      isLate = true;
      worker.stop();
    });
    const abort = (): void => {
      worker.abort();
      stopAfter(abortMs, () => worker.stop());
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = await worker.run(task);
      if (answer.residentBytes > keptBytes) worker.stop();
      else this.#keep(worker);
      return answer;
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      signal?.throwIfAborted();
      throw isLate ? tooSlow(deadlineMs) : this.#faultOf(error);
    } finally {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** V8 aborts when the heap is full; the kernel kills when the machine is out of memory. */
  #faultOf({ message, signal }: WorkerEnded): Fault {
    if (signal === 'SIGABRT' || signal === 'SIGKILL' || signal === 'SIGTRAP') return tooLarge(this.#limits.heapMb);
    return new Fault('TOOL_CRASHED', `the worker process exited before it answered: ${message}`, {
      hint: 'the file may be damaged; other calls are not affected',
    });
  }

  #turn(owner: unknown, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, waitingPerOwner, deadlineMs } = this.#limits;
    const own = [...this.#queue].filter((each) => each.owner === owner).length;
    if (own >= waitingPerOwner || this.#queue.size >= waiting)
      throw busy(own >= waitingPerOwner ? own : this.#queue.size);
    return new Promise((resolve, reject) => {
      const leave = (settle: () => void): void => {
        this.#queue.delete(call);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const call: Waiting = { owner, proceed: () => leave(resolve) };
      const abort = (): void => leave(() => reject(signal?.reason as Error));
      const timer = setTimeout(() => leave(() => reject(noWorkerFree(deadlineMs))), deadlineMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue.add(call);
    });
  }
}

function busy(waiting: number): Fault {
  return new Fault('TOOL_BUSY', `${waiting} calls already wait for a worker`, {
    hint: 'wait for results before you send more calls',
  });
}

function valueOf(answer: TaskAnswer): unknown {
  switch (answer.type) {
    case 'done':
      return answer.value;
    case 'fault':
      throw new Fault(answer.code as FaultCode, answer.message, {
        ...(answer.hint === undefined ? {} : { hint: answer.hint }),
        ...(answer.details === undefined ? {} : { details: answer.details }),
      });
    case 'defect':
      throw new Error(answer.message);
  }
}

function tooLarge(heapMb: number): Fault {
  return new Fault('TOOL_TOO_LARGE', `the call needs more memory than its limit of ${heapMb} MiB`, {
    hint: 'work on a smaller file, or split this one',
    details: { heapMb },
  });
}

function tooSlow(deadlineMs: number): Fault {
  return new Fault('TOOL_TIMEOUT', `the call did not end within ${deadlineMs / 1000} s`, {
    hint: 'work on a smaller file, or request less in one call',
    details: { deadlineMs },
  });
}

function noWorkerFree(deadlineMs: number): Fault {
  return new Fault('TOOL_TIMEOUT', `no worker was free for the call within ${deadlineMs / 1000} s`, {
    hint: 'other calls take long; try again later',
    details: { deadlineMs },
  });
}
