/** Limits of concurrent calls: further calls queue, and calls beyond the queue are refused. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Calls of file tools; each has a few open files. */
const FILE_CALLS = 64;
/** Calls that mostly wait for commands. */
const COMMAND_CALLS = 512;
/** Running and queued calls together. */
const MOST_CALLS = 4_096;

export interface CallLimits {
  /** Runs the work when a slot is free. Throws a protocol error if the queue is full. */
  schedule<T>(tool: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** The limits of all servers of one entry point together. */
export function callLimits(most = MOST_CALLS): CallLimits {
  let all = 0;
  const files = lane(FILE_CALLS);
  const commands = lane(COMMAND_CALLS);
  return {
    async schedule(tool, signal, work) {
      if (all >= most)
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          `${most} calls are running or queued; wait for some of their answers`,
          { code: 'TOOL_BUSY' },
        );
      all++;
      try {
        const turn = tool === 'exec' || tool === 'process' ? commands : files;
        return await turn(signal, work);
      } finally {
        all--;
      }
    },
  };
}

type Lane = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Runs at most `slots` at the same time, and queues the others in order; an aborted call leaves the queue. */
function lane(slots: number): Lane {
  let free = slots;
  const waiting = new Set<() => void>();
  return async (signal, work) => {
    if (free > 0) free--;
    else await turnIn(waiting, signal);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) free++;
      else next();
    }
  };
}

function turnIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(proceed);
      reject(signal.reason as Error);
    };
    const proceed = (): void => {
      waiting.delete(proceed);
      signal.removeEventListener('abort', leave);
      resolve();
    };
    if (signal.aborted) return leave();
    waiting.add(proceed);
    signal.addEventListener('abort', leave, { once: true });
  });
}
