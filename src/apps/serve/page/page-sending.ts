/** The sending side of the socket of one page, with the number of unsent bytes as its bound. */
import type { WebSocket } from 'ws';
import type { ToPage } from '../../../wire/page.ts';
import { MOST_UNSENT, MOST_UNSENT_EVER } from './limits.ts';

const ROOM_CHECK_MS = 10;

export class PageSending {
  readonly #socket: WebSocket;
  readonly #waiters = new Set<() => void>();
  #hasEnded = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get unsent(): number {
    return this.#socket.bufferedAmount;
  }

  message(message: ToPage): void {
    this.text(JSON.stringify(message));
  }

  text(text: string): void {
    if (this.#isReading()) this.#socket.send(text);
  }

  bytes(bytes: Uint8Array): void {
    if (this.#isReading()) this.#socket.send(bytes);
  }

  /** The answer to a ping of the WebSocket protocol. */
  pong(data: Buffer): void {
    if (this.#isReading()) this.#socket.pong(data);
  }

  /** Ends the connection of a page that makes the server send and does not read: also small messages need memory. */
  #isReading(): boolean {
    if (this.unsent > MOST_UNSENT_EVER) this.#socket.terminate();
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves when few bytes wait to be sent; undefined where that is so already. */
  room(): Promise<void> | undefined {
    if (this.unsent <= MOST_UNSENT || this.#hasEnded) return undefined;
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        if (this.unsent <= MOST_UNSENT / 2) done();
      }, ROOM_CHECK_MS);
      const done = (): void => {
        clearInterval(timer);
        this.#waiters.delete(done);
        resolve();
      };
      this.#waiters.add(done);
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Ends all waits for room. */
  end(): void {
    this.#hasEnded = true;
    for (const done of this.#waiters) done();
  }
}
