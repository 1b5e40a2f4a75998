/** Streams that this process carries between pipes of the programs and the streams of a call. */
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { CallStreams } from '../hosts/channel/call-streams.ts';
import { letLateReadersIn } from '../hosts/process/late-readers.ts';
import { type StreamName, streamsOf } from '../hosts/process/streams/stage-streams.ts';
import type { TerminalReader } from '../hosts/process/terminal-library.ts';
import type { Pipe, PipePool } from './pipes.ts';
import type { Plumbing, Run, StartedProgram, Stdio, Streams } from './plumbing.ts';

type OutputName = 'out' | 'err';
type CallStreamName = OutputName | 'in';
type Ends = Partial<Record<StreamName, Pipe>>;

function isOfCall(name: StreamName): name is CallStreamName {
  return name === 'in' || name === 'out' || name === 'err';
}

export function relayedPlumbing(pool: PipePool): Plumbing {
  return {
    async open(run) {
      const { streams } = run;
      if (streams === undefined) return 'the call has no streams';
      const names = streamsOf(run.launch);
      if (!names.every(isOfCall)) return 'a call has no numbered streams';
      return new RelayedStreams(run, streams, pool, names);
    },
  };
}

class RelayedStreams implements Streams {
  readonly #run: Run;
  readonly #streams: CallStreams;
  readonly #names: readonly CallStreamName[];
  readonly #pool: PipePool;
  #ends: Ends | undefined;
  #inlet: Inlet | undefined;
  /** Stops `letLateReadersIn`. */
  #lockOut: (() => void) | undefined;
  /** Output streams that have not ended, plus one for the programs. */
  #left = 1;
  #gone: () => void = () => {};

  constructor(run: Run, streams: CallStreams, pool: PipePool, names: readonly CallStreamName[]) {
    this.#run = run;
    this.#streams = streams;
    this.#names = names;
    this.#pool = pool;
  }

  async stdio(): Promise<(name: StreamName) => Stdio> {
    const names = this.#names;
    let pipes: readonly Pipe[];
    try {
      pipes = this.#pool.takeNow(names.length) ?? (await this.#pool.take(names.length));
    } catch {
      return () => 'pipe';
    }
    const ends: Ends = Object.fromEntries(names.map((name, i) => [name, pipes[i]]));
    this.#ends = ends;
    return (name) => ends[name]?.[name === 'in' ? 'read' : 'write'] ?? 'ignore';
  }

  attach(programs: readonly StartedProgram[]): void {
    const [first, last] = [programs[0], programs.at(-1)];
    const made: Partial<Record<CallStreamName, unknown>> = { in: first?.stdin, out: last?.stdout, err: last?.stderr };
    for (const name of this.#names) {
      const socket = this.#ends === undefined ? (made[name] as Socket) : this.#take(name, this.#ends[name]);
      if (socket === undefined) continue;
      if (name === 'in') this.#inlet = this.#openInlet(socket, () => this.#endInput(socket));
      else this.#read(name, socket);
    }
  }

  discard(): void {
    for (const pipe of Object.values(this.#ends ?? {})) {
      if (pipe === undefined) continue;
      closeSync(pipe.read);
      closeSync(pipe.write);
    }
  }

  carry(screen: Socket): TerminalReader {
    this.#inlet = this.#openInlet(screen, () => {}); // a terminal gets the end as a character of its input
    return openOutlet(screen, 'out', this.#streams);
  }

  ended(lingers: () => void, gone: () => void): void {
    this.#gone = gone;
    this.#inlet?.close();
    this.#lockOut?.();
    if (!this.#finish()) lingers();
  }

  #openInlet(target: Writable, ended: () => void): Inlet {
    const broken = (): void => this.#run.report({ type: 'inputClosed' });
    return openInlet(target, { streams: this.#streams, broken, ended });
  }

  #endInput(target: Writable): void {
    const pipe = this.#ends?.in;
    if (pipe !== undefined && this.#inlet?.isOpen === true) this.#lockOut = letLateReadersIn(pipe.write);
    target.end();
  }

  /** This process's end of a pipe; the programs have inherited the other one. */
  #take(name: StreamName, pipe: Pipe | undefined): Socket | undefined {
    if (pipe === undefined) return undefined;
    const isInput = name === 'in';
    closeSync(isInput ? pipe.read : pipe.write);
    return new Socket({ fd: isInput ? pipe.write : pipe.read, readable: !isInput, writable: isInput });
  }

  #read(name: OutputName, source: Socket): void {
    this.#left++;
    openOutlet(source, name, this.#streams);
    source.on('error', () => source.destroy()); // `close` follows
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#finish();
    };
    source.once('end', over);
    source.once('close', over);
  }

  /** Whether all has ended. The answer of the call ends its streams. */
  #finish(): boolean {
    if (--this.#left > 0) return false;
    this.#gone();
    return true;
  }
}

/** Sends the output of a program, and pauses it while the other end has no room. */
function openOutlet(source: Socket, kind: OutputName, streams: CallStreams): TerminalReader {
  const stream = streams.outgoing(kind, {
    onRoom: () => {
      if (source.isPaused()) source.resume();
    },
  });
  source.on('data', (bytes: Buffer) => {
    // A read returns one part at most, so there is always room for it.
    if (!stream.push(bytes)) source.pause();
  });
  return {
    get isBlocked() {
      return !stream.hasRoom;
    },
  };
}

interface Inlet {
  readonly isOpen: boolean;
  close(): void;
}

function openInlet(target: Writable, { streams, broken, ended }: InletOptions): Inlet {
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    broken();
    target.destroy();
  };
  target.on('error', close);
  const stream = streams.incoming('in', {
    deliver(bytes) {
      if (isClosed) return false;
      target.write(new Uint8Array(bytes), (error) => {
        if (error !== undefined && error !== null) close();
        else if (!isClosed) stream.resume();
      });
      return false;
    },
    ended,
  });
  return {
    get isOpen() {
      return !isClosed && target.writable;
    },
    close() {
      isClosed = true;
      target.destroy();
    },
  };
}

interface InletOptions {
  readonly streams: CallStreams;
  /** The program reads no more. */
  readonly broken: () => void;
  /** The end of the input. */
  readonly ended: () => void;
}
