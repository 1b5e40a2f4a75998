/** The commands inside of one sandbox, as a Launcher. */
import { Fault } from '../../../base/fault.ts';
import { allDelivered, type Command } from '../../process/command.ts';
import type { Launch, Launched, Launcher, LaunchStage, Listener } from '../../process/launch.ts';
import { expectThat } from '../../channel/breach.ts';
import { InsideCommand } from './command.ts';
import { BrokenFrame } from '../../channel/frames.ts';
import type { News } from '../../process/runner-messages.ts';
import type { FrameSender } from '../../channel/sending.ts';

/** How long the agent may take beyond the grace time until a tree of processes is gone; its own patience is 10 seconds. */
const KILL_MS = 15_000;
/** How long the news of the end of what was killed may take. */
const LAST_NEWS_MS = 5000;

export interface CommandsOptions {
  readonly sender: FrameSender;
  readonly graceMs: number;
  readonly nextId: () => number;
  /** Why nothing can be started any more; undefined while it can. */
  readonly over: () => Fault | undefined;
  readonly breakDown: (reason: string) => void;
  /** Closes the channel. */
  readonly leave: () => Promise<void>;
}

interface Hunt {
  readonly command: number;
  readonly resolve: (ok: boolean) => void;
}

export class Commands implements Launcher {
  readonly #options: CommandsOptions;
  readonly #commands = new Map<number, InsideCommand>();
  readonly #hunts = new Map<number, Hunt>();
  #nextHunt = 1;
  /** Input of commands that are gone, which the agent had not taken. */
  #late = 0;
  #closed = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** How many have not ended. */
  get running(): number {
    return [...this.#commands.values()].filter(({ command }) => !command.hasEnded).length;
  }

  find(id: number): InsideCommand | undefined {
    return this.#commands.get(id);
  }

  async launch(launch: Launch, listener: Listener): Promise<Launched> {
    const { sender, nextId, over } = this.#options;
    if (this.#closed) throw new Fault('EXEC_CLOSED', 'no command can be started any more: the sandbox is ending');
    const fault = over();
    if (fault !== undefined) throw fault;
    const id = nextId();
    const command = new InsideCommand({
      id,
      launch,
      listener,
      sender,
      kill: (graceMs) => this.#kill(id, launch.session, graceMs),
      gone: () => {
        if (this.#commands.delete(id)) this.#late += command.inputUnderWay;
      },
    });
    this.#commands.set(id, command);
    const refusal = this.#send(id, launch);
    if (refusal !== undefined)
      command.hear({ type: 'exit', exit: { kind: 'failed', reason: 'spawn-failed', message: refusal } });
    return command.command.launched;
  }

  /** The end of a command and the last credits for its input may cross each other, but there are no more than there was input. */
  lateCredit(bytes: number): void {
    expectThat(bytes > 0 && bytes <= this.#late, 'a credit for nothing came out of it');
    this.#late -= bytes;
  }

  /** The end of a hunt. */
  killed(id: number, { n, ok }: Extract<News, { type: 'killed' }>): void {
    const hunt = this.#hunts.get(n);
    expectThat(hunt?.command === id, 'the end of a hunt that nobody began came out of it');
    this.#hunts.delete(n);
    hunt.resolve(ok);
  }

  /** The sandbox is gone. */
  loseAll(): void {
    for (const { command } of this.#commands.values()) command.lose();
    this.#commands.clear();
    for (const { resolve } of this.#hunts.values()) resolve(true);
    this.#hunts.clear();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { leave, over } = this.#options;
    const last = [...this.#commands.values()].map(({ command }) => command);
    await Promise.allSettled(last.map(async ({ launched }) => (await launched).kill()));
    if (over() === undefined) await allDelivered(last);
    await leave();
  }

  #send(id: number, launch: Launch): string | undefined {
    try {
      this.#options.sender.message(id, { type: 'launch', launch: insideLaunch(launch) });
      return undefined;
    } catch (error) {
      if (!(error instanceof BrokenFrame)) throw error;
      return `${launch.stages[0].file} could not be started: its arguments and environment are too long (E2BIG)`;
    }
  }

  async #kill(id: number, session: string, graceMs = this.#options.graceMs): Promise<void> {
    const { sender, over, breakDown } = this.#options;
    if (over() !== undefined) return; // it ended with its sandbox
    const n = this.#nextHunt++;
    const patience = setTimeout(
      () => breakDown(`the end of session ${session} was never confirmed`),
      graceMs + KILL_MS,
    );
    const ok = await new Promise<boolean>((resolve) => {
      this.#hunts.set(n, { command: id, resolve });
      sender.message(id, { type: 'kill', n, session, graceMs });
    });
    clearTimeout(patience);
    if (!ok)
      throw new Fault('EXEC_KILL_FAILED', `processes of session ${session} did not end`, {
        hint: 'they hang in the kernel; end the whole sandbox: pincer sandbox recreate',
      });
    this.#expectEnd(this.#commands.get(id)?.command, session);
  }

  /** What is gone has an end; an agent that never tells it is none of ours. */
  #expectEnd(command: Command | undefined, session: string): void {
    if (command === undefined || command.hasEnded) return;
    const patience = setTimeout(() => {
      if (!command.hasEnded) this.#options.breakDown(`session ${session} was ended and its end was never told`);
    }, LAST_NEWS_MS);
    patience.unref();
    void command.exitDelivered.then(() => clearTimeout(patience));
  }
}

/** Identities are those of this machine's files; inside there are others. */
function insideLaunch(launch: Launch): Launch {
  const { cwdIdentity: _, stages, ...rest } = launch;
  const [first, ...others] = stages;
  const bare = ({ file, argv }: LaunchStage): LaunchStage => ({ file, argv });
  return { ...rest, stages: [bare(first), ...others.map(bare)] };
}
