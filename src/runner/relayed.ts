/** Streams that this process reads and writes, and carries in frames: no more is under way than the other end has room for. */
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { LONGEST_PART, STREAM_WINDOW } from '../hosts/channel/frames.ts';
import type { FrameSender } from '../hosts/channel/sending.ts';
import { letLateReadersIn } from '../hosts/process/late-readers.ts';
import { type StreamName, streamsOf } from '../hosts/process/stream-header.ts';
import type { Reading } from '../hosts/process/terminal-library.ts';
import type { Pipe, PipePool } from './pipes.ts';
import type { Plumbing, StartedProgram, Stdio, Streams } from './plumbing.ts';

type OutputName = 'out' | 'err';
type Ends = Partial<Record<StreamName, Pipe>>;

export function relayedPlumbing(sender: FrameSender, pool: PipePool): Plumbing {
  return { open: async (id, launch) => new RelayedStreams(id, streamsOf(launch), sender, pool) };
}

class RelayedStreams implements Streams {
  readonly #id: number;
  readonly #names: readonly StreamName[];
  readonly #sender: FrameSender;
  readonly #pool: PipePool;
  readonly #outlets = new Map<OutputName, Outlet>();
  #ends: Ends | undefined;
  #inlet: Inlet | undefined;
  #isTerminal = false;
  /** Lets programs read the end of an input that they open late; ends that. */
  #lockOut: (() => void) | undefined;
  /** The streams that have not ended, and the programs. */
  #left = 1;
  #gone: () => void = () => {};

  constructor(id: number, names: readonly StreamName[], sender: FrameSender, pool: PipePool) {
    this.#id = id;
    this.#names = names;
    this.#sender = sender;
    this.#pool = pool;
  }

  async stdio(): Promise<readonly [Stdio, Stdio, Stdio]> {
    const names = this.#names;
    let pipes: readonly Pipe[];
    try {
      pipes = this.#pool.takeNow(names.length) ?? (await this.#pool.take(names.length));
    } catch {
      return [names.includes('in') ? 'pipe' : 'ignore', 'pipe', names.includes('err') ? 'pipe' : 'join'];
    }
    const ends: Ends = Object.fromEntries(names.map((name, i) => [name, pipes[i]]));
    this.#ends = ends;
    const output = ends.out?.write ?? 'ignore';
    return [ends.in?.read ?? 'ignore', output, ends.err?.write ?? output];
  }

  attach(programs: readonly StartedProgram[]): void {
    const [first, last] = [programs[0], programs.at(-1)];
    const made: Partial<Record<StreamName, unknown>> = { in: first?.stdin, out: last?.stdout, err: last?.stderr };
    for (const name of this.#names) {
      const socket = this.#ends === undefined ? (made[name] as Socket) : this.#take(name, this.#ends[name]);
      if (socket === undefined) continue;
      if (name === 'in') this.#inlet = openInlet(socket, this.#id, this.#sender);
      else this.#read(name, socket);
    }
  }

  discard(): void {
    for (const { read, write } of Object.values(this.#ends ?? {})) {
      closeSync(read);
      closeSync(write);
    }
  }

  carry(screen: Socket): Reading {
    this.#isTerminal = true;
    const outlet = openOutlet(screen, 'out', this.#id, this.#sender);
    this.#outlets.set('out', outlet);
    this.#inlet = openInlet(screen, this.#id, this.#sender);
    return outlet;
  }

  ended(tell: () => void, gone: () => void): void {
    this.#gone = gone;
    this.#inlet?.close();
    this.#lockOut?.();
    if (this.#isTerminal) this.#sender.stream('out', this.#id);
    this.#finish(tell);
  }

  input(bytes: Uint8Array): void {
    this.#inlet?.write(bytes);
  }

  endInput(): void {
    if (this.#isTerminal) return; // the end is a character there, which comes as input
    const pipe = this.#ends?.in;
    if (pipe !== undefined && this.#inlet?.isOpen === true) this.#lockOut = letLateReadersIn(pipe.write);
    this.#inlet?.end();
  }

  grant(stream: OutputName, bytes: number): void {
    this.#outlets.get(stream)?.grant(bytes);
  }

  /** This process's end of a pipe; the programs have their own hold on the other one. */
  #take(name: StreamName, pipe: Pipe | undefined): Socket | undefined {
    if (pipe === undefined) return undefined;
    const isInput = name === 'in';
    closeSync(isInput ? pipe.read : pipe.write);
    return new Socket({ fd: isInput ? pipe.write : pipe.read, readable: !isInput, writable: isInput });
  }

  #read(name: OutputName, source: Socket): void {
    this.#left++;
    this.#outlets.set(name, openOutlet(source, name, this.#id, this.#sender));
    source.on('error', () => source.destroy()); // `close` follows
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#finish(() => this.#sender.stream(name, this.#id));
    };
    source.once('end', over);
    source.once('close', over);
  }

  /** Many commands are over so soon that all there is to say about them can be said at once, with the last of it. */
  #finish(say: () => void): void {
    if (--this.#left > 0) this.#sender.lazily(say);
    else {
      say();
      this.#gone();
    }
  }
}

/** One output stream on its way out. */
interface Outlet extends Reading {
  grant(bytes: number): void;
}

/** Sends what a program prints, as far as the other end has room for it. */
function openOutlet(source: Socket, kind: OutputName, id: number, sender: FrameSender): Outlet {
  let room = STREAM_WINDOW;
  source.on('data', (bytes: Buffer) => {
    room -= bytes.length;
    sender.stream(kind, id, bytes);
    // One read gives no more than a part, so there is always room for what comes next.
    if (room < LONGEST_PART) source.pause();
  });
  return {
    grant(bytes) {
      room += bytes;
      if (room >= LONGEST_PART && source.isPaused()) source.resume();
    },
    get isBlocked() {
      return room < LONGEST_PART;
    },
  };
}

interface Inlet {
  readonly isOpen: boolean;
  write(bytes: Uint8Array): void;
  /** The program reads the end after what was written before. */
  end(): void;
  close(): void;
}

/** Passes input on to a program and says how much of it was taken, and once when the program reads no more. */
function openInlet(target: Writable, id: number, sender: FrameSender): Inlet {
  let isClosed = false;
  const broken = (): void => {
    if (isClosed) return;
    isClosed = true;
    sender.message(id, { type: 'inputClosed' });
    target.destroy();
  };
  target.on('error', broken);
  return {
    get isOpen() {
      return !isClosed && target.writable;
    },
    write(bytes) {
      if (isClosed) return;
      const { length } = bytes;
      target.write(new Uint8Array(bytes), (error) => {
        if (error !== undefined && error !== null) broken();
        else if (!isClosed) sender.credit(id, 'in', length);
      });
    },
    end: () => target.end(),
    close() {
      isClosed = true;
      target.destroy();
    },
  };
}
