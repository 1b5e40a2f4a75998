/**
 * The greeting on the daemon's socket, before the frames of the channel: the client sends `{"hello": Hello}`, and the daemon
 * answers `{"hello": Welcome}`. Each is a big-endian u32 length and JSON. This format never changes, so that a program and
 * a daemon of different versions can detect that they are incompatible.
 */
import type { Socket } from 'node:net';
import type { Hello } from '../../wire/message.ts';

const LENGTH_BYTES = 4;
const LONGEST = 4096;

export class InvalidGreeting extends Error {}

export function greetingBytes(hello: Hello): Buffer {
  const body = Buffer.from(JSON.stringify({ hello }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/**
 * Reads the peer's greeting and no byte after it; undefined if the connection ends before. Rejects with InvalidGreeting
 * or the error of the socket.
 */
export function readGreeting(socket: Socket): Promise<Hello | undefined> {
  let length: number | undefined;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      socket.off('readable', read).off('close', closed).off('error', failed);
      settle();
    };
    const failed = (error: Error): void => end(() => reject(error));
    const closed = (): void => end(() => resolve(undefined));
    const read = (): void => {
      try {
        length ??= take(socket, LENGTH_BYTES)?.readUInt32BE();
        if (length === undefined) return;
        if (length > LONGEST) throw new InvalidGreeting(`a handshake of ${length} bytes`);
        const body = take(socket, length);
        if (body === undefined) return;
        const hello = helloIn(body);
        end(() => resolve(hello));
      } catch (error) {
        failed(error as Error);
      }
    };
    socket.on('readable', read).on('close', closed).on('error', failed);
  });
}

/** Reads `count` bytes; undefined until they are available. A shorter read is the end of the connection: `close` follows. */
function take(socket: Socket, count: number): Buffer | undefined {
  const bytes = socket.read(count) as Buffer | null;
  return bytes?.length === count ? bytes : undefined;
}

function helloIn(body: Buffer): Hello {
  try {
    const { hello } = JSON.parse(body.toString('utf8')) as { readonly hello: Hello };
    const { protocol, version, time } = hello;
    if (Number.isSafeInteger(protocol) && typeof version === 'string' && typeof time === 'number') return hello;
  } catch {
    // not JSON, or not an object
  }
  throw new InvalidGreeting('a handshake with other members');
}
