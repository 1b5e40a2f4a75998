/**
 * The protocol over standard input and output. Beside carrying messages it keeps the connection sound: what cannot be read is
 * answered, what is too long is left out, a reader that stops reading slows the writer, and the end of input gives calls that
 * are nearly done the time to answer.
 */
import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { hasTooManyMembers, isNestedTooDeep, MOST_MEMBERS, MOST_NESTING } from '../../../text/json/bounds.ts';

const LONGEST_LINE = 16 * 2 ** 20;
/** What may wait for a reader before nothing more is read. */
const MOST_UNREAD = 4 * 2 ** 20;
/** How long calls may take to answer after the end of input. */
const GRACE_MS = 2_000;

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: (message: string) => void;
  /** The client has closed its end; what it started has no reader any more. */
  readonly onInputEnd?: () => void;
  readonly longestLine?: number;
  /** Requests that have their answers already; those of the servers are not sent. */
  readonly answeredBefore?: Set<RequestId>;
}

export interface StdioTransport extends Transport {
  /** Resolves when the client takes answers; at once in most cases. */
  readonly flowing: () => Promise<void>;
  /** Resolves when the connection has ended and everything that could be written is written. */
  readonly closed: () => Promise<void>;
}

/** A connection over two streams. */
export function stdioTransport({
  input,
  output,
  log,
  onInputEnd,
  longestLine = LONGEST_LINE,
  answeredBefore = new Set(),
}: StdioOptions): StdioTransport {
  const lines = lineReader(longestLine);
  const open = new Set<RequestId>();
  let isClosed = false;
  let unwritten = '';
  let drained: Promise<void> | undefined;
  let settled: () => void = () => undefined;
  let finished: () => void = () => undefined;
  const whenFinished = new Promise<void>((resolve) => (finished = resolve));

  function hear(line: string | undefined): void {
    const reading =
      line === undefined
        ? refuse(ProtocolErrorCode.InvalidRequest, `a message has more than ${longestLine} bytes`)
        : readMessage(line);
    if (reading === undefined || isClosed) return;
    const message = reading.kind === 'message' ? admitted(reading.message) : reading;
    if ('kind' in message) {
      log(`refused: ${message.why}`);
      write(message.answer);
    } else transport.onmessage?.(message);
  }

  /** Two open requests with one id could not be told apart by their answers. */
  function admitted(message: JSONRPCMessage): JSONRPCMessage | ReturnType<typeof refuse> {
    if (!('method' in message)) return message;
    if ('id' in message) {
      if (open.has(message.id))
        return refuse(
          ProtocolErrorCode.InvalidRequest,
          `the request ${JSON.stringify(message.id)} is not answered yet`,
        );
      // Listening is answered when the connection ends: nobody waits for that.
      if (message.method !== 'subscriptions/listen') open.add(message.id);
    } else if (message.method === 'notifications/cancelled')
      answered((message.params as { readonly requestId?: RequestId } | undefined)?.requestId);
    return message;
  }

  function answered(id: RequestId | undefined): void {
    if (id !== undefined && open.delete(id) && open.size === 0) settled();
  }

  function write(message: JSONRPCMessage): void {
    if (isClosed) return;
    if (unwritten === '') process.nextTick(flush);
    unwritten += `${JSON.stringify(message)}\n`;
  }

  /** What came together is written together: each write costs as much as a call. */
  function flush(): void {
    if (unwritten === '') return;
    output.write(unwritten);
    unwritten = '';
    if (drained === undefined && output.writableLength > MOST_UNREAD) hold();
  }

  /** Reads on when what waits has been taken. */
  function hold(): void {
    input.pause();
    drained = new Promise((resolve) => {
      output.once('drain', () => {
        drained = undefined;
        if (!isClosed) input.resume();
        resolve();
      });
      output.once('close', resolve);
    });
  }

  const onData = (piece: Uint8Array): void => {
    for (const line of lines.read(piece)) hear(line);
  };
  const onOutputError = (error: Error): void => {
    if (!isClosed) log(`the client reads no more: ${error.message}`);
    void transport.close();
  };
  let hasEnded = false;
  const onEnd = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    hear(lines.rest());
    void leave();
  };

  async function leave(): Promise<void> {
    onInputEnd?.();
    if (open.size > 0) {
      const timer = setTimeout(() => settled(), GRACE_MS);
      await new Promise<void>((resolve) => (settled = resolve));
      clearTimeout(timer);
    }
    await transport.close();
  }

  const transport: StdioTransport = {
    async start() {
      input.on('data', onData);
      input.on('end', onEnd);
      input.on('close', onEnd);
      input.on('error', onEnd);
      output.on('error', onOutputError);
      input.resume(); // it was paused where others have read from it before
    },
    async send(message) {
      if (isClosed) throw new Error('the connection has ended');
      if (!('method' in message)) {
        if (message.id === undefined || !answeredBefore.delete(message.id)) write(message);
        answered(message.id);
      } else write(message);
      await drained;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      input.off('data', onData);
      input.destroy();
      settled();
      transport.onclose?.();
      flush();
      output.end(finished);
      output.once('close', finished);
    },
    flowing: async () => drained,
    closed: () => whenFinished,
  };
  return transport;
}

