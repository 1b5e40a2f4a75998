/**
 * The handshake of a connection. Loading the MCP package takes longer than starting the process, and the first requests of
 * clients are always the same: they are answered here. Then the package gets all input from the start, to learn about the
 * client; its answers to requests that were answered here are dropped.
 */
import { Readable, type Writable } from 'node:stream';
import type { Greeting } from '../greeting.ts';
import type { ClientIdentity } from '../options.ts';
import { type OpeningLine, readOpeningLine } from './opening-lines.ts';

export interface OpeningOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly greeting: Greeting;
  readonly listTools: (client: ClientIdentity) => Promise<readonly unknown[]>;
}

/** The inputs of the package. */
export interface HandOver {
  /** All bytes of the client from the first one; paused, so the reader must resume it. */
  readonly input: Readable;
  /** Ids of the requests that were answered. */
  readonly answered: Set<string | number>;
}

/** After this silence the package takes over: the client does not send the usual requests. */
const PATIENCE_MS = 250;
const MOST_BYTES = 64 << 10;
const LINE_FEED = 10;

/** Answers the usual first requests; undefined if the client disconnected with all requests answered. */
export function openingExchange({ input, output, greeting, listTools }: OpeningOptions): Promise<HandOver | undefined> {
  return new Promise((resolve) => {
    const answered = new Set<string | number>();
    const answerTo = createAnswerer(greeting, listTools);
    let read: Buffer = Buffer.alloc(0);
    let next = 0;
    let working = false;
    let hasEnded = false;
    let isDone = false;
    let timer: NodeJS.Timeout | undefined;

    function finish(outcome: HandOver | undefined): void {
      isDone = true;
      clearTimeout(timer);
      input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
      output.off('error', onBroken);
      resolve(outcome);
    }

    function handOver(): void {
      if (isDone) return;
      if (hasEnded) finish({ input: Readable.from([read], { objectMode: false }), answered });
      else {
        input.pause();
        finish({ input, answered });
        input.unshift(read);
      }
    }

    async function work(): Promise<void> {
      if (working) return;
      working = true;
      for (let end = read.indexOf(LINE_FEED, next); end >= 0; end = read.indexOf(LINE_FEED, next)) {
        const answer = await answerTo(readOpeningLine(read.toString('utf8', next, end)));
        if (isDone) return;
        if (answer === undefined || read.length > MOST_BYTES) return handOver();
        // With two answers of one id, it would be unclear which answer of the package to drop.
        if (answer.message !== undefined && answered.has(answer.message.id)) return handOver();
        next = end + 1;
        if (answer.message !== undefined) {
          answered.add(answer.message.id);
          output.write(`${JSON.stringify(answer.message)}\n`);
        }
        // Send the answer before loading the package blocks the event loop.
        if (answer.isLast) return void setImmediate(proceed);
      }
      working = false;
      proceed();
    }

    /** Waits for more input, hands over, or finishes. */
    function proceed(): void {
      if (isDone) return;
      const isRead = next === read.length;
      if (hasEnded && isRead) finish(undefined);
      else if (hasEnded || working || read.length > MOST_BYTES) handOver();
      else {
        clearTimeout(timer);
        timer = next > 0 ? setTimeout(handOver, PATIENCE_MS) : undefined;
      }
    }

    const onData = (piece: Buffer): void => {
      read = Buffer.concat([read, piece]);
      void work();
    };
    const onEnd = (): void => {
      hasEnded = true;
      if (!working) proceed();
    };
    const onBroken = (): void => finish(undefined);
    input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);
    output.on('error', onBroken);
  });
}

type Message = { readonly id: string | number } & Readonly<Record<string, unknown>>;

interface Answer {
  /** Undefined for a notification. */
  readonly message?: Message;
  /** Later requests are not answered here. */
  readonly isLast: boolean;
}

/** Answers the lines of one connection in order; undefined for a line that only the package can answer. */
function createAnswerer(greeting: Greeting, listTools: OpeningOptions['listTools']) {
  const { serverInfo, capabilities, instructions, listTtlMs } = greeting;
  let greeted: ClientIdentity | undefined;
  let hasDiscovered = false;

  const message = (id: string | number, result: object): Message => ({ result, jsonrpc: '2.0', id });
  const modern = (id: string | number, result: object, ttlMs: number): Message =>
    message(id, {
      ...result,
      resultType: 'complete',
      ttlMs,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    });

  return async (line: OpeningLine | undefined): Promise<Answer | undefined> => {
    switch (line?.kind) {
      case 'initialize':
        if (greeted !== undefined || hasDiscovered) return undefined;
        greeted = line.client;
        return {
          message: message(line.id, { protocolVersion: line.version, capabilities, serverInfo, instructions }),
          isLast: false,
        };
      case 'initialized':
        return greeted === undefined ? undefined : { isLast: false };
      case 'discover':
        if (greeted !== undefined || hasDiscovered) return undefined;
        hasDiscovered = true;
        return {
          message: modern(line.id, { supportedVersions: ['2026-07-28'], capabilities, instructions }, 0),
          isLast: false,
        };
      case 'list': {
        // The eras identify the client differently; the package handles a client that mixes them.
        if ((line.client === undefined) === (greeted === undefined)) return undefined;
        const tools = await toolsOrNone(listTools, line.client ?? greeted ?? {});
        if (tools === undefined) return undefined;
        const answer = line.client === undefined ? message(line.id, { tools }) : modern(line.id, { tools }, listTtlMs);
        return { message: answer, isLast: true };
      }
      default:
        return undefined;
    }
  };
}

/** If listing fails, the package lists again and reports the error. */
async function toolsOrNone(listTools: OpeningOptions['listTools'], client: ClientIdentity) {
  try {
    return await listTools(client);
  } catch {
    return undefined;
  }
}
