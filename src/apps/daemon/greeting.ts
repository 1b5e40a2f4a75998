/**
 * The greeting on the daemon's socket, before the frames of the channel: the client sends `{"hello": Hello}`, and the daemon
 * answers `{"hello": Welcome}`. Each is a u32 length, high byte first, and JSON. This never changes: a program and a daemon of
 * different versions have to understand that they do not understand each other.
 */
import type { Socket } from 'node:net';
import type { Hello } from '../../wire/message.ts';

const LENGTH_BYTES = 4;
const LONGEST = 4096;

/** What came is no greeting. */
export class NoGreeting extends Error {}

/** A greeting as bytes. */
export function greetingBytes(hello: Hello): Buffer {
  const body = Buffer.from(JSON.stringify({ hello }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/**
 * Reads the greeting of the other end, and nothing behind it; undefined when the connection ends before. Rejects with
 * NoGreeting, or the error of the socket.
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
        if (length > LONGEST) throw new NoGreeting(`a greeting of ${length} bytes`);
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

/** So many bytes; undefined while there are not as many. Fewer come at the end of the connection, of which `close` tells. */
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
    // no JSON, or no object
  }
  throw new NoGreeting('a greeting of another shape');
}
