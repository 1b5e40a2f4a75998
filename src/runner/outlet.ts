/** Sends what a program prints, as far as the gateway has room for it. */
import type { Socket } from 'node:net';
import { LONGEST_PART, STREAM_WINDOW } from '../hosts/channel/frames.ts';
import type { FrameSender } from '../hosts/channel/sending.ts';

/** One output stream on its way out. */
export interface Outlet {
  /** So many more bytes may be sent. */
  grant(bytes: number): void;
  /** Whether the gateway has no room. */
  readonly isBlocked: boolean;
}

/** Reads the source from now on. Its end is the caller's to tell. */
export function openOutlet(source: Socket, kind: 'out' | 'err', id: number, sender: FrameSender): Outlet {
  let room = STREAM_WINDOW;
  source.on('data', (bytes: Buffer) => {
    room -= bytes.length;
    sender.stream(kind, id, bytes);
    // One read gives no more than a part, so there is always room for what comes next.
    if (room < LONGEST_PART) source.pause();
  });
  return {
    grant(bytes) {
      room += bytes;
      if (room >= LONGEST_PART && source.isPaused()) source.resume();
    },
    get isBlocked() {
      return room < LONGEST_PART;
    },
  };
}