// Bytes in pieces to lines. A line that is too long is left out and told of; what comes behind it is read as before.

interface LineReader {
  /** Takes a piece and gives the lines that it completed; undefined stands for one that was too long. */
  read(piece: Uint8Array): Iterable<string | undefined>;
  /** What stands behind the last line feed. */
  rest(): string | undefined;
}

const LINE_FEED = 10;

/** Reads lines of at most so many bytes. */
export function lineReader(longest: number): LineReader {
  let parts: Uint8Array[] = [];
  let size = 0;

  function add(part: Uint8Array): void {
    size += part.length;
    if (size > longest) parts = [];
    else if (part.length > 0) parts.push(part);
  }

  function take(): string | undefined {
    const line = size > longest ? undefined : Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    return line;
  }

  return {
    *read(piece) {
      let from = 0;
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, from)) {
        add(piece.subarray(from, at));
        yield take();
        from = at + 1;
      }
      add(piece.subarray(from));
    },
    rest: () => (size === 0 ? '' : take()),
  };
}

// A line to a message of the protocol, or to the error that its sender hears.

type Reading =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'refused'; readonly answer: JSONRPCMessage; readonly why: string };

/** Reads one line; undefined when there is nothing on it. */
function readMessage(line: string): Reading | undefined {
  if (line.trim() === '') return undefined;
  if (isNestedTooDeep(line))
    return refuse(ProtocolErrorCode.ParseError, `a message is nested deeper than ${MOST_NESTING} levels`);
  if (hasTooManyMembers(line))
    return refuse(ProtocolErrorCode.ParseError, `a message has more than ${MOST_MEMBERS} members`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refuse(ProtocolErrorCode.ParseError, 'a line is no JSON: one message stands on one line');
  }
  if (Array.isArray(value)) return refuse(ProtocolErrorCode.InvalidRequest, 'messages in a list are not taken');
  try {
    return { kind: 'message', message: parseJSONRPCMessage(value) };
  } catch {
    return refuse(ProtocolErrorCode.InvalidRequest, 'this is no message of JSON-RPC 2.0', idOf(value));
  }
}

/** An error that answers no request that could be understood has no id. */
function refuse(code: number, message: string, id?: string | number): Extract<Reading, { kind: 'refused' }> {
  return {
    kind: 'refused',
    answer: { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } },
    why: message,
  };
}

function idOf(value: unknown): string | number | undefined {
  const id = (value as { readonly id?: unknown } | null)?.id;
  const isRequest = typeof (value as { readonly method?: unknown } | null)?.method === 'string';
  return isRequest && (typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))) ? id : undefined;
}
