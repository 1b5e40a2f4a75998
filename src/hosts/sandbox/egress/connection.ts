/** A connection from inside of a sandbox to an address that was checked. */
import { connect } from 'node:net';
import type { IncomingCall } from '../../channel/serving.ts';

const CONNECT_MS = 20_000;
/** How long the server may read nothing of the last bytes after both sides have ended. */
const FLUSH_MS = 30_000;

/** `closed`: both sides have ended it; `cut`: one of them was lost. */
export type ConnectionEnd = 'closed' | 'cut' | 'unreachable';

/** Connects, and carries bytes between the address and the streams of a call until the connection is over. */
export function carryConnection(
  address: string,
  port: number,
  { signal, streams, event }: IncomingCall,
  flushMs = FLUSH_MS,
): Promise<ConnectionEnd> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen: true });
    let isOpen = false;
    /** Sides that may still send. */
    let sending = 2;
    /** Sides whose end was not passed on. */
    let left = 2;
    const abort = (): void => void socket.destroy();
    const finish = (end: ConnectionEnd): void => {
      signal.removeEventListener('abort', abort);
      resolve(end);
    };
    const sideEnding = (): void => {
      if (--sending === 0) socket.setTimeout(flushMs, () => socket.destroy());
    };
    const sideEnded = (): void => {
      if (--left === 0) finish('closed');
    };
    const connected = (): void => {
      isOpen = true;
      socket.setTimeout(0);
      const outgoing = streams.outgoing('net', { onRoom: () => socket.resume() });
      const incoming = streams.incoming('net', {
        deliver(bytes) {
          // One piece is written at a time: small ones that wait are packed.
          socket.write(new Uint8Array(bytes), (error) => {
            if (error === undefined || error === null) incoming.resume(); // otherwise `close` follows
          });
          return false;
        },
        ending: sideEnding,
        ended() {
          socket.end();
          sideEnded();
        },
      });
      socket.on('data', (bytes) => {
        if (!outgoing.push(bytes)) socket.pause();
      });
      socket.once('end', () => {
        sideEnding();
        outgoing.end();
        sideEnded();
      });
      event({ type: 'connected' });
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('connection timed out')));
    socket.once('connect', connected);
    socket.once('error', () => {}); // `close` follows
    socket.once('close', () => finish(isOpen || signal.aborted ? 'cut' : 'unreachable'));
  });
}
