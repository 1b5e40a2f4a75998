/** One worker: a process with a memory limit that runs one task at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { endChild } from '../process/kill.ts';
import type { FromWorker, TaskAnswer, ToWorker } from './messages.ts';

/** A script for Node that calls `serveTasks`. */
export interface WorkerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A worker that ended before it answered. */
export class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded';
  readonly signal: NodeJS.Signals | null;

  constructor(how: string, signal: NodeJS.Signals | null) {
    super(how);
    this.signal = signal;
  }
}

interface Waiting {
  readonly resolve: (answer: TaskAnswer) => void;
  readonly reject: (ended: WorkerEnded) => void;
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;
  #isAlive = true;
  #isWriting = false;

  constructor({ program, args, env }: WorkerCommand, heapMb: number) {
    const [script, ...rest] = args;
    const options = [`--max-old-space-size=${heapMb}`, ...(script === undefined ? [] : [script]), ...rest];
    this.#child = spawn(program, options, {
      cwd: '/',
      env,
      // V8 prints pages about a full heap; the exit signal is enough.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      detached: true, // Ctrl-C in the parent's terminal must not reach it
    });
    this.#child.on('message', (answer: FromWorker) => {
      if (answer.type === 'writing') {
        this.#isWriting = true;
        return;
      }
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.resolve(answer);
    });
    this.#child.once('error', (error) => this.#ended(error.message, null));
    this.#child.once('exit', (code, signal) =>
      this.#ended(signal === null ? `exit code ${code}` : `killed by ${signal}`, signal),
    );
    this.#child.on('disconnect', () => endChild(this.#child));
    this.unref();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether it has begun to write for its task. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Runs one task after the previous one was answered; rejects with WorkerEnded. */
  run(task: unknown): Promise<TaskAnswer> {
    this.#isWriting = false;
    this.#child.ref();
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#isAlive) this.#send({ type: 'task', task, parent: process.pid });
      else this.#ended('it had already exited', null);
    });
  }

  /** Asks it to stop; the current task may complete first. */
  abort(): void {
    this.#send({ type: 'abort' });
  }

  /** A worker without a task does not keep its parent alive. */
  unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  stop(): void {
    endChild(this.#child);
  }

  #send(message: ToWorker): void {
    if (!this.#child.connected) return; // its exit event follows
    this.#child.send(message, (error) => error !== null && endChild(this.#child));
  }

  #ended(how: string, signal: NodeJS.Signals | null): void {
    this.#isAlive = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(new WorkerEnded(how, signal));
  }
}
