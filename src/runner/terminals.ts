/**
 * The commands in terminals, each in a process of its own, whose streams pass through. The terminal library leaves its side
 * of a terminal open in every program that is started later by the same process, where it could be read and written; so no
 * process has more than one terminal.
 */
import type { TerminalSize } from '../wire/session.ts';
import type { CallStreams } from '../hosts/channel/call-streams.ts';
import type { Exit } from '../hosts/process/launch.ts';
import type { ProcessId } from '../hosts/process/processes.ts';
import type { RunReport, Welcome } from '../hosts/process/runner-messages.ts';
import type { Run } from './plumbing.ts';
import { awaitExit, type HelperProcess, startHelper } from './helper-process.ts';
import { endOwn, endSession, isStopped } from './killing.ts';

/** Such a process only has to pass on its last output. */
const LEAVE_MS = 1000;
const CHECK_MS = 1000;

interface Job {
  readonly run: Run;
  readonly helper: HelperProcess;
  started: Extract<RunReport, { type: 'started' }> | undefined;
  exit: Exit | undefined;
}

export class Terminals {
  readonly #welcome: Welcome;
  readonly #isDirect: boolean;
  readonly #jobs = new Map<number, Job>();
  readonly #helpers = new Set<HelperProcess>();
  #spare: HelperProcess | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(welcome: Welcome) {
    this.#welcome = welcome;
    this.#isDirect = welcome.streams !== undefined;
  }

  async start(run: Run): Promise<Exit> {
    if (this.#spare !== undefined && this.#endIfStopped(this.#spare)) this.#spare = undefined;
    const helper = this.#spare ?? this.#startHelper();
    this.#watch ??= setInterval(() => this.#checkAll(), CHECK_MS).unref();
    const job: Job = { run, helper, started: undefined, exit: undefined };
    this.#jobs.set(run.id, job);
    const { id, launch, streams } = run;
    let output = Promise.resolve();
    const answer = helper.channel.call(
      'run.start',
      { id, launch },
      {
        event: (event) => this.#report(job, event as RunReport),
        streams: (far) => {
          if (!this.#isDirect && streams !== undefined) output = passOn(streams, far);
        },
      },
    );
    this.#spare = this.#isEnding ? undefined : this.#startHelper(); // one terminal is often followed by another
    try {
      const exit = (await answer) as Exit;
      const isReported = this.#isDirect || job.exit !== undefined || exit.kind === 'failed';
      if (!isReported) this.#report(job, { type: 'exited', exit });
      await output;
      return exit;
    } catch {
      await this.#endJob(job, this.#welcome.graceMs);
      return job.exit ?? lostExit(job);
    } finally {
      this.#jobs.delete(id);
    }
  }

  resize(id: number, size: TerminalSize): void {
    const helper = this.#jobs.get(id)?.helper;
    helper?.channel.call('run.resize', { id, size }).catch(() => {}); // it has ended
  }

  /** Ends a command; undefined when it has no terminal. */
  kill(id: number, graceMs: number): Promise<boolean> | undefined {
    const job = this.#jobs.get(id);
    return job && this.#endJob(job, graceMs);
  }

  processesOf(id: number): readonly ProcessId[] | undefined {
    return this.#jobs.get(id)?.started?.processes;
  }

  /** The command of a session that has not ended. */
  runOf(session: string): Run | undefined {
    const job = [...this.#jobs.values()].find(({ run, exit }) => run.launch.session === session && exit === undefined);
    return job?.run;
  }

  /** The processes that have terminals. */
  get pids(): readonly number[] {
    return [...this.#helpers].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  async end(graceMs: number): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#watch);
    void this.#spare?.close();
    const helpers = [...this.#helpers];
    await Promise.all([...this.#jobs.keys()].map(async (id) => this.kill(id, graceMs)));
    await Promise.all(helpers.map((helper) => awaitExit(helper, LEAVE_MS)));
  }

  #report(job: Job, event: RunReport): void {
    if (event.type === 'started') job.started = event;
    else if (event.type === 'exited') job.exit = event.exit;
    job.run.report(event);
  }

  #endJob({ run, started }: Job, graceMs: number): Promise<boolean> {
    return endSession(this.#welcome.owner, run.launch.session, started?.processes ?? [], graceMs, started?.cgroup);
  }

  /** Commands have the same user and may stop the process that has a terminal: then it is killed, and its command is lost. */
  #checkAll(): void {
    for (const { helper } of this.#jobs.values()) this.#endIfStopped(helper);
  }

  /** Not on this machine, where a person may have stopped it. */
  #endIfStopped({ pid }: HelperProcess): boolean {
    if (this.#isDirect || pid === undefined || !isStopped(pid)) return false;
    endOwn(pid).catch(() => {}); // the next check tries again
    return true;
  }

  #startHelper(): HelperProcess {
    const helper = startHelper('--terminal', this.#welcome);
    this.#helpers.add(helper);
    void helper.gone.then(() => {
      this.#helpers.delete(helper);
      if (this.#spare === helper) this.#spare = undefined;
    });
    return helper;
  }
}

function lostExit({ started }: Job): Exit {
  if (started !== undefined) return { kind: 'lost' };
  return { kind: 'failed', reason: 'spawn-failed', message: 'the process that opens its terminal ended' };
}

/**
 * Carries input to the process of a terminal and its output back, as far as each receiver has room. Resolves when all output is
 * passed on, which may be after the command has ended.
 */
function passOn(near: CallStreams, far: CallStreams): Promise<void> {
  const input = far.outgoing('in', { done: 'taken' });
  const toTerminal = near.incoming('in', {
    deliver(bytes) {
      input.write(bytes).then(
        () => toTerminal.resume(),
        () => {}, // it has ended
      );
      return false;
    },
    ended: () => input.end(),
  });
  return new Promise((resolve) => {
    const output = near.outgoing('out', { onRoom: () => fromTerminal.resume() });
    const fromTerminal = far.incoming('out', {
      deliver: (bytes) => output.push(new Uint8Array(bytes)),
      ended: resolve,
    });
  });
}
