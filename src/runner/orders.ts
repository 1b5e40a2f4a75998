/** Reads what the other end of a channel wants: orders, and bytes for the streams of commands. */
import type { Readable } from 'node:stream';
import { FrameReader, type FrameTaker } from '../hosts/channel/frames.ts';
import { ValueReader } from '../hosts/channel/long-message.ts';
import type { Order } from '../hosts/sandbox/link/messages.ts';

export function readOrders(input: Readable, obey: (id: number, order: Order) => void, take: FrameTaker): void {
  const reader = new FrameReader();
  const values = new ValueReader();
  input.on('data', (bytes: Buffer) =>
    reader.read(bytes, (kind, id, payload) => {
      if (kind === 'message') obey(id, orderIn(payload));
      else if (kind === 'part' || kind === 'last') {
        const whole = values.receive(kind, id, payload);
        if (whole !== undefined) obey(id, orderIn(whole));
      } else take(kind, id, payload);
    }),
  );
}

/** Both ends are built together, so it is what it says. */
export function orderIn(payload: Uint8Array): Order {
  return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('utf8')) as Order;
}
