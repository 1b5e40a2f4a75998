/** Shows a session's output as it comes, both streams apart. */
import type { Caller } from '../../../wire/exec.ts';
import type { Gateway } from '../../../wire/methods.ts';
import type { FollowEvent, SessionInfo } from '../../../wire/session.ts';
import { reportNotice } from '../failure.ts';
import type { Output } from '../../terminal/output.ts';
import { foreignOutput } from '../../terminal/filter/foreign-output.ts';

/** What is followed, and where it is shown. */
export interface Following {
  readonly gateway: Gateway;
  readonly caller: Caller;
  readonly sessionId: string;
  readonly output: Output;
  /** Byte for byte on a terminal, too. */
  readonly raw: boolean;
}

/** Follows from the first byte on to the end, or until whoever looks leaves. */
export async function showOutput(
  { gateway, caller, sessionId, output, raw }: Following,
  left: AbortSignal,
): Promise<SessionInfo> {
  const foreign = foreignOutput(output, raw);
  const hear = (event: FollowEvent): void => {
    if (event.type === 'gap') reportNotice(`${event.bytes} bytes of output were not kept`, false, output);
    else if (event.type === 'output' && event.stream === 'err') foreign.err(event.bytes);
    else if (event.type === 'output') foreign.out(event.bytes);
  };
  try {
    return await gateway.follow({ caller, sessionId, after: 0 }, hear, left);
  } finally {
    foreign.end();
  }
}
