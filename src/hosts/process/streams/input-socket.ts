/** The daemon's end of one input of a command. */
import type { Socket } from 'node:net';

export class InputSocket {
  readonly #closed: () => Error;
  readonly #waiting: { readonly resolve: (socket: Socket) => void; readonly reject: (reason: Error) => void }[] = [];
  #socket: Socket | undefined;
  #state: 'open' | 'ended' | 'closed' = 'open';

  /** `closed`: the error of a write after the end. */
  constructor(closed: () => Error) {
    this.#closed = closed;
  }

  connect(socket: Socket): void {
    this.#socket = socket;
    for (const { resolve } of this.#waiting.splice(0)) resolve(socket);
    if (this.#state === 'ended') socket.end();
    if (this.#state === 'closed') socket.destroy();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#state !== 'open') throw this.#closed();
    const socket = this.#socket ?? (await new Promise<Socket>((...both) => this.#await(...both)));
    await new Promise<void>((resolve, reject) => {
      if (socket.destroyed || !socket.writable) return reject(this.#closed());
      const fail = () => reject(this.#closed());
      socket.once('close', fail);
      socket.write(bytes, (error) => {
        socket.off('close', fail);
        // Node reports what a destroyed socket had not sent as written.
        if ((error === undefined || error === null) && !socket.destroyed) resolve();
        else fail();
      });
    });
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    this.#socket?.end();
  }

  close(): void {
    this.#state = 'closed';
    this.#socket?.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closed());
  }

  #await(resolve: (socket: Socket) => void, reject: (reason: Error) => void): void {
    this.#waiting.push({ resolve, reject });
  }
}
