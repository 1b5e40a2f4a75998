/** The streams of a command that are connections of its own. */
import type { Socket } from 'node:net';
import { type CommandStreams, inputClosed } from '../command.ts';
import type { InputStream, Launch, Listener, OutputStream } from '../launch.ts';
import { InputSocket } from './input-socket.ts';
import { isInput, type StreamName, streamsOf } from './stage-streams.ts';

export interface StreamSocketsOptions {
  readonly launch: Launch;
  readonly listener: Pick<Listener, 'output' | 'collected'>;
  readonly arrived: () => void;
  readonly ended: () => void;
}

export class StreamSockets implements CommandStreams {
  readonly #options: StreamSocketsOptions;
  readonly #arrived = new Set<StreamName>();
  readonly #open: Set<OutputStream>;
  readonly #inputs: ReadonlyMap<InputStream, InputSocket>;
  readonly #paused = new Set<Socket>();
  readonly #collected = new Map<`out${number}`, Socket>();
  readonly #closed = new Set<`out${number}`>();
  #isAbandoned = false;

  constructor(options: StreamSocketsOptions) {
    this.#options = options;
    const names = streamsOf(options.launch);
    const closed = () => inputClosed(options.launch.session);
    this.#open = new Set(names.filter((name): name is OutputStream => !isInput(name)));
    this.#inputs = new Map(names.filter(isInput).map((name) => [name, new InputSocket(closed)]));
  }

  get open(): number {
    return this.#open.size;
  }

  get isHeld(): boolean {
    return this.#paused.size > 0;
  }

  /** Every stream is connected before the program starts, so a missing one will arrive. */
  get isMissing(): boolean {
    return [...this.#open].some((name) => !this.#arrived.has(name));
  }

  /** Returns the listener for the bytes of a connection; undefined when it is not expected. */
  receive(name: StreamName, socket: Socket): ((bytes: Uint8Array) => boolean) | undefined {
    const { listener, arrived, ended } = this.#options;
    if (this.#arrived.has(name) || this.#isAbandoned) return undefined;
    if (isInput(name)) {
      const input = this.#inputs.get(name);
      if (input === undefined) return undefined;
      this.#arrived.add(name);
      input.connect(socket);
      return () => true; // what a program writes to its input is ignored
    }
    this.#arrived.add(name);
    if (name !== 'out' && name !== 'err') {
      this.#collected.set(name, socket);
      if (this.#closed.has(name)) socket.destroy();
    }
    arrived();
    socket.end(); // a program that reads from its output gets the end
    const end = () => {
      if (this.#open.delete(name)) ended();
    };
    socket.once('end', end);
    socket.once('close', end);
    const take = (bytes: Uint8Array): boolean =>
      name === 'out' || name === 'err' ? listener.output(name, bytes) : (listener.collected?.(name, bytes) ?? true);
    return (bytes) => {
      arrived();
      const goOn = take(bytes);
      if (!goOn) this.#paused.add(socket);
      return goOn;
    };
  }

  async write(bytes: Uint8Array, stream: InputStream = 'in'): Promise<void> {
    const input = this.#inputs.get(stream);
    if (input === undefined) throw inputClosed(this.#options.launch.session);
    await input.write(bytes);
  }

  endInput(stream: InputStream = 'in'): void {
    this.#inputs.get(stream)?.end();
  }

  closeInput(): void {
    for (const input of this.#inputs.values()) input.close();
  }

  resume(): void {
    for (const socket of this.#paused) socket.resume();
    this.#paused.clear();
  }

  closeOutput(name: `out${number}`): void {
    this.#closed.add(name);
    this.#collected.get(name)?.destroy();
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#open.clear();
  }
}
