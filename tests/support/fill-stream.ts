import type { OutgoingStream } from '../../src/hosts/channel/call-streams.ts';
import { LONGEST_PART } from '../../src/hosts/channel/frames.ts';
import { eventLoopTurns } from './patience.ts';

const QUIET_ROUNDS = 5;

/** Sends until nothing moves any more, because the receiver does not read. Returns the number of bytes. */
export async function fillStream(stream: OutgoingStream): Promise<number> {
  let bytes = 0;
  for (let quiet = 0; quiet < QUIET_ROUNDS; ) {
    if (stream.hasRoom) {
      stream.push(Buffer.alloc(LONGEST_PART, 'x'));
      bytes += LONGEST_PART;
      quiet = 0;
    } else {
      await eventLoopTurns();
      quiet++;
    }
  }
  return bytes;
}
