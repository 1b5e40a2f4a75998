/** How much one server does at once: a client that sends thousands of calls waits in line, and is refused beyond that. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Calls of tools that work on files; each holds a few open files. */
const FILES_AT_ONCE = 64;
/** Calls that mostly wait for commands. */
const COMMANDS_AT_ONCE = 512;
/** All that run or wait. */
const MOST_CALLS = 4_096;

export interface CallLimits {
  /** Does the work when its turn has come. Throws a protocol error where too many wait already. */
  inTurn<T>(tool: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** The limits of all servers of one way in together. */
export function callLimits(most = MOST_CALLS): CallLimits {
  let all = 0;
  const files = lane(FILES_AT_ONCE);
  const commands = lane(COMMANDS_AT_ONCE);
  return {
    async inTurn(tool, signal, work) {
      if (all >= most)
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          `${most} calls are running or waiting already; wait for some of their answers`,
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

/** So many at once, the others in the order of their coming; whoever gives up waiting leaves the line. */
function lane(atOnce: number): Lane {
  let free = atOnce;
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
