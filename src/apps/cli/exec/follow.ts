/** Shows a session's output as it comes: both streams apart, byte for byte. */
import { writeSync } from 'node:fs';
import type { Caller } from '../../../wire/exec.ts';
import type { Gateway } from '../../../wire/rpc.ts';
import type { FollowEvent, SessionInfo } from '../../../wire/session.ts';
import { reportNotice } from '../failure.ts';
import { type Output, pause } from '../output.ts';

/** Follows from the first byte on to the end, or until whoever looks leaves. */
export function showOutput(
  gateway: Gateway,
  caller: Caller,
  sessionId: string,
  output: Output,
  left: AbortSignal,
): Promise<SessionInfo> {
  const hear = (event: FollowEvent): void => {
    if (event.type === 'gap') reportNotice(`${event.bytes} bytes of output were not kept`, false, output);
    else if (event.type === 'output' && event.stream === 'err') writeError(event.bytes);
    else if (event.type === 'output') output.out(event.bytes);
  };
  return gateway.follow({ caller, sessionId, after: 0 }, hear, left);
}

/** Standard error as bytes; when nobody reads it, the command goes on. */
function writeError(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(2, bytes, at, bytes.length - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      pause();
    }
  }
}
