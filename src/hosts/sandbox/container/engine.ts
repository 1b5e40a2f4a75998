/**
 * The Docker Engine API over a Unix socket, which docker and podman both answer: one request, one answer in JSON, and
 * one stream that leaves HTTP behind. An engine that says no says why, and its own words are what is told.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf } from '../../../base/message-of.ts';

/** What the engine answered when it did not do what it was asked, or that it did not answer. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** The status of the answer; 0 where there was none. */
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

export interface AskOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** How long the answer may take (default: 30 seconds), 0 for as long as it takes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

type Verb = 'HEAD' | 'GET' | 'POST' | 'DELETE';

/** An engine that is asked at one socket. */
export interface Engine {
  readonly socket: string;
  /** The version of the API that is spoken, such as `1.41`. */
  readonly version: string;
  /** The parsed answer, undefined where there is none; throws an EngineError. */
  ask(verb: Verb, path: string, options?: AskOptions): Promise<unknown>;
  /** The connection itself, with what came behind the answer already. */
  hijack(path: string, options?: Pick<AskOptions, 'query' | 'timeoutMs'>): Promise<Hijacked>;
}

export interface Hijacked {
  readonly socket: Socket;
  readonly head: Uint8Array;
}

const PATIENCE_MS = 30_000;
/** No answer that we ask for is longer; an engine that sends more is none. */
const LONGEST_ANSWER = 16 * 1024 * 1024;
const LONGEST_REASON = 400;

/** Speaks to a socket in this version; an empty one is for the question about versions itself. */
export function engineAt(socket: string, version: string): Engine {
  const prefix = version === '' ? '' : `/v${version}`;
  const target = (path: string, query: Readonly<Record<string, string>> = {}) => {
    const text = new URLSearchParams(query).toString();
    return `${prefix}${path}${text === '' ? '' : `?${text}`}`;
  };
  return {
    socket,
    version,
    ask: (verb, path, options = {}) => ask(socket, verb, target(path, options.query), options),
    hijack: (path, { query, timeoutMs = PATIENCE_MS } = {}) => hijack(socket, target(path, query), timeoutMs),
  };
}

async function ask(socketPath: string, method: Verb, path: string, options: AskOptions): Promise<unknown> {
  const { body, timeoutMs = PATIENCE_MS, signal } = options;
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const timeout = timeoutMs === 0 ? [] : [AbortSignal.timeout(timeoutMs)];
  const limit = AbortSignal.any([...timeout, ...(signal === undefined ? [] : [signal])]);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers =
        bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${bytes.length}` };
      // A connection of its own: one that the engine closed meanwhile must not fail the next question.
      const sent = httpRequest({ socketPath, path, method, headers, agent: false, signal: limit });
      sent.on('response', resolve).on('error', reject);
      sent.end(bytes);
    });
    return answerOf(response.statusCode ?? 0, await textOf(response));
  } catch (error) {
    if (error instanceof EngineError) throw error;
    if (timeout[0]?.aborted === true)
      throw new EngineError(0, `the engine did not answer within ${timeoutMs} ms (${method} ${path})`, error);
    throw new EngineError(0, messageOf(error), error);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LONGEST_ANSWER) {
      response.destroy();
      throw new EngineError(0, `the engine's answer is longer than ${LONGEST_ANSWER} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function answerOf(status: number, text: string): unknown {
  if (status < 200 || status >= 300) throw new EngineError(status, messageIn(text) ?? `the engine answered ${status}`);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new EngineError(status, 'the engine answered something that is not JSON', error);
  }
}

/** Both engines put their reason into `message`; podman adds its cause. */
function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? shortened(message) : undefined;
  } catch {
    return shortened(text); // plain text, as a proxy in between sends it
  }
}

/** Engines repeat what they were sent, however long that is. */
function shortened(text: string): string | undefined {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  if (line === '') return undefined;
  return line.length <= LONGEST_REASON
    ? line
    : `${line.slice(0, LONGEST_REASON / 2)} … ${line.slice(-LONGEST_REASON / 2)}`;
}

function hijack(socketPath: string, path: string, timeoutMs: number): Promise<Hijacked> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'tcp', 'content-length': '0' };
    const sent = httpRequest({ socketPath, path, method: 'POST', headers, agent: false });
    const timer = setTimeout(
      () => sent.destroy(new Error(`the engine did not answer within ${timeoutMs} ms (POST ${path})`)),
      timeoutMs,
    );
    const settled = () => clearTimeout(timer);
    sent.on('upgrade', (_response, socket: Socket, head) => {
      settled();
      // Nothing is read until somebody listens.
      socket.pause();
      resolve({ socket, head });
    });
    sent.on('response', (response) => {
      settled();
      textOf(response).then((text) => {
        const status = response.statusCode ?? 0;
        reject(new EngineError(status, messageIn(text) ?? `the engine answered ${status} instead of a stream`));
      }, reject);
    });
    sent.on('error', (error) => {
      settled();
      reject(new EngineError(0, error.message, error));
    });
    sent.end();
  });
}
