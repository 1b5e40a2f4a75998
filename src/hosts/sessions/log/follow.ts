import type { FollowEvent, SessionInfo } from '../../../wire/session.ts';
import type { Bell } from '../bell.ts';
import type { OutputLog } from './log.ts';

const EVENT_BYTES = 0x1_0000;
/** So much is handed to a listener that does not wait before others get their turn. */
const TURN_BYTES = 0x4_0000;

/** What a follower needs to know of a session. */
export interface Followed {
  readonly log: OutputLog;
  readonly bell: Bell;
  readonly over: boolean;
  info(): SessionInfo;
}

/** Hears the events; while its promise is open nothing more comes, and the log goes on without it. */
export type FollowListener = (event: FollowEvent) => void | Promise<void>;

/**
 * Hands the output from a position on to a listener until the session ends or the signal fires. The follower is only a
 * position on the log, so a slow one costs no memory: it reads from the disk, and gets a gap for what is not kept.
 */
export async function follow(
  session: Followed,
  after: number,
  listener: FollowListener,
  signal: AbortSignal | undefined,
): Promise<SessionInfo> {
  const { log, bell } = session;
  let at = after > 0 ? Math.min(Math.floor(after), log.end) : 0;
  let inTurn = 0;
  const stopped = () => signal?.aborted === true;
  while (!stopped()) {
    if (at >= log.end) {
      if (session.over) break;
      await bell.wait(undefined, signal);
      continue;
    }
    const piece = await log.nextLater(at, EVENT_BYTES);
    // A signal that fired while the disk was read has been heard: nothing is told after it.
    if (piece === undefined || stopped()) continue;
    if (piece.start > at) await listener({ type: 'gap', start: at, bytes: piece.start - at });
    at = piece.start;
    const end = at + piece.bytes.length;
    while (at < end) {
      const run = log.runs.runAt(at, end);
      const bytes = piece.bytes.subarray(at - piece.start, run.end - piece.start);
      await listener({ type: 'output', start: at, stream: run.stream, bytes });
      at = run.end;
    }
    inTurn += piece.bytes.length;
    if (inTurn >= TURN_BYTES) {
      inTurn = 0;
      await new Promise(setImmediate);
    }
  }
  const info = session.info();
  if (!stopped()) await listener({ type: 'end', session: info });
  return info;
}

/** A listener that loses nothing: the log is held until it has heard. */
export function holding(log: OutputLog, listener: FollowListener): FollowListener {
  return (event) => {
    const hearing = listener(event);
    if (event.type === 'end') return hearing;
    const end = event.start + (event.type === 'gap' ? event.bytes : event.bytes.length);
    if (hearing === undefined) return log.hold(end);
    return hearing.then(() => log.hold(end));
  };
}
