/** One connection from inside of a sandbox to an address that was looked at. */
import { connect, type Socket } from 'node:net';
import { Backlog } from '../../channel/backlog.ts';
import { expectThat } from '../../channel/breach.ts';
import { LONGEST_PART, NET_WINDOW } from '../../channel/frames.ts';
import type { FrameSender } from '../../channel/sending.ts';

const CONNECT_MS = 20_000;
/** How long the far end may take for the last bytes, when both sides have ended. */
const FAREWELL_MS = 30_000;

export interface ConnectionEvents {
  /** Nothing was reached. */
  failed(): void;
  /** It is over on both sides. */
  gone(): void;
}

/** `deciding` until the agent hears of it; `cut` while the agent has to agree that it is over. */
type State = 'deciding' | 'open' | 'cut';

export class Connection {
  readonly #id: number;
  readonly #sender: FrameSender;
  readonly #events: ConnectionEvents;
  #state: State = 'deciding';
  #socket: Socket | undefined;
  /** What the agent may still send, and what we may. */
  #allowed = NET_WINDOW;
  #credit = NET_WINDOW;
  /** One piece is being written at a time: small ones that wait are packed. */
  readonly #waiting = new Backlog(LONGEST_PART);
  #isWriting = false;
  #insideEnded = false;
  #outsideEnded = false;

  constructor(id: number, sender: FrameSender, events: ConnectionEvents) {
    this.#id = id;
    this.#sender = sender;
    this.#events = events;
  }

  /** Whether nobody has heard of the decision yet. */
  get isDeciding(): boolean {
    return this.#state === 'deciding';
  }

  open(address: string, port: number): void {
    const socket = connect({ host: address, port, allowHalfOpen: true });
    this.#socket = socket;
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('it took too long')));
    socket.once('connect', () => {
      socket.setTimeout(0);
      this.#state = 'open';
      this.#sender.message(this.#id, { type: 'connected' });
    });
    socket.on('data', (bytes) => this.#fromOutside(socket, bytes));
    socket.once('end', () => {
      if (this.#state !== 'open') return;
      this.#outsideEnded = true;
      this.#sender.stream('net', this.#id);
      this.#leaveWhenDone();
    });
    socket.once('error', () => {}); // `close` follows
    socket.once('close', () => this.#closed());
  }

  /** Bytes from inside; none for their end. */
  receive(bytes: Uint8Array): void {
    expectThat(this.#state !== 'deciding', 'data for a connection that is not open came out of it');
    expectThat(!this.#insideEnded, 'data behind the end of a connection came out of it');
    expectThat(bytes.length <= this.#allowed, 'more data than it was allowed to send came out of it');
    this.#allowed -= bytes.length;
    if (bytes.length === 0) {
      this.#insideEnded = true;
      this.#writeNext();
      this.#leaveWhenDone(); // also when it was cut here: the agent has both ends and thinks no more of it
      return;
    }
    if (this.#state === 'cut') return;
    if (this.#isWriting) this.#waiting.push(bytes);
    else this.#write(new Uint8Array(bytes));
  }

  /** The agent has taken so much. */
  credit(bytes: number): void {
    expectThat(this.#state !== 'deciding', 'a credit for a connection that is not open came out of it');
    this.#credit += bytes;
    expectThat(this.#credit <= NET_WINDOW, 'it took more data than there was');
    if (this.#credit >= LONGEST_PART) this.#socket?.resume();
  }

  /** The agent says that it is over. */
  cut(): void {
    expectThat(this.#state !== 'deciding', 'the end of a connection that is not open came out of it');
    if (this.#state === 'open') this.#sender.message(this.#id, { type: 'cut' });
    this.#leave();
  }

  /** Ends it without a word. */
  destroy(): void {
    this.#state = 'cut';
    this.#socket?.destroy();
  }

  #writeNext(): void {
    if (this.#isWriting) return;
    const bytes = this.#waiting.shift();
    if (bytes === undefined) {
      if (this.#insideEnded) this.#socket?.end();
      return;
    }
    this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#isWriting = true;
    this.#socket?.write(bytes, (error) => {
      this.#isWriting = false;
      if (error !== undefined && error !== null) return; // `close` follows
      this.#allowed += length;
      if (this.#state === 'open' && !this.#insideEnded) this.#sender.credit(this.#id, 'net', length);
      this.#writeNext();
    });
  }

  #fromOutside(socket: Socket, bytes: Buffer): void {
    if (this.#state !== 'open') return;
    this.#credit -= bytes.length;
    this.#sender.stream('net', this.#id, bytes);
    if (this.#credit < LONGEST_PART) socket.pause();
  }

  #closed(): void {
    if (this.#state === 'deciding') {
      this.#state = 'cut';
      this.#events.failed();
    } else if (this.#state === 'open') {
      this.#state = 'cut';
      this.#sender.message(this.#id, { type: 'cut' });
    }
  }

  #leaveWhenDone(): void {
    if (!this.#insideEnded || !this.#outsideEnded) return;
    this.#state = 'cut';
    const socket = this.#socket;
    socket?.setTimeout(FAREWELL_MS, () => socket.destroy());
    this.#events.gone();
  }

  #leave(): void {
    this.#state = 'cut';
    this.#socket?.destroy();
    this.#events.gone();
  }
}
