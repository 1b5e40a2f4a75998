/** What each role of the runner is given, what it has to do, and how those that only start commands do it. */
import type { Readable, Writable } from 'node:stream';
import { FrameReader } from '../hosts/channel/frames.ts';
import { ValueReader } from '../hosts/channel/long-message.ts';
import type { Order, Welcome } from '../hosts/sandbox/link/messages.ts';
import type { Commands } from './commands.ts';

export interface Channel {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends this process, after all that it started. */
  readonly leave: () => void;
}

export interface Role {
  /** Ends all that was started. */
  end(): Promise<void>;
}

/** Starts commands as the other end of a channel wants it. */
export function serveCommands(input: Readable, begin: (welcome: Welcome) => Commands): Role {
  let commands: Commands | undefined;
  const reader = new FrameReader();
  const values = new ValueReader();
  const obey = (id: number, order: Order): void => {
    if (order.type === 'welcome') commands = begin(order);
    else commands?.obey(id, order);
  };
  input.on('data', (bytes: Buffer) =>
    reader.read(bytes, (kind, id, payload) => {
      const whole = kind === 'part' || kind === 'last' ? values.receive(kind, id, payload) : payload;
      if (kind === 'in' || kind === 'credit') commands?.receive(kind, id, payload);
      else if (whole !== undefined) obey(id, orderIn(whole));
    }),
  );
  return { end: async () => commands?.end() };
}

/** Both ends are built together, so it is what it says. */
export function orderIn(payload: Uint8Array): Order {
  return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('utf8')) as Order;
}
