/** The output of a command on a node, on its way to the listener: in the order and with the positions of the node's log. */
import type { LogBytes } from '../../channel/frames.ts';
import { expectThat } from '../../channel/protocol-violation.ts';
import type { Listener } from '../../process/launch.ts';

export interface RemoteOutputOptions {
  readonly listener: Pick<Listener, 'output' | 'skipped'>;
  /** Where the local copy of the log ends. */
  readonly position: number;
  /** The listener is too slow: the node is to stop sending. */
  hold(): void;
  /** The listener has taken everything. `wasHeld`: the node does not send. */
  drained(wasHeld: boolean): void;
}

type Queued = { readonly stream: 'out' | 'err'; readonly bytes: Uint8Array } | { readonly skipped: number };

/** What a piece costs besides its bytes. */
const PIECE_BYTES = 128;
/** Output that waits for the listener. More: the node stops sending, and continues from this position later. */
const MOST_QUEUED = 4 * 1024 * 1024;

export class RemoteOutput {
  readonly #options: RemoteOutputOptions;
  #queue: Queued[] = [];
  /** The index of the next piece: a node may send many small ones. */
  #next = 0;
  #queuedBytes = 0;
  #position: number;
  #isPaused = false;
  #isHeld = false;

  constructor(options: RemoteOutputOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** The position in the node's log up to which the output has arrived. */
  get position(): number {
    return this.#position;
  }

  /** Whether the node does not send, because the listener is too slow. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  get isDelivered(): boolean {
    return this.#isEmpty && !this.#isPaused;
  }

  get #isEmpty(): boolean {
    return this.#next === this.#queue.length;
  }

  take({ stream, start, bytes }: LogBytes): void {
    expectThat(start === this.#position, `output at ${start} instead of ${this.#position}`);
    this.#position += bytes.length;
    if (this.isDelivered) this.#isPaused = !this.#options.listener.output(stream, bytes);
    else this.#enqueue({ stream, bytes: Uint8Array.from(bytes) }, bytes.length);
  }

  /** The node has dropped a part of its log. */
  skip({ start, bytes }: { readonly start: number; readonly bytes: number }): void {
    expectThat(start === this.#position, `a gap at ${start} instead of ${this.#position}`);
    this.#position += bytes;
    if (this.isDelivered) this.#isPaused = !this.#deliver({ skipped: bytes });
    else this.#enqueue({ skipped: bytes }, 0);
  }

  #enqueue(piece: Queued, bytes: number): void {
    this.#queue.push(piece);
    this.#queuedBytes += bytes + PIECE_BYTES;
    if (this.#queuedBytes <= MOST_QUEUED || this.#isHeld) return;
    this.#isHeld = true;
    this.#options.hold();
  }

  /** The listener takes more. */
  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && !this.#isEmpty) this.#isPaused = !this.#deliver(this.#queue[this.#next++]!);
    if (!this.#isEmpty) return;
    this.#queue = [];
    this.#next = 0;
    this.#queuedBytes = 0;
    if (this.#isPaused) return;
    const wasHeld = this.#isHeld;
    this.#isHeld = false;
    this.#options.drained(wasHeld);
  }

  #deliver(next: Queued): boolean {
    const { listener } = this.#options;
    return 'bytes' in next ? listener.output(next.stream, next.bytes) : (listener.skipped?.(next.skipped) ?? true);
  }
}
