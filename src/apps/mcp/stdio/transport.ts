/**
 * The protocol over standard input and output. Beside carrying messages it keeps the connection sound: what cannot be read is
 * answered, what is too long is left out, a reader that stops reading slows the writer, and the end of input gives calls that
 * are nearly done the time to answer.
 */
import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, ProtocolErrorCode, type RequestId, type Transport } from '@modelcontextprotocol/server';
import { lineReader } from './lines.ts';
import { readMessage, refuse } from './messages.ts';

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
