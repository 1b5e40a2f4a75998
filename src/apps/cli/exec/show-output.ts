/** Prints the output of a session as it arrives, with both streams separate. */
import type { Caller } from '../../../wire/exec.ts';
import type { Gateway } from '../../../wire/methods.ts';
import type { FollowEvent, SessionInfo } from '../../../wire/session.ts';
import { reportNotice } from '../failure.ts';
import type { Output } from '../../terminal/output.ts';
import { foreignOutput } from '../../terminal/filter/foreign-output.ts';

export interface Following {
  readonly gateway: Gateway;
  readonly caller: Caller;
  readonly sessionId: string;
  readonly output: Output;
  /** Unfiltered also on a terminal. */
  readonly raw: boolean;
}

/** Follows from the first byte to the end, or until `left` aborts. */
export async function showOutput(
  { gateway, caller, sessionId, output, raw }: Following,
  left: AbortSignal,
): Promise<SessionInfo> {
  const foreign = foreignOutput(output, raw);
  const onEvent = (event: FollowEvent): void => {
    if (event.type === 'gap') reportNotice(`${event.bytes} bytes of output were discarded`, false, output);
    else if (event.type === 'output' && event.stream === 'err') foreign.err(event.bytes);
    else if (event.type === 'output') foreign.out(event.bytes);
  };
  try {
    return await gateway.follow({ caller, sessionId, after: 0 }, onEvent, left);
  } finally {
    foreign.end();
  }
}
