/** The commands of one process of the runner. */
import { messageOf } from '../base/message-of.ts';
import { type FrameKind, readCredit } from '../hosts/channel/frames.ts';
import { interruptGroups } from '../hosts/process/kill.ts';
import type { Launch } from '../hosts/process/launch.ts';
import { markOf } from '../hosts/process/mark.ts';
import { processAt, type ProcessId } from '../hosts/process/processes.ts';
import type { News, Order } from '../hosts/process/runner-messages.ts';
import type { Groups } from './groups.ts';
import { endSession } from './killing.ts';
import { setOomPriority } from './oom.ts';
import type { PipePool } from './pipes.ts';
import type { Plumbing } from './plumbing.ts';
import { refusalOf, type StartFailure } from './checks/refusal.ts';
import { startCommand, type Started } from './start.ts';
import type { Terminals } from './terminals.ts';

export interface CommandsOptions {
  /** Names its processes beside their session. */
  readonly owner: string;
  /** Between TERM and KILL. */
  readonly graceMs: number;
  readonly plumbing: Plumbing;
  readonly pipes: PipePool;
  /** In the order of what happens: `started` before `exit`, and `exit` alone when nothing was started. */
  readonly report: (id: number, news: News) => void;
  /** Other processes, which have the terminals; without them this one has one at most. */
  readonly terminals?: Terminals;
  readonly groups?: Groups;
  /** Of all programs (default: that of this process). */
  readonly oomPriority?: number;
  /** A command is over, and nothing of it will come any more. */
  readonly gone?: () => void;
}

interface Entry {
  readonly session: string;
  /** What arrived while it was being started. */
  readonly waiting: ((running: Running) => void)[];
  running: Running | undefined;
}

interface Running extends Started {
  readonly processes: readonly ProcessId[];
  readonly cgroup: string | undefined;
}

/** What still runs when this process ends gets no more than this. */
const LAST_GRACE_MS = 1000;
/** A path can be as long as no sentence in a message may be. */
const LONGEST_REASON = 2000;

export class Commands {
  readonly #options: CommandsOptions;
  readonly #entries = new Map<number, Entry>();
  readonly #starting = new Set<Promise<void>>();
  #isEnding = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  obey(id: number, order: Order): void {
    if (order.type === 'launch') this.#launch(id, order.launch);
    else if (order.type === 'kill') {
      const { n, session, graceMs } = order;
      void this.#kill(id, session, graceMs).then((ok) => this.#options.report(id, { type: 'killed', n, ok }));
    } else if (this.#options.terminals?.send(id, order) !== true)
      this.#with(id, ({ streams, processes, resize }) => {
        if (order.type === 'endInput') streams.endInput();
        else if (order.type === 'interrupt') interruptGroups(processes);
        else if (order.type === 'resize') resize?.(order.size);
      });
  }

  /** A frame of a stream. */
  receive(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (this.#options.terminals?.pass(kind, id, payload) === true) return;
    if (kind === 'in') {
      const bytes = new Uint8Array(payload);
      this.#with(id, ({ streams }) => streams.input(bytes));
    } else if (kind === 'credit') {
      const { stream, bytes } = readCredit(payload);
      if (stream === 'out' || stream === 'err') this.#with(id, ({ streams }) => streams.grant(stream, bytes));
    }
  }

  /** The command of a session that is not over. */
  idOf(session: string): number | undefined {
    const own = [...this.#entries].find(([, entry]) => entry.session === session)?.[0];
    return own ?? this.#options.terminals?.idOf(session);
  }

  /** Ends all that was started and still runs. */
  async end(): Promise<void> {
    const { terminals, groups, pipes } = this.#options;
    const graceMs = Math.min(this.#options.graceMs, LAST_GRACE_MS);
    this.#isEnding = true;
    await Promise.all([...this.#starting, terminals?.end(graceMs)]);
    await Promise.all(
      [...this.#entries].map(async ([id, { session, running }]) => {
        await this.#kill(id, session, graceMs);
        if (running?.cgroup !== undefined) groups?.release(running.cgroup);
      }),
    );
    await pipes.close();
  }

  #kill(id: number, session: string, graceMs: number): Promise<boolean> {
    const { owner, terminals } = this.#options;
    const { processes = [], cgroup } = this.#entries.get(id)?.running ?? {};
    return terminals?.kill(id, graceMs) ?? endSession(owner, session, processes, graceMs, cgroup);
  }

  /** Does something with a command as soon as it has started; nothing when it is over. */
  #with(id: number, work: (running: Running) => void): void {
    const entry = this.#entries.get(id);
    if (entry?.running !== undefined) work(entry.running);
    else entry?.waiting.push(work);
  }

  #launch(id: number, asked: Launch): void {
    const { owner, terminals } = this.#options;
    const refusal = refusalOf(asked);
    if (refusal !== undefined) this.#fail(id, { reason: 'spawn-failed', message: refusal });
    else if (asked.pty !== undefined && terminals !== undefined) terminals.launch(id, asked);
    else {
      const launch = { ...asked, env: { ...asked.env, ...markOf(owner, asked.session) } };
      const starting = this.#start(id, launch).finally(() => this.#starting.delete(starting));
      this.#starting.add(starting);
    }
  }

  async #start(id: number, launch: Launch): Promise<void> {
    const { plumbing, pipes, groups, report, oomPriority } = this.#options;
    const entry: Entry = { session: launch.session, waiting: [], running: undefined };
    this.#entries.set(id, entry);
    try {
      const failure = await startCommand(id, launch, {
        plumbing,
        pipes,
        isEnding: () => this.#isEnding,
        spawned: (pid) => {
          if (oomPriority !== undefined) setOomPriority(pid, oomPriority);
        },
        started: (started) => this.#started(id, entry, started),
        ended: (exit, streams) => {
          const cgroup = entry.running?.cgroup;
          if (cgroup !== undefined) groups?.release(cgroup);
          streams.ended(
            () => report(id, { type: 'exit', exit }),
            () => this.#forget(id),
          );
        },
      });
      if (failure !== undefined) this.#fail(id, failure);
    } catch (error) {
      this.#fail(id, { reason: 'spawn-failed', message: messageOf(error) });
    }
  }

  #started(id: number, entry: Entry, started: Started): void {
    const { groups, report } = this.#options;
    const { pids, warnings, resize } = started;
    const cgroup = groups?.folderFor(entry.session);
    if (cgroup !== undefined) groups?.fill(cgroup, pids);
    const processes = pids.map((pid) => ({ pid, startTime: processAt(pid)?.startTime ?? '' }));
    const running: Running = { ...started, processes, cgroup };
    entry.running = running;
    const group = cgroup === undefined ? {} : { cgroup };
    const pid = pids.at(-1) ?? 0;
    report(id, { type: 'started', pid, pty: resize !== undefined, warnings, processes, ...group });
    for (const work of entry.waiting.splice(0)) work(running);
  }

  #fail(id: number, { reason, message }: StartFailure): void {
    const exit = { kind: 'failed', reason, message: message.slice(0, LONGEST_REASON) } as const;
    this.#options.report(id, { type: 'exit', exit });
    this.#forget(id);
  }

  #forget(id: number): void {
    this.#entries.delete(id);
    this.#options.gone?.();
  }
}
