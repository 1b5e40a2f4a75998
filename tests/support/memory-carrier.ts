/** Two carriers that are connected in memory, with little room, and with faults on request. */
import { InboxCarrier } from '../../src/hosts/channel/carriers/carrier.ts';

/** Bytes on the way. More: `send` returns false. */
const ROOM = 256 * 1024;

export interface MemoryOptions {
  /** The TLS exporter of both ends, or of each end. Default: the same 32 random-looking bytes. */
  readonly binding?: Uint8Array | undefined | readonly [Uint8Array | undefined, Uint8Array | undefined];
  /** Changes what is on the way from an end, 0 or 1. Returns what arrives: nothing, the message, or several. */
  readonly onTheWay?: (message: Uint8Array, from: 0 | 1) => readonly Uint8Array[];
}

class MemoryCarrier extends InboxCarrier {
  readonly remote: string;
  readonly binding: Uint8Array | undefined;
  readonly #filter: (message: Uint8Array) => readonly Uint8Array[];
  /** Sent by the other end and not read yet. */
  readonly #arriving: Uint8Array[] = [];
  #other: MemoryCarrier | undefined;
  #isReading = false;
  #isScheduled = false;
  #isFull = false;
  #waiting = 0;
  #closing: string | undefined;

  constructor(remote: string, binding: Uint8Array | undefined, filter: (message: Uint8Array) => readonly Uint8Array[]) {
    super();
    this.remote = remote;
    this.binding = binding;
    this.#filter = filter;
  }

  connect(other: MemoryCarrier): void {
    this.#other = other;
  }

  /** Bytes that this end has not read. */
  get waiting(): number {
    return this.#waiting;
  }

  protected override read(isReading: boolean): void {
    this.#isReading = isReading;
    if (isReading) this.#schedule();
  }

  protected override transmit(message: Uint8Array, sent?: () => void): boolean {
    const other = this.#other;
    if (other === undefined) return true;
    for (const each of this.#filter(message)) {
      other.#arriving.push(Uint8Array.from(each));
      other.#waiting += each.length;
    }
    sent?.();
    other.#schedule();
    this.#isFull = other.#waiting > ROOM;
    return !this.#isFull;
  }

  override close(reason: string): void {
    const other = this.#other;
    this.#other = undefined;
    if (other !== undefined) {
      other.#closing ??= reason;
      other.#schedule();
    }
    this.inbox.down(reason);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#read();
    });
  }

  #read(): void {
    while (this.#isReading && this.#arriving.length > 0) {
      const message = this.#arriving.shift()!;
      this.#waiting -= message.length;
      this.inbox.message(message);
    }
    const other = this.#other;
    if (other !== undefined && other.#isFull && this.#waiting <= ROOM / 2) {
      other.#isFull = false;
      other.inbox.room();
    }
    if (this.#closing !== undefined && this.#arriving.length === 0) {
      this.#other = undefined;
      this.inbox.down(this.#closing);
    }
  }
}

export function memoryCarriers(options: MemoryOptions = {}): readonly [MemoryCarrier, MemoryCarrier] {
  const binding = 'binding' in options ? options.binding : new Uint8Array(32).fill(7);
  const [first, second] = Array.isArray(binding)
    ? (binding as readonly [Uint8Array | undefined, Uint8Array | undefined])
    : ([binding, binding] as readonly [Uint8Array | undefined, Uint8Array | undefined]);
  const way = options.onTheWay ?? ((message: Uint8Array) => [message]);
  const a = new MemoryCarrier('memory:1', first, (message) => way(message, 0));
  const b = new MemoryCarrier('memory:0', second, (message) => way(message, 1));
  a.connect(b);
  b.connect(a);
  return [a, b];
}
