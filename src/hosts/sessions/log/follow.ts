import { setImmediate, setTimeout } from 'node:timers/promises';
import type { FollowListener, SessionInfo } from '../../../wire/session.ts';
import { BufferPool } from '../../buffer-pool.ts';
import type { Condition } from '../condition.ts';
import type { OutputLog } from './log.ts';

const EVENT_BYTES = 0x4_0000;
const SHORT_BYTES = 0x1_0000;
/** Shared by all followers. */
const pieces = new BufferPool(EVENT_BYTES);
/** After this many bytes for a synchronous listener, other work gets a turn. */
const TURN_BYTES = 0x4_0000;
/** Short output soon after other output waits this long for more: each event costs its listener as much as a long one. */
const GATHER_MS = 1;

export interface FollowedSession {
  readonly log: OutputLog;
  readonly condition: Condition;
  readonly hasEnded: boolean;
  info(): SessionInfo;
}

/**
 * Passes the output from a position on to a listener until the session ends or the signal fires. A follower is only a position
 * in the log, so a slow one costs no memory: it reads from the disk, and gets a gap for what was not kept.
 */
export async function follow(
  session: FollowedSession,
  after: number,
  listener: FollowListener,
  signal: AbortSignal | undefined,
): Promise<SessionInfo> {
  const { log, condition } = session;
  let at = after > 0 ? Math.min(Math.floor(after), log.end) : 0;
  let inTurn = 0;
  let passedOnAt = Number.NEGATIVE_INFINITY;
  const stopped = () => signal?.aborted === true;
  while (!stopped()) {
    if (at >= log.end) {
      if (session.hasEnded) break;
      await condition.wait(undefined, signal);
      continue;
    }
    const isShort = log.end - at < SHORT_BYTES && !session.hasEnded;
    if (isShort && performance.now() - passedOnAt < GATHER_MS) await setTimeout(GATHER_MS);
    const piece = await log.nextAsync(at, EVENT_BYTES, (bytes) => pieces.allocate(bytes));
    // The signal may have fired during the read: then no more events.
    if (piece === undefined || stopped()) continue;
    if (piece.start > at) await listener({ type: 'gap', start: at, bytes: piece.start - at });
    at = piece.start;
    const end = at + piece.bytes.length;
    let uses = 1;
    const release = (): void => {
      if (--uses === 0) pieces.release(piece.bytes);
    };
    while (at < end) {
      const run = log.runs.runAt(at, end);
      const bytes = piece.bytes.subarray(at - piece.start, run.end - piece.start);
      uses++;
      await listener({ type: 'output', start: at, stream: run.stream, bytes }, release);
      at = run.end;
    }
    release();
    passedOnAt = performance.now();
    inTurn += piece.bytes.length;
    if (inTurn >= TURN_BYTES) {
      inTurn = 0;
      await setImmediate();
    }
  }
  const info = session.info();
  if (!stopped()) await listener({ type: 'end', session: info });
  return info;
}

/**
 * The followers of one log. For an attached session, one follower at a time misses nothing: the command waits if the disk takes
 * no more. If the follower's connection breaks, the log is retained for the next one.
 */
export class Follows {
  readonly #log: OutputLog;
  #isRetaining: boolean;
  #isTaken = false;

  constructor(log: OutputLog, isAttached: boolean) {
    this.#log = log;
    this.#isRetaining = isAttached;
    if (isAttached) log.retainFrom(0);
  }

  async follow(
    session: FollowedSession,
    after: number,
    listener: FollowListener,
    signal: AbortSignal | undefined,
  ): Promise<SessionInfo> {
    if (!this.#isRetaining || this.#isTaken) return follow(session, after, listener, signal);
    this.#isTaken = true;
    try {
      const info = await follow(session, after, retaining(this.#log, listener), signal);
      if (signal?.aborted !== true) this.release();
      return info;
    } finally {
      this.#isTaken = false;
    }
  }

  /** No follower must get every byte any more. */
  release(): void {
    if (!this.#isRetaining) return;
    this.#isRetaining = false;
    this.#log.retainFrom(undefined);
  }
}

/** A listener that misses nothing: the log retains each event until the listener has handled it. */
function retaining(log: OutputLog, listener: FollowListener): FollowListener {
  return (event, release) => {
    const handled = listener(event, release);
    if (event.type === 'end') return handled;
    const end = event.start + (event.type === 'gap' ? event.bytes : event.bytes.length);
    if (handled === undefined) return log.retainFrom(end);
    return handled.then(() => log.retainFrom(end));
  };
}
