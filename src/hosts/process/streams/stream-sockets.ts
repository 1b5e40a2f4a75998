/** The streams of a command that are connections of its own. */
import type { Socket } from 'node:net';
import { type CommandStreams, inputClosed } from '../command.ts';
import type { Launch, Listener } from '../launch.ts';
import { type StreamName, streamsOf } from './stream-header.ts';

type OutputName = 'out' | 'err';

export interface StreamSocketsOptions {
  readonly launch: Launch;
  readonly listener: Pick<Listener, 'output'>;
  readonly arrived: () => void;
  readonly ended: () => void;
}

export class StreamSockets implements CommandStreams {
  readonly #options: StreamSocketsOptions;
  readonly #sockets: Partial<Record<StreamName, Socket>> = {};
  readonly #open: Set<OutputName>;
  readonly #paused = new Set<Socket>();
  readonly #waiting: { readonly resolve: (socket: Socket) => void; readonly reject: (reason: Error) => void }[] = [];
  #input: 'open' | 'ended' | 'closed';
  #isAbandoned = false;

  constructor(options: StreamSocketsOptions) {
    this.#options = options;
    const names = streamsOf(options.launch);
    this.#open = new Set(names.filter((name): name is OutputName => name !== 'in'));
    this.#input = names.includes('in') ? 'open' : 'closed';
  }

  get open(): number {
    return this.#open.size;
  }

  get isHeld(): boolean {
    return this.#paused.size > 0;
  }

  /** Every stream is connected before the program starts, so a missing one will arrive. */
  get isMissing(): boolean {
    return [...this.#open].some((name) => this.#sockets[name] === undefined);
  }

  /** Returns the listener for the bytes of a connection; undefined when it is not expected. */
  receive(name: StreamName, socket: Socket): ((bytes: Uint8Array) => boolean) | undefined {
    const { listener, arrived, ended } = this.#options;
    if (this.#sockets[name] !== undefined || this.#isAbandoned) return undefined;
    this.#sockets[name] = socket;
    if (name === 'in') {
      for (const { resolve } of this.#waiting.splice(0)) resolve(socket);
      if (this.#input === 'ended') socket.end();
      if (this.#input === 'closed') socket.destroy();
      return () => true; // what a program writes to its input is ignored
    }
    arrived();
    socket.end(); // a program that reads from its output gets the end
    const end = () => {
      if (this.#open.delete(name)) ended();
    };
    socket.once('end', end);
    socket.once('close', end);
    return (bytes) => {
      arrived();
      const goOn = listener.output(name, bytes);
      if (!goOn) this.#paused.add(socket);
      return goOn;
    };
  }

  async write(bytes: Uint8Array): Promise<void> {
    const closed = () => inputClosed(this.#options.launch.session);
    if (this.#input !== 'open') throw closed();
    const socket = this.#sockets.in ?? (await new Promise<Socket>((...both) => this.#await(...both)));
    await new Promise<void>((resolve, reject) => {
      if (socket.destroyed || !socket.writable) return reject(closed());
      const fail = () => reject(closed());
      socket.once('close', fail);
      socket.write(bytes, (error) => {
        socket.off('close', fail);
        // Node reports what a destroyed socket had not sent as written.
        if ((error === undefined || error === null) && !socket.destroyed) resolve();
        else fail();
      });
    });
  }

  endInput(): void {
    if (this.#input !== 'open') return;
    this.#input = 'ended';
    this.#sockets.in?.end();
  }

  closeInput(): void {
    this.#input = 'closed';
    this.#sockets.in?.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(inputClosed(this.#options.launch.session));
  }

  resume(): void {
    for (const socket of this.#paused) socket.resume();
    this.#paused.clear();
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#open.clear();
  }

  #await(resolve: (socket: Socket) => void, reject: (reason: Error) => void): void {
    this.#waiting.push({ resolve, reject });
  }
}
