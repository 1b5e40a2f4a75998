/**
 * The commands in terminals, each in a process of its own, whose frames pass through. The terminal library leaves its side
 * of a terminal open in every program that is started later by the same process, where it could be read and written; so no
 * process has more than one terminal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameKind } from '../hosts/channel/frames.ts';
import type { FrameSender } from '../hosts/channel/sending.ts';
import type { Launch } from '../hosts/process/launch.ts';
import type { ProcessId } from '../hosts/process/processes.ts';
import type { News, Order, Welcome } from '../hosts/sandbox/link/messages.ts';
import { type HelperProcess, startHelper } from './helper-process.ts';
import { endOwn, endSession, isStopped } from './killing.ts';

/** Such a process has nothing to do but to pass on the last output. */
const LEAVE_MS = 1000;
const LOOK_MS = 1000;

interface Holder {
  readonly helper: HelperProcess;
  /** Whom it works for; undefined while it is spare. */
  job: Job | undefined;
}

interface Job {
  readonly id: number;
  readonly session: string;
  processes: readonly ProcessId[];
  cgroup: string | undefined;
  hasStarted: boolean;
  hasEnded: boolean;
  /** Of what passes through; connections of the terminal's own end by themselves. */
  isEndOfOutput: boolean;
}

export class Terminals {
  readonly #sender: FrameSender;
  readonly #welcome: Welcome;
  readonly #isDirect: boolean;
  readonly #jobs = new Map<number, Holder>();
  #spare: Holder | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(sender: FrameSender, welcome: Welcome) {
    this.#sender = sender;
    this.#welcome = welcome;
    this.#isDirect = welcome.streams !== undefined;
  }

  launch(id: number, launch: Launch): void {
    if (this.#spare !== undefined && this.#endIfStopped(this.#spare)) this.#spare = undefined;
    const holder = this.#spare ?? this.#start();
    this.#watch ??= setInterval(() => this.#look(), LOOK_MS).unref();
    const { session } = launch;
    holder.job = {
      id,
      session,
      processes: [],
      cgroup: undefined,
      hasStarted: false,
      hasEnded: false,
      isEndOfOutput: this.#isDirect,
    };
    this.#jobs.set(id, holder);
    holder.helper.send(id, { type: 'launch', launch });
    this.#spare = this.#isEnding ? undefined : this.#start(); // whoever wants one often wants another
  }

  /** Passes an order on; false when it is about no terminal. */
  send(id: number, order: Order): boolean {
    const holder = this.#jobs.get(id);
    holder?.helper.send(id, order);
    return holder !== undefined;
  }

  /** The same with a frame. */
  pass(kind: FrameKind, id: number, payload: Uint8Array): boolean {
    const holder = this.#jobs.get(id);
    holder?.helper.raw(kind, id, payload);
    return holder !== undefined;
  }

  /** Ends a command; undefined when it has no terminal. */
  kill(id: number, graceMs: number): Promise<boolean> | undefined {
    const job = this.#jobs.get(id)?.job;
    return job && this.#endJob(job, graceMs);
  }

  /** The command of a session that has not ended. */
  idOf(session: string): number | undefined {
    return [...this.#jobs].find(([, { job }]) => job?.session === session && !job.hasEnded)?.[0];
  }

  /** The processes that hold terminals. */
  get pids(): readonly number[] {
    return this.#holders.flatMap(({ helper: { pid } }) => (pid === undefined ? [] : [pid]));
  }

  async end(graceMs: number): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#watch);
    const holders = this.#holders;
    void this.#spare?.helper.close();
    await Promise.all([...this.#jobs.keys()].map(async (id) => this.kill(id, graceMs)));
    await Promise.all(holders.map(leaves));
  }

  #endJob({ session, processes, cgroup }: Job, graceMs: number): Promise<boolean> {
    return endSession(this.#welcome.owner, session, processes, graceMs, cgroup);
  }

  get #holders(): readonly Holder[] {
    return [...this.#jobs.values(), ...(this.#spare === undefined ? [] : [this.#spare])];
  }

  /** Commands have the same user and may stop the process that holds a terminal; nobody is left waiting for it. */
  #look(): void {
    for (const holder of this.#jobs.values()) this.#endIfStopped(holder);
  }

  /** On this machine a person may have stopped it. */
  #endIfStopped({ helper: { pid } }: Holder): boolean {
    if (this.#isDirect || pid === undefined || !isStopped(pid)) return false;
    endOwn(pid).catch(() => {}); // the next look tries again
    return true;
  }

  #start(): Holder {
    const helper = startHelper('--terminal', this.#welcome, (...frame) => this.#take(holder, ...frame));
    const holder: Holder = { helper, job: undefined };
    void helper.gone.then(() => this.#lost(holder));
    return holder;
  }

  #take({ job }: Holder, kind: FrameKind, id: number, payload: Uint8Array): void {
    if (job === undefined || job.id !== id) return;
    if (kind === 'out' && payload.length === 0) job.isEndOfOutput = true;
    if (kind === 'message') note(job, JSON.parse(Buffer.from(payload).toString('utf8')) as News);
    this.#sender.raw(kind, id, new Uint8Array(payload));
  }

  /** It goes when its command has ended; before that, something ended it. */
  #lost(holder: Holder): void {
    if (this.#spare === holder) this.#spare = undefined;
    const { job } = holder;
    if (job === undefined) return;
    const { id } = job;
    this.#jobs.delete(id);
    if (job.hasEnded && job.isEndOfOutput) return;
    void this.#endJob(job, this.#welcome.graceMs).then(() => {
      const exit = job.hasStarted
        ? { kind: 'lost' }
        : { kind: 'failed', reason: 'spawn-failed', message: 'the process that was to hold its terminal ended' };
      if (!job.hasEnded) this.#sender.message(id, { type: 'exit', exit });
      if (job.hasStarted && !job.isEndOfOutput) this.#sender.raw('out', id, new Uint8Array(0));
    });
  }
}

async function leaves({ helper: { pid, gone } }: Holder): Promise<void> {
  let isGone = false;
  void gone.then(() => (isGone = true));
  await Promise.race([gone, sleep(LEAVE_MS)]);
  if (!isGone && pid !== undefined) await endOwn(pid).catch(() => {}); // then it hangs in the kernel, and nobody can end it
}

function note(job: Job, news: News): void {
  if (news.type === 'started') {
    job.hasStarted = true;
    job.processes = news.processes ?? [];
    job.cgroup = news.cgroup;
  } else if (news.type === 'exit') {
    job.hasEnded = true;
    if (news.exit.kind === 'failed') job.isEndOfOutput = true;
  }
}
