/** The daemon's side of one command, wherever it runs: how far it is, when its exit is delivered, and the handle that is given out. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { Exit, Launch, Launched, Listener } from './launch.ts';

/** How the bytes of a command come and go. */
export interface CommandStreams {
  /** Output streams that have not ended. */
  readonly open: number;
  /** Something waits for the listener. */
  readonly isHeld: boolean;
  /** An output stream has not begun, and will. */
  readonly isMissing: boolean;
  /** Resolves when the bytes are handed over; rejects with EXEC_INPUT_CLOSED. */
  write(bytes: Uint8Array): Promise<void>;
  endInput(): void;
  /** What was written and not taken is lost. */
  closeInput(): void;
  /** The listener wants to hear again. */
  resume(): void;
  /** No output stream is waited for any more. */
  abandon(): void;
}

export interface CommandOptions extends Pick<Launched, 'resize' | 'interrupt' | 'kill'> {
  readonly listener: Pick<Listener, 'exited'>;
  readonly streams: CommandStreams;
  /** Said of it before it has started. */
  readonly warnings?: readonly string[];
  /** Its exit was delivered, and nothing of it will come any more. */
  readonly gone: () => void;
}

const EOT = Uint8Array.of(4);
/** How often the exit waits for a stream that has not begun: ten seconds in all. */
const MOST_WAITS_FOR_STREAMS = 20;
/** Who closes waits no longer for exits that are not delivered. */
const LAST_NEWS_MS = 1000;

/** How long a child that keeps the output open can delay the news of the end. */
const LINGER_MS = 500;
/** The event loop fires a timer before it reads. After a pause of this process the output may be there, still unread. */
const QUIET_TURNS = 3;
const MOST_TURNS = 20;

export class Command {
  /** Also when nothing was started, with the number 0; `exited` tells why. */
  readonly launched: Promise<Launched>;
  /** Resolves when the listener has heard of its exit. */
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

  /** Output has come. */
  arrived(): void {
    this.#linger.arrived();
  }

  /** An output stream has ended, and all of it is delivered. */
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
    // After the promise of the launch, which whoever started it waits for.
    if (streams.open === 0) setImmediate(() => this.#deliverExit());
    else this.#linger.start();
  }

  /** Whoever watched it is gone, and nothing more is heard. */
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
      write: (bytes) => streams.write(bytes),
      endInput: () => {
        if (this.hasEnded) return;
        if (pty)
          streams.write(EOT).catch(() => {}); // it has ended in the meantime
        else streams.endInput();
      },
      resize: (size) => {
        if (pty && !this.hasEnded) resize(size);
      },
      resume: () => {
        streams.resume();
        if (this.#state === 'exited') this.#linger.start();
      },
      interrupt: () => {
        if (!this.hasEnded) interrupt();
      },
      kill,
    };
  }
}

/** Why nothing can be written. */
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

/** Resolves when the exits of all were delivered; a listener that wants to hear nothing is not waited for. */
export async function allDelivered(commands: readonly Command[]): Promise<void> {
  await Promise.race([
    Promise.all(commands.map(({ exitDelivered }) => exitDelivered)),
    sleep(LAST_NEWS_MS, undefined, { ref: false }),
  ]);
}

/** The time between the end of a command and the news of it, in which its last output arrives. */
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

  /** Output has come. */
  arrived(): void {
    this.#hasArrived = true;
  }

  /** It is over after some turns of the event loop that brought no output, or after so many that did. */
  #awaitQuiet(quiet: number, left: number): void {
    if (quiet === QUIET_TURNS || left === 0) {
      this.#over();
      return;
    }
    this.#hasArrived = false;
    this.#turn = setImmediate(() => this.#awaitQuiet(this.#hasArrived ? 0 : quiet + 1, left - 1));
  }
}
