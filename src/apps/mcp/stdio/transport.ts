/**
 * MCP over stdin and stdout. Invalid messages are answered with errors, and too long ones are dropped. A client that stops
 * reading causes backpressure. After the end of input, open calls get some time to answer.
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
/** With more unwritten bytes, reading pauses. */
const MOST_UNREAD = 4 * 2 ** 20;
/** Open calls may take this long to answer after the end of input. */
const GRACE_MS = 2_000;

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: (message: string) => void;
  /** The client has closed stdin. */
  readonly onInputEnd?: () => void;
  readonly longestLine?: number;
  /** Requests that were already answered; the servers' answers to them are dropped. */
  readonly answeredBefore?: Set<RequestId>;
}

export interface StdioTransport extends Transport {
  /** Resolves when the client accepts output, usually immediately. */
  readonly flowing: () => Promise<void>;
  /** Resolves when the connection has ended and the output is flushed. */
  readonly closed: () => Promise<void>;
}

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

  function receive(line: string | undefined): void {
    const parsed =
      line === undefined
        ? refuse(ProtocolErrorCode.InvalidRequest, `a message has more than ${longestLine} bytes`)
        : readMessage(line);
    if (parsed === undefined || isClosed) return;
    const message = parsed.kind === 'message' ? admit(parsed.message) : parsed;
    if ('kind' in message) {
      log(`refused: ${message.why}`);
      write(message.answer);
    } else transport.onmessage?.(message);
  }

  /** Refuses a second open request with the same id: the answers could not be distinguished. */
  function admit(message: JSONRPCMessage): JSONRPCMessage | ReturnType<typeof refuse> {
    if (!('method' in message)) return message;
    if ('id' in message) {
      if (open.has(message.id))
        return refuse(
          ProtocolErrorCode.InvalidRequest,
          `request ${JSON.stringify(message.id)} is still open; use another id`,
        );
      // `subscriptions/listen` is answered when the connection ends, so nothing waits for it.
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

  /** Batches the messages of one tick: each write is a system call. */
  function flush(): void {
    if (unwritten === '') return;
    output.write(unwritten);
    unwritten = '';
    if (drained === undefined && output.writableLength > MOST_UNREAD) pauseInput();
  }

  /** Resumes when the output has drained. */
  function pauseInput(): void {
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
    for (const line of lines.read(piece)) receive(line);
  };
  const onOutputError = (error: Error): void => {
    if (!isClosed) log(`the client stopped reading: ${error.message}`);
    void transport.close();
  };
  let hasEnded = false;
  const onEnd = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    receive(lines.rest());
    void closeWhenAnswered();
  };

  async function closeWhenAnswered(): Promise<void> {
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
      input.resume(); // the handshake has paused it
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

/** Splits chunks of bytes into lines. */
interface LineReader {
  /** The lines that this chunk completes; undefined for a line that is too long. */
  read(piece: Uint8Array): Iterable<string | undefined>;
  /** The bytes after the last line feed. */
  rest(): string | undefined;
}

const LINE_FEED = 10;

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

/** A message, or the error answer to its sender. */
type ParsedLine =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'refused'; readonly answer: JSONRPCMessage; readonly why: string };

/** Undefined for a blank line. */
function readMessage(line: string): ParsedLine | undefined {
  if (line.trim() === '') return undefined;
  if (isNestedTooDeep(line))
    return refuse(ProtocolErrorCode.ParseError, `a message is nested deeper than ${MOST_NESTING} levels`);
  if (hasTooManyMembers(line))
    return refuse(ProtocolErrorCode.ParseError, `a message has more than ${MOST_MEMBERS} members`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refuse(ProtocolErrorCode.ParseError, 'invalid JSON: each line must be one message');
  }
  if (Array.isArray(value)) return refuse(ProtocolErrorCode.InvalidRequest, 'batches of messages are not supported');
  try {
    return { kind: 'message', message: parseJSONRPCMessage(value) };
  } catch {
    return refuse(ProtocolErrorCode.InvalidRequest, 'not a JSON-RPC 2.0 message', idOf(value));
  }
}

/** Without an id if the request could not be parsed. */
function refuse(code: number, message: string, id?: string | number): Extract<ParsedLine, { kind: 'refused' }> {
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
