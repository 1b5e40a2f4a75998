/** Messages of any length: what does not fit into one frame goes as a value in parts. */
import { type FrameKind, LONGEST_MESSAGE } from './frames.ts';
import type { FrameSender } from './sending.ts';

export function sendMessage(sender: FrameSender, id: number, message: unknown): void {
  const payload = Buffer.from(JSON.stringify(message));
  if (payload.length <= LONGEST_MESSAGE) sender.raw('message', id, payload);
  else void sender.value(id, payload);
}

/** Puts values together from their parts. */
export class ValueReader {
  readonly #parts = new Map<number, Buffer[]>();

  /** The whole value, with its last part. */
  receive(kind: FrameKind, id: number, payload: Uint8Array): Buffer | undefined {
    const parts = this.#parts.get(id) ?? [];
    parts.push(Buffer.from(payload));
    if (kind === 'last') {
      this.#parts.delete(id);
      return Buffer.concat(parts);
    }
    this.#parts.set(id, parts);
    return undefined;
  }
}
