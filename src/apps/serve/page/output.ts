/** The output of one session for one page: at most a window of bytes that the page has not credited is on its way. */
import type { FollowEvent } from '../../../wire/session.ts';
import { OUTPUT_HEADER_BYTES, OUTPUT_WINDOW_BYTES } from '../../../wire/page.ts';
import type { PageSending } from './page-sending.ts';

type Sending = Pick<PageSending, 'message' | 'bytes' | 'room'>;

export class SessionOutput {
  readonly #id: number;
  readonly #sending: Sending;
  #uncredited = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(id: number, sending: Sending) {
    this.#id = id;
    this.#sending = sending;
  }

  /** The page has shown these bytes. */
  credit(bytes: number): void {
    this.#uncredited = Math.max(0, this.#uncredited - bytes);
    if (this.#uncredited < OUTPUT_WINDOW_BYTES) this.#wake?.();
  }

  /** Ends a wait for credit, because the subscription has ended. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** For `Gateway.follow`: while its promise is pending, no more output comes. */
  event(event: FollowEvent, release?: () => void): Promise<void> | undefined {
    const id = this.#id;
    if (event.type !== 'output') {
      this.#sending.message({ ...event, id });
      return undefined;
    }
    this.#sending.bytes(frameOf(id, event));
    this.#uncredited += event.bytes.length;
    release?.(); // `frameOf` has copied the bytes
    const room = this.#sending.room();
    return room === undefined && this.#uncredited < OUTPUT_WINDOW_BYTES ? undefined : this.#roomAndCredit(room);
  }

  async #roomAndCredit(room: Promise<void> | undefined): Promise<void> {
    await room;
    // After the end nothing would wake it, and the command would wait for its reader.
    if (this.#hasEnded || this.#uncredited < OUTPUT_WINDOW_BYTES) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}

function frameOf(id: number, { start, stream, bytes }: Extract<FollowEvent, { type: 'output' }>): Uint8Array {
  const frame = Buffer.allocUnsafe(OUTPUT_HEADER_BYTES + bytes.length);
  frame.writeUInt32LE(id, 0);
  frame.writeDoubleLE(start, 4);
  frame.writeUInt8(stream === 'err' ? 1 : 0, 12);
  frame.set(bytes, OUTPUT_HEADER_BYTES);
  return frame;
}
