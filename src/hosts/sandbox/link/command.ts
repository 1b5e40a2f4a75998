/** The gateway's side of one command inside: its state, its streams, its end, and the hand that is given out. */
import { Fault } from '../../../base/fault.ts';
import type { TerminalSize } from '../../../wire/session.ts';
import type { Exit, Launch, Launched, Listener } from '../../process/launch.ts';
import { Linger } from '../../process/linger.ts';
import { expectThat } from '../../channel/breach.ts';
import type { StreamKind } from '../../channel/frames.ts';
import { InputStream } from '../../channel/input.ts';
import type { News } from './messages.ts';
import { OutputStream } from '../../channel/output.ts';
import type { FrameSender } from '../../channel/sending.ts';

const EOT = Uint8Array.of(4);

export interface CommandOptions {
  readonly id: number;
  readonly launch: Launch;
  readonly listener: Listener;
  readonly sender: FrameSender;
  readonly kill: (graceMs?: number) => Promise<void>;
  /** Nothing of it will come any more. */
  readonly gone: () => void;
}

type OutputName = 'out' | 'err';

export class Command {
  readonly launched: Promise<Launched>;
  /** Resolves when its end was told. */
  readonly told: Promise<void>;
  readonly #options: CommandOptions;
  readonly #input: InputStream;
  readonly #outputs = new Map<OutputName, OutputStream>();
  #resolveLaunched: (launched: Launched) => void = () => {};
  #resolveTold: () => void = () => {};
  #state: 'starting' | 'running' | 'exited' | 'told' = 'starting';
  #exit: Exit | undefined;
  #isLimited = false;
  readonly #linger = new Linger(() => {
    if (![...this.#outputs.values()].some(({ isHeld }) => isHeld)) this.#tell();
  });

  constructor(options: CommandOptions) {
    const { id, launch, sender } = options;
    this.#options = options;
    this.launched = new Promise((resolve) => (this.#resolveLaunched = resolve));
    this.told = new Promise((resolve) => (this.#resolveTold = resolve));
    this.#input = new InputStream(
      (bytes) => sender.stream('in', id, bytes),
      () => inputClosed(launch.session),
    );
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  /** How much input the agent has not taken. */
  get inputUnderWay(): number {
    return this.#input.underWay;
  }

  /** Bytes of one of its output streams. */
  output(name: OutputName, bytes: Uint8Array): void {
    const stream = this.#outputs.get(name);
    expectThat(stream !== undefined, 'output of a stream that is not open came out of it');
    this.#linger.arrived();
    stream.receive(bytes);
  }

  /** The agent has taken input. */
  credit(stream: StreamKind, bytes: number): void {
    expectThat(stream === 'in' && this.#state !== 'starting', 'a credit for no input came out of it');
    this.#input.taken(bytes);
  }

  hear(news: News): void {
    if (news.type === 'started') this.#started(news);
    else if (news.type === 'exit') this.#exited(news.exit);
    else if (news.type === 'limited') this.#isLimited = true;
    else {
      expectThat(news.type === 'inputClosed' && this.#state !== 'starting', `${news.type} out of turn came out of it`);
      this.#input.close();
    }
  }

  /** The sandbox is gone, and the command with it. */
  lose(): void {
    this.#outputs.clear();
    if (this.#exit === undefined) this.#end({ kind: 'lost' });
    else this.#tell();
  }

  #started({ pid, pty, warnings }: Extract<News, { type: 'started' }>): void {
    const { launch } = this.#options;
    expectThat(this.#state === 'starting', 'the start of a command that had started came out of it');
    expectThat(!pty || launch.pty !== undefined, 'a terminal that nobody asked for came out of it');
    this.#state = 'running';
    const isApart = launch.pty === undefined && launch.streams === 'apart';
    for (const name of isApart ? (['out', 'err'] as const) : (['out'] as const)) this.#open(name);
    if (launch.pty === undefined && launch.stdin === 'closed') this.#input.close();
    this.#resolveLaunched(this.#hand(pid, pty, warnings));
  }

  #open(name: OutputName): void {
    const { id, listener, sender } = this.#options;
    const stream = new OutputStream({
      deliver: (bytes) => listener.output(name, bytes),
      grant: (bytes) => sender.credit(id, name, bytes),
      drained: () => {
        this.#outputs.delete(name);
        this.#tellWhenDrained();
      },
    });
    this.#outputs.set(name, stream);
  }

  #exited(exit: Exit): void {
    expectThat(this.#exit === undefined, 'a second end of a command came out of it');
    const hasStarted = this.#state !== 'starting';
    expectThat(hasStarted || exit.kind === 'failed', 'the end of a command that had not started came out of it');
    expectThat(!hasStarted || exit.kind !== 'failed', 'the failed start of a command that runs came out of it');
    this.#end(exit);
  }

  #end(exit: Exit): void {
    if (this.#state === 'starting') this.#resolveLaunched(this.#hand(0, false, []));
    this.#exit = exit;
    this.#state = 'exited';
    this.#input.close();
    this.#tellWhenDrained();
    if (this.#outputs.size > 0) this.#linger.start();
  }

  #tellWhenDrained(): void {
    if (this.#exit === undefined || this.#outputs.size > 0) return;
    // After the promise of the launch, which whoever started it waits for.
    if (this.#state === 'exited') setImmediate(() => this.#tell());
    this.#options.gone();
  }

  #tell(): void {
    if (this.#exit === undefined || this.#state === 'told') return;
    this.#state = 'told';
    this.#linger.stop();
    this.#options.listener.exited(this.#isLimited ? { ...this.#exit, limit: 'pids' } : this.#exit);
    this.#resolveTold();
  }

  #hand(pid: number, pty: boolean, warnings: readonly string[]): Launched {
    const { id, sender, kill } = this.#options;
    return {
      pid,
      pty,
      warnings,
      write: (bytes) => this.#input.write(bytes),
      endInput: () => {
        if (this.hasEnded) return;
        if (pty)
          this.#input.write(EOT).catch(() => {}); // it has ended in the meantime
        else this.#input.end(() => sender.message(id, { type: 'endInput' }));
      },
      resize: (size: TerminalSize) => {
        if (pty && !this.hasEnded) sender.message(id, { type: 'resize', size });
      },
      resume: () => {
        for (const stream of this.#outputs.values()) stream.resume();
        if (this.#state === 'exited') this.#linger.start();
      },
      interrupt: () => {
        if (!this.hasEnded) sender.message(id, { type: 'interrupt' });
      },
      kill,
    };
  }
}

function inputClosed(session: string): Fault {
  return new Fault('EXEC_INPUT_CLOSED', `the input of session ${session} is closed`, {
    hint: 'the command has ended, or has no input: start it with pty to type into it while it runs',
  });
}
