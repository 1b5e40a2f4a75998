/** The gateway's side of one command inside: what comes out of a sandbox about it is checked against how far it is. */
import type { Launch, Launched, Listener } from '../../process/launch.ts';
import { Command, type CommandStreams, inputClosed } from '../../process/command.ts';
import { streamsOf } from '../../process/stream-header.ts';
import { expectThat } from '../../channel/breach.ts';
import type { StreamKind } from '../../channel/frames.ts';
import { InputStream } from '../../channel/input.ts';
import { OutputStream } from '../../channel/output.ts';
import type { FrameSender } from '../../channel/sending.ts';
import type { News } from './messages.ts';

export interface InsideCommandOptions {
  readonly id: number;
  readonly launch: Launch;
  readonly listener: Listener;
  readonly sender: FrameSender;
  readonly kill: Launched['kill'];
  /** Nothing of it will come any more. */
  readonly gone: () => void;
}

type OutputName = 'out' | 'err';

export class InsideCommand {
  readonly command: Command;
  readonly #options: InsideCommandOptions;
  readonly #input: InputStream;
  readonly #outputs = new Map<OutputName, OutputStream>();
  #isLimited = false;

  constructor(options: InsideCommandOptions) {
    const { id, launch, listener, sender, kill, gone } = options;
    this.#options = options;
    this.#input = new InputStream(
      (bytes) => sender.stream('in', id, bytes),
      () => inputClosed(launch.session),
    );
    this.command = new Command({
      listener: { exited: (exit) => listener.exited(this.#isLimited ? { ...exit, limit: 'pids' } : exit) },
      streams: this.#streams(),
      resize: (size) => sender.message(id, { type: 'resize', size }),
      interrupt: () => sender.message(id, { type: 'interrupt' }),
      kill,
      gone,
    });
  }

  /** How much input the agent has not taken. */
  get inputUnderWay(): number {
    return this.#input.underWay;
  }

  /** Bytes of one of its output streams. */
  output(name: OutputName, bytes: Uint8Array): void {
    const stream = this.#outputs.get(name);
    expectThat(stream !== undefined, 'output of a stream that is not open came out of it');
    this.command.arrived();
    stream.receive(bytes);
  }

  /** The agent has taken input. */
  credit(stream: StreamKind, bytes: number): void {
    expectThat(stream === 'in' && this.command.hasStarted, 'a credit for no input came out of it');
    this.#input.taken(bytes);
  }

  hear(news: News): void {
    const { hasStarted, hasEnded } = this.command;
    if (news.type === 'started') {
      expectThat(!hasStarted, 'the start of a command that had started came out of it');
      this.#started(news);
    } else if (news.type === 'exit') {
      const isFailed = news.exit.kind === 'failed';
      expectThat(!hasEnded, 'a second end of a command came out of it');
      expectThat(hasStarted || isFailed, 'the end of a command that had not started came out of it');
      expectThat(!hasStarted || !isFailed, 'the failed start of a command that runs came out of it');
      this.command.ended(news.exit);
    } else if (news.type === 'limited') this.#isLimited = true;
    else {
      expectThat(news.type === 'inputClosed' && hasStarted, `${news.type} out of turn came out of it`);
      this.#input.close();
    }
  }

  #started({ pid, pty, warnings }: Extract<News, { type: 'started' }>): void {
    const { launch } = this.#options;
    expectThat(!pty || launch.pty !== undefined, 'a terminal that nobody asked for came out of it');
    const names = streamsOf(launch);
    for (const name of names) if (name !== 'in') this.#open(name);
    if (!names.includes('in')) this.#input.close();
    this.command.started(pid, pty, warnings);
  }

  #open(name: OutputName): void {
    const { id, listener, sender } = this.#options;
    const stream = new OutputStream({
      deliver: (bytes) => listener.output(name, bytes),
      grant: (bytes) => sender.credit(id, name, bytes),
      drained: () => {
        this.#outputs.delete(name);
        this.command.streamEnded();
      },
    });
    this.#outputs.set(name, stream);
  }

  #streams(): CommandStreams {
    const { id, sender } = this.#options;
    const [input, outputs] = [this.#input, this.#outputs];
    return {
      get open() {
        return outputs.size;
      },
      get isHeld() {
        return [...outputs.values()].some(({ isHeld }) => isHeld);
      },
      isMissing: false,
      write: (bytes) => input.write(bytes),
      endInput: () => input.end(() => sender.message(id, { type: 'endInput' })),
      closeInput: () => input.close(),
      resume: () => {
        for (const stream of outputs.values()) stream.resume();
      },
      abandon: () => outputs.clear(),
    };
  }
}
