/** The commands in terminals, each in a process of its own, whose frames pass through. */
import type { FrameKind } from '../hosts/channel/frames.ts';
import type { InsideLaunch, News, Order } from '../hosts/sandbox/link/messages.ts';
import type { FrameSender } from '../hosts/channel/sending.ts';
import { type Branch, startBranch } from './branch.ts';
import { endOwn, endSession, isStopped } from './killing.ts';
import { setTimeout as sleep } from 'node:timers/promises';

type Welcome = Extract<Order, { type: 'welcome' }>;

/** Such a process has nothing to do but to pass on the last output. */
const LEAVE_MS = 1000;
const LOOK_MS = 1000;

interface Host {
  readonly branch: Branch;
  /** Whom it works for; undefined while it is spare. */
  job: Job | undefined;
}

interface Job {
  readonly id: number;
  readonly session: string;
  pid: number | undefined;
  hasStarted: boolean;
  hasEnded: boolean;
  isEndOfOutput: boolean;
}

export class Terminals {
  readonly #sender: FrameSender;
  readonly #welcome: Welcome;
  readonly #jobs = new Map<number, Host>();
  #spare: Host | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(sender: FrameSender, welcome: Welcome) {
    this.#sender = sender;
    this.#welcome = welcome;
  }

  launch(id: number, launch: InsideLaunch): void {
    if (this.#spare !== undefined && endIfStopped(this.#spare.branch)) this.#spare = undefined;
    const host = this.#spare ?? this.#start();
    this.#watch ??= setInterval(() => this.#look(), LOOK_MS).unref();
    host.job = {
      id,
      session: launch.session,
      pid: undefined,
      hasStarted: false,
      hasEnded: false,
      isEndOfOutput: false,
    };
    this.#jobs.set(id, host);
    host.branch.raw('message', id, Buffer.from(JSON.stringify({ type: 'launch', launch } satisfies Order)));
    this.#spare = this.#isEnding ? undefined : this.#start(); // whoever wants one often wants another
  }

  /** Passes a frame of the gateway on; false when it is about no terminal. */
  pass(kind: FrameKind, id: number, payload: Uint8Array): boolean {
    const host = this.#jobs.get(id);
    host?.branch.raw(kind, id, payload);
    return host !== undefined;
  }

  /** Ends a command; undefined when it has no terminal. */
  kill(id: number, graceMs: number): Promise<boolean> | undefined {
    const job = this.#jobs.get(id)?.job;
    return job && endSession(this.#welcome.owner, job.session, job.pid, graceMs);
  }

  /** The command of a session that has not ended. */
  idOf(session: string): number | undefined {
    return [...this.#jobs].find(([, { job }]) => job?.session === session && !job.hasEnded)?.[0];
  }

  /** The processes that hold terminals. */
  get pids(): readonly number[] {
    const hosts = [...this.#jobs.values(), ...(this.#spare === undefined ? [] : [this.#spare])];
    return hosts.flatMap(({ branch: { pid } }) => (pid === undefined ? [] : [pid]));
  }

  async endAll(graceMs: number): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#watch);
    const spare = this.#spare;
    spare?.branch.close();
    const hosts = [...this.#jobs.entries()];
    await Promise.all(hosts.map(async ([id]) => this.kill(id, graceMs)));
    await Promise.all([...hosts.map(([, host]) => host), ...(spare === undefined ? [] : [spare])].map(leaves));
  }

  /** Commands have the same user and may stop the process that holds a terminal; nobody is left waiting for it. */
  #look(): void {
    for (const { branch } of this.#jobs.values()) endIfStopped(branch);
  }

  #start(): Host {
    const host: Host = {
      job: undefined,
      branch: startBranch('terminal', this.#welcome, {
        take: (kind, id, payload) => this.#take(host, kind, id, payload),
        gone: () => this.#lost(host),
      }),
    };
    return host;
  }

  #take({ job }: Host, kind: FrameKind, id: number, payload: Uint8Array): void {
    if (job === undefined || job.id !== id) return; // it announces itself
    if (kind === 'out' && payload.length === 0) job.isEndOfOutput = true;
    if (kind === 'message') note(job, JSON.parse(Buffer.from(payload).toString('utf8')) as News);
    this.#sender.raw(kind, id, new Uint8Array(payload));
  }

  /** It goes when its command has ended; before that, something ended it. */
  #lost(host: Host): void {
    if (this.#spare === host) this.#spare = undefined;
    const { job } = host;
    if (job === undefined) return;
    const { id, session, pid } = job;
    this.#jobs.delete(id);
    if (job.hasEnded && job.isEndOfOutput) return;
    void endSession(this.#welcome.owner, session, pid, this.#welcome.graceMs).then(() => {
      const exit = job.hasStarted
        ? { kind: 'lost' }
        : { kind: 'failed', reason: 'spawn-failed', message: 'the process that was to hold its terminal ended' };
      if (!job.hasEnded) this.#sender.message(id, { type: 'exit', exit });
      if (job.hasStarted && !job.isEndOfOutput) this.#sender.raw('out', id, new Uint8Array(0));
    });
  }
}

async function leaves({ branch: { pid, gone } }: Host): Promise<void> {
  let isGone = false;
  void gone.then(() => (isGone = true));
  await Promise.race([gone, sleep(LEAVE_MS)]);
  if (!isGone && pid !== undefined) await endOwn(pid).catch(() => {}); // then it hangs in the kernel, and nobody can end it
}

function endIfStopped({ pid }: Branch): boolean {
  if (pid === undefined || !isStopped(pid)) return false;
  endOwn(pid).catch(() => {}); // the next look tries again
  return true;
}

function note(job: Job, news: News): void {
  if (news.type === 'started') {
    job.hasStarted = true;
    job.pid = news.pid;
  } else if (news.type === 'exit') {
    job.hasEnded = true;
    job.pid = undefined;
    if (news.exit.kind === 'failed') job.isEndOfOutput = true;
  }
}
