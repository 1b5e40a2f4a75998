/**
 * Work that may be heavy, in processes of their own: with a ceiling for memory and a deadline, so that a worker that dies
 * is one failed call. They are processes and not threads because V8 ends the whole process when a thread's heap cannot
 * take one large allocation.
 */
import { availableParallelism } from 'node:os';
import { Fault, type FaultCode } from '../../base/fault.ts';
import type { TaskAnswer } from './messages.ts';
import { type WorkerCommand, WorkerEnded, WorkerProcess } from './worker-process.ts';

export interface PoolLimits {
  /** Workers at a time. */
  readonly workers: number;
  /** Workers that one owner has at a time: fewer than all, so that the calls of another do not wait for it. */
  readonly workersPerOwner: number;
  /** Calls that wait for a worker; further ones are refused. */
  readonly waiting: number;
  readonly waitingPerOwner: number;
  /** From the start of the work to its answer; a call waits for a worker no longer than this, too. */
  readonly deadlineMs: number;
  /** How much longer a worker may take that has begun to write: ended now, it would have written what its answer denies. */
  readonly writingMs: number;
  /** The heap of one worker, in MiB. */
  readonly heapMb: number;
  /** How long a call that was aborted may go on. */
  readonly abortMs: number;
  /** How long a worker without work is kept. */
  readonly idleMs: number;
  /** A worker that holds more memory than this after its work is not kept. */
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

interface Resting {
  readonly worker: WorkerProcess;
  readonly timer: NodeJS.Timeout;
}

/** A call that waits for a worker. */
interface Waiting {
  readonly owner: unknown;
  readonly proceed: () => void;
}

/** Who asks, compared by identity, and the signal that ends the call. */
export interface TaskOptions {
  readonly owner: unknown;
  readonly signal?: AbortSignal | undefined;
}

export class WorkerPool {
  readonly #command: WorkerCommand;
  readonly #limits: PoolLimits;
  readonly #resting: Resting[] = [];
  /** In the order of their coming. None of them may start: whoever may is started at once. */
  readonly #queue = new Set<Waiting>();
  /** How many workers each owner has. */
  readonly #held = new Map<unknown, number>();
  #busy = 0;

  constructor(command: WorkerCommand, limits: PoolLimits = POOL_LIMITS) {
    this.#command = command;
    this.#limits = limits;
  }

  /** What the worker makes of a task. Throws the worker's fault, TOOL_TOO_LARGE, TOOL_TIMEOUT or TOOL_BUSY. */
  async run(task: unknown, { owner, signal }: TaskOptions): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#mayStart(owner)) this.#count(owner, 1);
    else await this.#turn(owner, signal);
    try {
      const answer = await this.#answer(this.#take(), task, signal);
      if (answer.type === 'defect') signal?.throwIfAborted(); // most likely the reason of the signal
      return valueOf(answer);
    } finally {
      this.#count(owner, -1);
      this.#startNext();
    }
  }

  /** Ends the workers that have nothing to do. */
  close(): void {
    for (const { worker, timer } of this.#resting.splice(0)) {
      clearTimeout(timer);
      worker.stop();
    }
  }

  #heldBy(owner: unknown): number {
    return this.#held.get(owner) ?? 0;
  }

  #mayStart(owner: unknown): boolean {
    return this.#busy < this.#limits.workers && this.#heldBy(owner) < this.#limits.workersPerOwner;
  }

  #count(owner: unknown, change: 1 | -1): void {
    this.#busy += change;
    const held = this.#heldBy(owner) + change;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }

  /** The owner with the fewest workers is next; among calls of equal owners, the one that came first. */
  #startNext(): void {
    let next: Waiting | undefined;
    for (const waiting of this.#queue) {
      if (!this.#mayStart(waiting.owner)) continue;
      if (next === undefined || this.#heldBy(waiting.owner) < this.#heldBy(next.owner)) next = waiting;
    }
    if (next === undefined) return;
    this.#count(next.owner, 1);
    next.proceed();
  }

  #take(): WorkerProcess {
    for (let rested = this.#resting.pop(); rested !== undefined; rested = this.#resting.pop()) {
      clearTimeout(rested.timer);
      if (rested.worker.isAlive) return rested.worker;
    }
    return new WorkerProcess(this.#command, this.#limits.heapMb);
  }

  #keep(worker: WorkerProcess): void {
    worker.rest();
    const timer = setTimeout(() => {
      this.#resting.splice(
        this.#resting.findIndex((rested) => rested.worker === worker),
        1,
      );
      worker.stop();
    }, this.#limits.idleMs).unref();
    this.#resting.push({ worker, timer });
  }

  async #answer(worker: WorkerProcess, task: unknown, signal: AbortSignal | undefined): Promise<TaskAnswer> {
    const { deadlineMs, writingMs, abortMs, keptBytes } = this.#limits;
    let isLate = false;
    const timers: NodeJS.Timeout[] = [];
    const stopAfter = (ms: number, stop: () => void): void => {
      const inTime = (): void => void (worker.isWriting ? timers.push(setTimeout(stop, writingMs)) : stop());
      timers.push(setTimeout(inTime, ms));
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

  /** V8 aborts when the heap is full, and the kernel kills when the machine is. */
  #faultOf({ message, signal }: WorkerEnded): Fault {
    if (signal === 'SIGABRT' || signal === 'SIGKILL' || signal === 'SIGTRAP') return tooLarge(this.#limits.heapMb);
    return new Fault('TOOL_CRASHED', `the worker process ended before it answered: ${message}`, {
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
  return new Fault('TOOL_BUSY', `${waiting} calls wait for a worker already`, {
    hint: 'wait for answers before asking more',
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
  return new Fault('TOOL_TOO_LARGE', `the call needs more memory than one call may have (${heapMb} MiB)`, {
    hint: 'work on a smaller file, or split this one',
    details: { heapMb },
  });
}

function tooSlow(deadlineMs: number): Fault {
  return new Fault('TOOL_TIMEOUT', `the call did not end within ${deadlineMs / 1000} s`, {
    hint: 'work on a smaller file, or ask for less at once',
    details: { deadlineMs },
  });
}

function noWorkerFree(deadlineMs: number): Fault {
  return new Fault('TOOL_TIMEOUT', `no worker was free for the call within ${deadlineMs / 1000} s`, {
    hint: 'other calls take long; try again later',
    details: { deadlineMs },
  });
}
