/** The commands of one process of the runner. */
import { messageOf } from '../base/message-of.ts';
import { interruptGroups } from '../hosts/process/kill.ts';
import type { Exit } from '../hosts/process/launch.ts';
import { markOf } from '../hosts/process/mark.ts';
import { processAt, type ProcessId } from '../hosts/process/processes.ts';
import type { RunParams } from '../hosts/process/runner-messages.ts';
import type { Groups } from './groups.ts';
import { endSession } from './killing.ts';
import { setOomPriority } from './oom.ts';
import type { PipePool } from './pipes.ts';
import type { Plumbing, Run } from './plumbing.ts';
import { refusalOf, type StartFailure } from './checks/refusal.ts';
import { startCommand, type Started } from './start.ts';
import type { Terminals } from './terminals.ts';

export interface CommandsOptions {
  /** Is in the mark of its processes beside their session. */
  readonly owner: string;
  /** Between TERM and KILL. */
  readonly graceMs: number;
  readonly plumbing: Plumbing;
  readonly pipes: PipePool;
  /** Processes for terminals. Default: this process has one terminal at most. */
  readonly terminals?: Terminals;
  readonly groups?: Groups;
  /** Of all programs. Default: that of this process. */
  readonly oomPriority?: number;
}

interface Entry {
  readonly run: Run;
  running: Running | undefined;
}

interface Running extends Started {
  readonly processes: readonly ProcessId[];
  readonly cgroup: string | undefined;
}

/** Between TERM and KILL for commands that run when this process ends, at most. */
const LAST_GRACE_MS = 1000;
/** A path can be longer than the texts of a message may be. */
const LONGEST_REASON = 2000;

export class Commands {
  readonly #options: CommandsOptions;
  readonly #entries = new Map<number, Entry>();
  readonly #starting = new Set<Promise<void>>();
  #isEnding = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** Resolves when all programs have ended and all of their output was sent, or nothing was started. */
  async start(run: Run): Promise<Exit> {
    const { owner, terminals } = this.#options;
    const { launch } = run;
    const refusal = refusalOf(launch);
    if (refusal !== undefined) return failed({ reason: 'spawn-failed', message: refusal });
    if (launch.pty !== undefined && terminals !== undefined) return terminals.start(run);
    return this.#start({ ...run, launch: { ...launch, env: { ...launch.env, ...markOf(owner, launch.session) } } });
  }

  /** Whether all processes of a session are gone. */
  kill({ id, session, graceMs }: RunParams['run.kill']): Promise<boolean> {
    const { owner, terminals } = this.#options;
    const { processes = [], cgroup } = this.#entries.get(id)?.running ?? {};
    return terminals?.kill(id, graceMs) ?? endSession(owner, session, processes, graceMs, cgroup);
  }

  resize({ id, size }: RunParams['run.resize']): void {
    this.#options.terminals?.resize(id, size);
    this.#entries.get(id)?.running?.resize?.(size);
  }

  interrupt({ id }: RunParams['run.interrupt']): void {
    interruptGroups(this.#entries.get(id)?.running?.processes ?? this.#options.terminals?.processesOf(id) ?? []);
  }

  /** The command of a session that has not ended. */
  runOf(session: string): Run | undefined {
    const own = [...this.#entries.values()].find(({ run }) => run.launch.session === session);
    return own?.run ?? this.#options.terminals?.runOf(session);
  }

  /** Ends all commands. */
  async end(): Promise<void> {
    const { terminals, groups, pipes } = this.#options;
    const graceMs = Math.min(this.#options.graceMs, LAST_GRACE_MS);
    this.#isEnding = true;
    await Promise.all([...this.#starting, terminals?.end(graceMs)]);
    await Promise.all(
      [...this.#entries].map(async ([id, { run, running }]) => {
        await this.kill({ id, session: run.launch.session, graceMs });
        if (running?.cgroup !== undefined) groups?.release(running.cgroup);
      }),
    );
    await pipes.close();
  }

  #start(run: Run): Promise<Exit> {
    const { plumbing, pipes, groups, oomPriority } = this.#options;
    const entry: Entry = { run, running: undefined };
    this.#entries.set(run.id, entry);
    return new Promise((resolve) => {
      const over = (exit: Exit): void => {
        this.#entries.delete(run.id);
        resolve(exit);
      };
      const starting = startCommand(run, {
        plumbing,
        pipes,
        isEnding: () => this.#isEnding,
        spawned: (pid) => {
          if (oomPriority !== undefined) setOomPriority(pid, oomPriority);
        },
        started: (started) => this.#started(entry, started),
        ended: (exit, streams) => {
          const cgroup = entry.running?.cgroup;
          if (cgroup !== undefined) groups?.release(cgroup);
          streams.ended(
            () => run.report({ type: 'exited', exit }),
            () => over(exit),
          );
        },
      })
        .catch((error: unknown): StartFailure => ({ reason: 'spawn-failed', message: messageOf(error) }))
        .then((failure) => {
          this.#starting.delete(starting);
          if (failure !== undefined) over(failed(failure));
        });
      this.#starting.add(starting);
    });
  }

  #started(entry: Entry, started: Started): void {
    const { groups } = this.#options;
    const { launch, report } = entry.run;
    const { pids, warnings, resize } = started;
    const cgroup = groups?.folderFor(launch.session);
    if (cgroup !== undefined) groups?.fill(cgroup, pids);
    const processes = pids.map((pid) => ({ pid, startTime: processAt(pid)?.startTime ?? '' }));
    entry.running = { ...started, processes, cgroup };
    const group = cgroup === undefined ? {} : { cgroup };
    const pid = pids.at(-1) ?? 0;
    report({ type: 'started', pid, pty: resize !== undefined, warnings, processes, ...group });
  }
}

function failed({ reason, message }: StartFailure): Exit {
  return { kind: 'failed', reason, message: message.slice(0, LONGEST_REASON) };
}
