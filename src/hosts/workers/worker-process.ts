/** One worker: a process with a ceiling for its memory that works on one task at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { endChild } from '../process/kill.ts';
import type { FromWorker, TaskAnswer, ToWorker } from './messages.ts';

/** How a worker is started: a script that Node can run and that calls `serveTasks`. */
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
      // Of a heap that is full V8 prints pages; the signal says as much.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      detached: true, // a key that interrupts the parent's terminal is not for it
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
      this.#ended(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`, signal),
    );
    this.#child.on('disconnect', () => endChild(this.#child));
    this.rest();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether it has begun to write for its task. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** The answer to one task; rejects with WorkerEnded. The caller has waited for the answer to the task before. */
  run(task: unknown): Promise<TaskAnswer> {
    this.#isWriting = false;
    this.#child.ref();
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#isAlive) this.#send({ type: 'task', task, parent: process.pid });
      else this.#ended('it had ended already', null);
    });
  }

  /** Asks it to stop; work that is under way may end first. */
  abort(): void {
    this.#send({ type: 'abort' });
  }

  /** A worker without a task does not keep its parent from ending. */
  rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  stop(): void {
    endChild(this.#child);
  }

  #send(message: ToWorker): void {
    if (!this.#child.connected) return; // its exit is on the way
    this.#child.send(message, (error) => error !== null && endChild(this.#child));
  }

  #ended(how: string, signal: NodeJS.Signals | null): void {
    this.#isAlive = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(new WorkerEnded(how, signal));
  }
}
