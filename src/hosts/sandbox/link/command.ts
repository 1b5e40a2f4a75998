/** The gateway's side of one command inside: checks that reports of the runner fit the state of the command. */
import type { RUNNER_METHODS, RunEvent } from '../../../wire/runner.ts';
import type { Infer } from '../../../wire/schema.ts';
import { expectThat } from '../../channel/protocol-violation.ts';
import type { CallStreams, IncomingStream, OutgoingStream } from '../../channel/call-streams.ts';
import type { Channel } from '../../channel/channel.ts';
import { Command, type CommandStreams, inputClosed, startFailed } from '../../process/command.ts';
import type { Exit, Launch, Launched, LaunchStage, Listener } from '../../process/launch.ts';
import { streamsOf } from '../../process/streams/stage-streams.ts';

export interface InsideCommandOptions {
  readonly channel: Channel;
  readonly id: number;
  readonly launch: Launch;
  readonly listener: Listener;
  readonly expectReady: () => void;
  readonly kill: Launched['kill'];
  /** Its exit was delivered and its streams have ended. */
  readonly gone: () => void;
}

/** Calls to resize or interrupt a command; a hostile runner could leave them open for ever. */
const MOST_UNANSWERED = 1000;

type OutputName = 'out' | 'err';
type Ending = Infer<(typeof RUNNER_METHODS)['run.start']['result']>;

export class InsideCommand {
  readonly command: Command;
  readonly #options: InsideCommandOptions;
  readonly #outputs = new Map<OutputName, IncomingStream>();
  #streams: CallStreams | undefined;
  #input: OutgoingStream | undefined;
  #isLimited = false;
  #unanswered = 0;

  constructor(options: InsideCommandOptions) {
    const { channel, id, listener, kill, gone } = options;
    this.#options = options;
    const send = (method: string, params: object): void => {
      if (++this.#unanswered > MOST_UNANSWERED) {
        channel.abandon(`it does not answer ${method}`);
        return;
      }
      channel
        .call(method, { id, ...params })
        .catch(() => {}) // the sandbox has ended
        .finally(() => this.#unanswered--);
    };
    this.command = new Command({
      listener: { exited: (exit) => listener.exited(this.#isLimited ? { ...exit, limit: 'pids' } : exit) },
      streams: this.#commandStreams(),
      resize: (size) => send('run.resize', { size }),
      interrupt: () => send('run.interrupt', {}),
      kill,
      gone,
    });
    this.#start();
  }

  #start(): void {
    const { channel, id, launch, expectReady } = this.#options;
    const { command } = this;
    channel
      .call(
        'run.start',
        { id, launch: insideLaunch(launch) },
        {
          streams: (streams) => {
            this.#streams = streams;
            if (streamsOf(launch).includes('in'))
              this.#input = streams.outgoing('in', { done: 'taken', closed: () => inputClosed(launch.session) });
          },
          event: (event) => {
            expectReady();
            this.#hear(event as RunEvent);
          },
          accept: (exit) => {
            expectReady();
            return this.#checkedExit(exit as Ending);
          },
        },
      )
      .then(
        (exit) => command.ended(exit as Exit),
        (error: unknown) => {
          if (channel.lost !== undefined || command.hasEnded) command.lose();
          else if (command.hasStarted) void this.#killAndLose();
          else command.ended(startFailed(launch, error));
        },
      );
  }

  /** The listener threw an error: nothing receives the output of the command any more. */
  async #killAndLose(): Promise<void> {
    await this.#options.kill().catch(() => {}); // its processes hang in the kernel
    this.command.lose();
  }

  #hear(event: RunEvent): void {
    const { hasStarted, hasEnded } = this.command;
    if (event.type === 'started') {
      expectThat(!hasStarted, 'a second start of a command');
      this.#started(event);
    } else if (event.type === 'exited') {
      expectThat(!hasEnded, 'a second exit of a command');
      this.command.ended(this.#checkedExit(event.exit));
    } else if (event.type === 'limited') this.#isLimited = true;
    else {
      expectThat(hasStarted, 'the end of an input that is not open');
      this.#input?.close();
    }
  }

  #started({ pid, pty, warnings }: Extract<RunEvent, { type: 'started' }>): void {
    const { launch, listener } = this.#options;
    expectThat(!pty || launch.pty !== undefined, 'a terminal that was not asked for');
    for (const name of streamsOf(launch)) {
      if (name !== 'out' && name !== 'err') continue;
      const stream = this.#streams?.incoming(name, {
        deliver: (bytes) => {
          this.command.arrived();
          return listener.output(name, bytes);
        },
        ended: () => {
          this.#outputs.delete(name);
          this.command.streamEnded();
        },
      });
      if (stream !== undefined) this.#outputs.set(name, stream);
    }
    this.command.started(pid, pty, warnings);
  }

  #checkedExit(exit: Ending): Exit {
    const { hasStarted } = this.command;
    const isFailed = exit.kind === 'failed';
    expectThat(hasStarted || isFailed, 'the exit of a command that had not started');
    expectThat(!hasStarted || !isFailed, 'a failed start of a command that runs');
    return exit.kind === 'failed' ? { ...exit, reason: 'spawn-failed' } : exit;
  }

  #commandStreams(): CommandStreams {
    const outputs = this.#outputs;
    return {
      get open() {
        return outputs.size;
      },
      get isHeld() {
        return [...outputs.values()].some(({ isHeld }) => isHeld);
      },
      isMissing: false,
      write: (bytes) => this.#input?.write(bytes) ?? Promise.reject(inputClosed(this.#options.launch.session)),
      endInput: () => this.#input?.end(),
      closeInput: () => this.#input?.close(),
      resume: () => {
        for (const stream of outputs.values()) stream.resume();
      },
      abandon: () => outputs.clear(),
    };
  }
}

/** Removes identities: files have other ones inside. */
function insideLaunch(launch: Launch): Launch {
  const { cwdIdentity: _, stages, ...rest } = launch;
  const [first, ...others] = stages;
  const bare = ({ file, argv }: LaunchStage): LaunchStage => ({ file, argv });
  return { ...rest, stages: [bare(first), ...others.map(bare)] };
}
