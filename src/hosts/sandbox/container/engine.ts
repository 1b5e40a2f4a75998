/**
 * A client of the Docker Engine API over a Unix socket, which docker and podman both serve: JSON requests, and hijacked
 * connections for streams. Errors carry the engine's own message.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf } from '../../../base/message-of.ts';

/** An error response of the engine, or no response. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** The HTTP status; 0 where there was no response. */
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

export interface AskOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Default: 30 seconds; 0 for no timeout. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

type Verb = 'HEAD' | 'GET' | 'POST' | 'DELETE';

export interface Engine {
  readonly socket: string;
  /** The API version, such as `1.41`. */
  readonly version: string;
  /** The parsed response, undefined where the body is empty; throws an EngineError. */
  ask(verb: Verb, path: string, options?: AskOptions): Promise<unknown>;
  hijack(path: string, options?: Pick<AskOptions, 'query' | 'timeoutMs'>): Promise<Hijacked>;
}

export interface Hijacked {
  readonly socket: Socket;
  /** Bytes that arrived together with the response. */
  readonly head: Uint8Array;
}

const TIMEOUT_MS = 30_000;
/** No expected response is longer. */
const LONGEST_RESPONSE = 16 * 1024 * 1024;
const LONGEST_REASON = 400;

/** An empty version is for the request that asks for the version. */
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
    hijack: (path, { query, timeoutMs = TIMEOUT_MS } = {}) => hijack(socket, target(path, query), timeoutMs),
  };
}

async function ask(socketPath: string, method: Verb, path: string, options: AskOptions): Promise<unknown> {
  const { body, timeoutMs = TIMEOUT_MS, signal } = options;
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const timeout = timeoutMs === 0 ? [] : [AbortSignal.timeout(timeoutMs)];
  const limit = AbortSignal.any([...timeout, ...(signal === undefined ? [] : [signal])]);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers =
        bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${bytes.length}` };
      // A new connection each time: a kept one that the engine has closed would fail the next request.
      const sent = httpRequest({ socketPath, path, method, headers, agent: false, signal: limit });
      sent.on('response', resolve).on('error', reject);
      sent.end(bytes);
    });
    return parseResponse(response.statusCode ?? 0, await readBody(response));
  } catch (error) {
    if (error instanceof EngineError) throw error;
    if (timeout[0]?.aborted === true)
      throw new EngineError(0, `the engine did not answer within ${timeoutMs} ms (${method} ${path})`, error);
    throw new EngineError(0, messageOf(error), error);
  }
}

async function readBody(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LONGEST_RESPONSE) {
      response.destroy();
      throw new EngineError(0, `the engine's response is longer than ${LONGEST_RESPONSE} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseResponse(status: number, text: string): unknown {
  if (status < 200 || status >= 300)
    throw new EngineError(status, errorMessage(text) ?? `the engine answered ${status}`);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new EngineError(status, 'the engine sent a response that is not JSON', error);
  }
}

/** Both engines send `message`; podman adds its cause. */
function errorMessage(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? shortened(message) : undefined;
  } catch {
    return shortened(text); // plain text, as a proxy sends it
  }
}

/** Engines repeat the request in their messages, however long it is. */
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
      // Nothing is read until the caller adds a listener.
      socket.pause();
      resolve({ socket, head });
    });
    sent.on('response', (response) => {
      settled();
      readBody(response).then((text) => {
        const status = response.statusCode ?? 0;
        reject(new EngineError(status, errorMessage(text) ?? `the engine answered ${status} instead of a stream`));
      }, reject);
    });
    sent.on('error', (error) => {
      settled();
      reject(new EngineError(0, error.message, error));
    });
    sent.end();
  });
}
