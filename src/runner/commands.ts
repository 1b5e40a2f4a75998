/** The commands that one process of the agent runs: with pipes, or in a terminal where `startTerminal` says how. */
import { markOf } from '../hosts/process/mark.ts';
import { refusalOf } from './refusal.ts';
import type { InsideLaunch, Order } from '../hosts/sandbox/link/messages.ts';
import type { FrameSender } from '../hosts/channel/sending.ts';
import type { Handle } from './handle.ts';
import { endSession, interruptCommand } from './killing.ts';
import { startPiped, pipesFor } from './piped.ts';
import type { PipeShelf } from './named-pipes.ts';
import { startInTerminal } from './relayed-terminal.ts';

type Welcome = Extract<Order, { type: 'welcome' }>;

interface Entry {
  readonly session: string;
  /** What arrived while it was being started. */
  readonly waiting: ((handle: Handle) => void)[];
  handle: Handle | undefined;
}

export class Commands {
  readonly #sender: FrameSender;
  readonly #welcome: Welcome;
  readonly #pipes: PipeShelf;
  readonly #gone: (id: number) => void;
  readonly #entries = new Map<number, Entry>();

  constructor(sender: FrameSender, welcome: Welcome, pipes: PipeShelf, gone: (id: number) => void = () => {}) {
    this.#sender = sender;
    this.#welcome = welcome;
    this.#pipes = pipes;
    this.#gone = gone;
  }

  launch(id: number, asked: InsideLaunch): void {
    const refusal = refusalOf({ ...asked, stages: [{ file: asked.file, argv: asked.argv }] });
    if (refusal !== undefined) {
      const exit = { kind: 'failed', reason: 'spawn-failed', message: refusal.slice(0, 2000) };
      this.#sender.message(id, { type: 'exit', exit });
      this.#gone(id);
      return;
    }
    const launch = { ...asked, env: { ...asked.env, ...markOf(this.#welcome.owner, asked.session) } };
    const entry: Entry = { session: launch.session, waiting: [], handle: undefined };
    this.#entries.set(id, entry);
    if (launch.pty === undefined) {
      const pipes = this.#pipes.takeNow(pipesFor(launch));
      if (pipes !== undefined) {
        this.#began(entry, startPiped(launch, pipes, [], this.#events(id)));
        return;
      }
    }
    void this.#startLater(id, launch).then((handle) => this.#began(entry, handle));
  }

  /** Does something with a command as soon as it has started; nothing when it has ended. */
  with(id: number, work: (handle: Handle) => void): void {
    const entry = this.#entries.get(id);
    if (entry?.handle !== undefined) work(entry.handle);
    else entry?.waiting.push(work);
  }

  /** The command of a session that has not ended. */
  idOf(session: string): number | undefined {
    return [...this.#entries].find(([, entry]) => entry.session === session)?.[0];
  }

  interrupt(id: number): void {
    this.with(id, ({ pid }) => interruptCommand(pid));
  }

  kill(id: number, session: string, graceMs: number): Promise<boolean> {
    return endSession(this.#welcome.owner, session, this.#entries.get(id)?.handle?.pid, graceMs);
  }

  async endAll(graceMs: number): Promise<void> {
    const { owner } = this.#welcome;
    await Promise.all(
      [...this.#entries.values()].map(({ session, handle }) => endSession(owner, session, handle?.pid, graceMs)),
    );
  }

  async #startLater(id: number, launch: InsideLaunch): Promise<Handle | undefined> {
    const events = this.#events(id);
    const { pty, ...rest } = launch;
    if (pty === undefined) return startPiped(launch, await this.#pipes.take(pipesFor(launch)), [], events);
    const started = await startInTerminal(launch, pty, events);
    if (typeof started !== 'string') return started;
    const piped: InsideLaunch = { ...rest, stdin: 'open', streams: 'merged' };
    const warning = `no PTY could be had (${started.slice(0, 1000)}): the command runs with pipes`;
    return startPiped(piped, await this.#pipes.take(pipesFor(piped)), [warning], events);
  }

  #began(entry: Entry, handle: Handle | undefined): void {
    entry.handle = handle;
    if (handle !== undefined) for (const work of entry.waiting.splice(0)) work(handle);
  }

  #events(id: number) {
    return {
      id,
      sender: this.#sender,
      gone: () => {
        this.#entries.delete(id);
        this.#gone(id);
      },
    };
  }
}
