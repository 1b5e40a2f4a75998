/** Follows a session for somebody behind a socket who may read slowly. */
import type { Gateway, Methods } from '../../wire/methods.ts';
import type { FollowEvent, SessionInfo } from '../../wire/session.ts';

/** The way to the reader. */
export interface Way {
  send(event: FollowEvent): void;
  /** Whether so much is on its way that nothing more should be sent now. */
  full(): boolean;
  /** Resolves when the reader has caught up, has gone, or the signal has fired. */
  drained(signal: AbortSignal): Promise<void>;
}

/** A reader that falls behind is left alone until it has caught up: the log keeps what it has not seen. */
export function followFor(
  way: Way,
  gateway: Gateway,
  params: Methods['session.follow']['params'],
  signal: AbortSignal,
): Promise<SessionInfo> {
  const hear = (event: FollowEvent): void | Promise<void> => {
    way.send(event);
    if (event.type !== 'end' && way.full()) return way.drained(signal);
  };
  return gateway.follow(params, hear, signal);
}
