/** The daemon's side of one command, wherever it runs: its state, the delivery of its exit, and its handle. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { Exit, InputStream, Launch, Launched, Listener } from './launch.ts';

/** The streams of a command, as sockets or as streams of a channel. */
export interface CommandStreams {
  /** Output streams that have not ended. */
  readonly open: number;
  /** Something waits for the listener. */
  readonly isHeld: boolean;
  /** An output stream has not arrived yet. */
  readonly isMissing: boolean;
  write(bytes: Uint8Array, stream?: InputStream): Promise<void>;
  endInput(stream?: InputStream): void;
  /** Discards input that was not taken. */
  closeInput(): void;
  resume(): void;
  closeOutput?(stream: `out${number}`): void;
  /** Stops waiting for output streams. */
  abandon(): void;
}

export interface CommandOptions extends Pick<Launched, 'resize' | 'interrupt' | 'kill'> {
  readonly listener: Pick<Listener, 'exited'>;
  readonly streams: CommandStreams;
  /** Warnings from before its start. */
  readonly warnings?: readonly string[];
  /** Its exit was delivered and its streams have ended. */
  readonly gone: () => void;
}

const EOT = Uint8Array.of(4);
/** How often the exit waits for a stream that has not arrived: ten seconds in all. */
const MOST_WAITS_FOR_STREAMS = 20;
/** How long `close` waits for exits that are not delivered. */
const CLOSE_MS = 1000;

/** How long a child that keeps the output open can delay the exit. */
const LINGER_MS = 500;
/** The event loop fires timers before it reads. After a pause of this process there may be unread output. */
const QUIET_TURNS = 3;
const MOST_TURNS = 20;

export class Command {
  /** Resolves with pid 0 when nothing was started; `exited` has the reason. */
  readonly launched: Promise<Launched>;
  readonly exitDelivered: Promise<void>;
  readonly #options: CommandOptions;
  readonly #linger: Linger;
  #resolveLaunched: (launched: Launched) => void = () => {};
  #resolveDelivered: () => void = () => {};
  #state: 'starting' | 'running' | 'exited' | 'delivered' = 'starting';
  #exit: Exit | undefined;

  constructor(options: CommandOptions) {
    const { streams } = options;
    this.#options = options;
    this.launched = new Promise((resolve) => (this.#resolveLaunched = resolve));
    this.exitDelivered = new Promise((resolve) => (this.#resolveDelivered = resolve));
    let waits = MOST_WAITS_FOR_STREAMS;
    this.#linger = new Linger(() => {
      if (streams.isHeld) return;
      if (streams.isMissing && waits-- > 0) this.#linger.start();
      else this.#deliverExit();
    });
  }

  get hasStarted(): boolean {
    return this.#state !== 'starting';
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  started(pid: number, pty: boolean, warnings: readonly string[]): void {
    this.#state = 'running';
    this.#resolveLaunched(this.#handle(pid, pty, warnings));
  }

  arrived(): void {
    this.#linger.arrived();
  }

  /** An output stream has ended and all of it was delivered. */
  streamEnded(): void {
    if (this.#options.streams.open > 0) return;
    if (this.#state === 'exited') setImmediate(() => this.#deliverExit());
    else if (this.#state === 'delivered') this.#options.gone();
  }

  /** All of its programs have ended, or nothing was started. */
  ended(exit: Exit): void {
    if (this.#exit !== undefined) return;
    const { streams } = this.#options;
    this.#exit = exit;
    if (this.#state === 'starting') {
      streams.abandon();
      this.#resolveLaunched(this.#handle(0, false, []));
    }
    this.#state = 'exited';
    streams.closeInput();
    // After the promise of the launch, which the caller awaits.
    if (streams.open === 0) setImmediate(() => this.#deliverExit());
    else this.#linger.start();
  }

  /** The runner is gone: no more events will arrive. */
  lose(): void {
    this.#options.streams.abandon();
    if (this.#exit === undefined) this.ended({ kind: 'lost' });
    else this.#deliverExit();
  }

  #deliverExit(): void {
    if (this.#exit === undefined || this.#state === 'delivered') return;
    this.#state = 'delivered';
    this.#linger.stop();
    this.#options.listener.exited(this.#exit);
    this.#resolveDelivered();
    if (this.#options.streams.open === 0) this.#options.gone();
  }

  #handle(pid: number, pty: boolean, warnings: readonly string[]): Launched {
    const { streams, resize, interrupt, kill, warnings: first = [] } = this.#options;
    return {
      pid,
      pty,
      warnings: [...first, ...warnings],
      write: (bytes, stream) => streams.write(bytes, stream),
      endInput: (stream) => {
        if (this.hasEnded) return;
        if (pty)
          streams.write(EOT).catch(() => {}); // it has ended in the meantime
        else streams.endInput(stream);
      },
      resize: (size) => {
        if (pty && !this.hasEnded) resize(size);
      },
      resume: () => {
        streams.resume();
        if (this.#state === 'exited') this.#linger.start();
      },
      closeOutput: (stream) => streams.closeOutput?.(stream),
      interrupt: () => {
        if (!this.hasEnded) interrupt();
      },
      kill,
    };
  }
}

export function inputClosed(session: string): Fault {
  return new Fault('EXEC_INPUT_CLOSED', `the input of session ${session} is closed`, {
    hint: 'the command has ended, or has no input: start it with pty to type into it while it runs',
  });
}

/** The exit of a command whose start could not be sent to the runner. */
export function startFailed({ stages: [first] }: Launch, error: unknown): Exit {
  const isTooLong = error instanceof Fault && error.code === 'GATEWAY_TOO_LARGE';
  const why = isTooLong ? 'its arguments and environment are too long (E2BIG)' : messageOf(error);
  return { kind: 'failed', reason: 'spawn-failed', message: `${first.file} could not be started: ${why}` };
}

/** Resolves when the exits of all were delivered. Does not wait long for a listener that is paused. */
export async function allDelivered(commands: readonly Command[]): Promise<void> {
  await Promise.race([
    Promise.all(commands.map(({ exitDelivered }) => exitDelivered)),
    sleep(CLOSE_MS, undefined, { ref: false }),
  ]);
}

/** The time between the end of a command and the delivery of its exit, in which its last output arrives. */
class Linger {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;
  #hasArrived = false;

  constructor(over: () => void) {
    this.#over = over;
  }

  start(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#awaitQuiet(0, MOST_TURNS), LINGER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }

  arrived(): void {
    this.#hasArrived = true;
  }

  /** Waits for some turns of the event loop without output, up to a greatest number of turns. */
  #awaitQuiet(quiet: number, left: number): void {
    if (quiet === QUIET_TURNS || left === 0) {
      this.#over();
      return;
    }
    this.#hasArrived = false;
    this.#turn = setImmediate(() => this.#awaitQuiet(this.#hasArrived ? 0 : quiet + 1, left - 1));
  }
}
