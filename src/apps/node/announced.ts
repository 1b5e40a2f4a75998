import type { IncomingCall } from '../../hosts/channel/serving.ts';

export interface AnnouncedCall {
  readonly following: IncomingCall;
  /** Sends the event now, if it was not sent. */
  readonly announce: () => void;
  /** The answer says the same: it is not sent any more. */
  readonly stop: () => void;
}

/** A command that runs for longer is announced. */
const SHORT_MS = 2;

/**
 * A call with an event that is sent before all others, or after a moment. A short command without output has ended by then: its
 * answer is the only message.
 */
export function announced(call: IncomingCall, event: unknown): AnnouncedCall {
  let timer: NodeJS.Timeout | undefined = setTimeout(announce, SHORT_MS);
  function announce(): void {
    if (timer === undefined) return;
    stop();
    call.event(event);
  }
  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }
  const following: IncomingCall = {
    ...call,
    event(value) {
      announce();
      call.event(value);
    },
    log(bytes, sent) {
      announce();
      call.log(bytes, sent);
    },
  };
  return { following, announce, stop };
}
