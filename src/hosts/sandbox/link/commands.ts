/** The commands inside of one sandbox, as a Launcher. */
import { Fault } from '../../../base/fault.ts';
import type { Channel } from '../../channel/channel.ts';
import { allDelivered, type Command } from '../../process/command.ts';
import type { Launch, Launched, Launcher, Listener } from '../../process/launch.ts';
import { InsideCommand } from './command.ts';

/** How long a kill may take beyond the grace time; the runner itself gives up after 10 seconds. */
const KILL_MS = 15_000;
/** How long the exit of a killed command may take to be reported. */
const EXIT_MS = 5000;

export interface CommandsOptions {
  readonly channel: Channel;
  readonly graceMs: number;
  /** Throws a ProtocolViolation before the runner has answered the first call. */
  readonly expectReady: () => void;
  /** Closes the channel. */
  readonly leave: () => Promise<void>;
}

export class Commands implements Launcher {
  readonly #options: CommandsOptions;
  readonly #commands = new Map<number, Command>();
  #nextId = 1;
  #closed = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  get running(): number {
    return [...this.#commands.values()].filter(({ hasEnded }) => !hasEnded).length;
  }

  async launch(launch: Launch, listener: Listener): Promise<Launched> {
    const { channel, expectReady } = this.#options;
    if (this.#closed) throw new Fault('EXEC_CLOSED', 'no more commands can be started: the sandbox is ending');
    if (channel.lost !== undefined) throw channel.lost;
    const id = this.#nextId++;
    const { command } = new InsideCommand({
      channel,
      id,
      launch,
      listener,
      expectReady,
      kill: (graceMs) => this.#kill(id, launch.session, graceMs),
      gone: () => this.#commands.delete(id),
    });
    this.#commands.set(id, command);
    return command.launched;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { channel, leave } = this.#options;
    const last = [...this.#commands.values()];
    await Promise.allSettled(last.map(async ({ launched }) => (await launched).kill()));
    if (channel.lost === undefined) await allDelivered(last);
    await leave();
  }

  async #kill(id: number, session: string, graceMs = this.#options.graceMs): Promise<void> {
    const { channel } = this.#options;
    const patience = setTimeout(
      () => channel.abandon(`the runner did not confirm that session ${session} was killed`),
      graceMs + KILL_MS,
    );
    let isKilled = true;
    try {
      const result = await channel.call('run.kill', { id, session, graceMs });
      isKilled = (result as { readonly ok: boolean }).ok;
    } catch {
      return; // it ended with its sandbox
    } finally {
      clearTimeout(patience);
    }
    if (!isKilled)
      throw new Fault('EXEC_KILL_FAILED', `processes of session ${session} did not end`, {
        hint: 'they hang in the kernel; end the whole sandbox: pincer sandbox recreate',
      });
    this.#expectExit(this.#commands.get(id), session);
  }

  #expectExit(command: Command | undefined, session: string): void {
    if (command === undefined || command.hasEnded) return;
    const patience = setTimeout(() => {
      if (!command.hasEnded)
        this.#options.channel.abandon(`session ${session} was killed and its exit was not reported`);
    }, EXIT_MS);
    patience.unref();
    void command.exitDelivered.then(() => clearTimeout(patience));
  }
}
