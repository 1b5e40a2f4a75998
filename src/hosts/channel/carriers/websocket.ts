/** Carries messages over WebSocket. The package is loaded when a connection is made. */
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { ClientOptions, WebSocket, WebSocketServer } from 'ws';
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import { type Carrier, InboxCarrier, LONGEST_CARRIED } from './carrier.ts';
import { decodeReason, encodeReason } from './close-reason.ts';
import { HandshakeSlots, remoteOf } from './handshake-slots.ts';
import { unreachable } from './unreachable.ts';
import { withFrameHeader } from './websocket-frames.ts';
import { WebSocketReader } from './websocket-reader.ts';

const EXPORTER = 'EXPORTER-pincer-node-v1';
const EXPORTER_BYTES = 32;
/** Bytes that wait to be sent. More: the sender waits. */
const FULL = 512 * 1024;
const CONNECT_MS = 10_000;
const CLOSE_MS = 1_000;
const LONGEST_HEADER = 8 * 1024;
const LONGEST_REASON = 123;
const MOST_HANDSHAKES = 64;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/u;

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/** One function for all connections: one that is made for a connection would keep its HTTP request in memory. */
function ignore(): void {}

const OPTIONS = {
  maxPayload: LONGEST_CARRIED,
  perMessageDeflate: false,
  /** A link has its own pings; a peer could cause pongs without end. */
  autoPong: false,
  closeTimeout: CLOSE_MS,
} as const;

export interface DialOptions {
  readonly signal?: AbortSignal;
  /**
   * False: the handshake proves the gateway, and its certificate is self-signed. True: TLS ends at a proxy, whose certificate is
   * verified with the certificate authorities of Node.
   */
  readonly rejectUnauthorized: boolean;
}

export async function dialWebSocket(url: string, { signal, rejectUnauthorized }: DialOptions): Promise<Carrier> {
  const { protocol, hostname, host } = parseUrl(url);
  if (protocol !== 'wss:' && !isLoopbackHost(hostname)) throw insecure(`${url} is not encrypted`);
  if (protocol !== 'wss:' && rejectUnauthorized)
    throw insecure(
      `${url} has no certificate, and this node connects through a proxy`,
      'use the wss:// address of the proxy',
    );
  const { WebSocket } = await import('ws');
  signal?.throwIfAborted();
  const options: ClientOptions = {
    ...OPTIONS,
    rejectUnauthorized,
    minVersion: 'TLSv1.3',
    handshakeTimeout: CONNECT_MS,
    // With a mask of zeros the package skips the work. The mask protects HTTP proxies that parse plain text.
    ...(rejectUnauthorized ? {} : { generateMask: (mask: Uint8Array) => void mask.fill(0) }),
  };
  const socket = new WebSocket(url, options);
  return new Promise((resolve, reject) => {
    const abort = (): void => socket.terminate();
    const fail = (error: unknown): void => {
      signal?.removeEventListener('abort', abort);
      reject(signal?.aborted === true ? signal.reason : unreachable(url, error, rejectUnauthorized));
    };
    let stream: Socket | undefined;
    socket.on('error', fail); // before anything else: without a listener an error ends the process
    socket.on('upgrade', (response) => (stream = response.socket));
    socket.on('open', () => {
      socket.off('error', fail);
      signal?.removeEventListener('abort', abort);
      resolve(
        new WebSocketCarrier(socket, { stream: stream!, remote: host, isClient: true, isPlain: !rejectUnauthorized }),
      );
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** PEM. Absent only on loopback. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The promise settles when the handshake is over: until then few bytes are accepted, and the connection uses a slot. */
  readonly connection: (carrier: Carrier) => Promise<unknown>;
  readonly log: (text: string) => void;
  /** Connections that have not finished the handshake. Default: 64. */
  readonly mostHandshakes?: number;
}

export interface WebSocketListener {
  readonly port: number;
  /** Closes all connections. */
  close(): Promise<void>;
}

export async function listenWebSocket(options: ListenOptions): Promise<WebSocketListener> {
  const { host, port, tls, log, mostHandshakes = MOST_HANDSHAKES } = options;
  if (tls === undefined && !isLoopbackHost(host)) throw insecure(`a listener on ${host} needs TLS`);
  const { WebSocketServer } = await import('ws');
  const upgrades = new WebSocketServer({ ...OPTIONS, noServer: true, clientTracking: true });
  const slots = new HandshakeSlots(mostHandshakes, log);
  const server = await httpServer(tls);
  server.on('connection', (socket: Socket) => {
    socket.on('error', ignore); // before anything else: without a listener an error ends the process
    socket.setNoDelay(true);
    slots.open(socket);
  });
  server.on('secureConnection', (socket: Socket) => socket.on('error', ignore));
  server.on('request', (_request, response) => {
    response.writeHead(426, { connection: 'close', upgrade: 'websocket' }).end();
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Only browsers send an origin: a page of the web must not reach this port through the browser of its reader.
    if (request.headers.origin !== undefined) socket.destroy();
    else upgrades.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, request.socket, slots, options));
  });
  await listening(server, host, port);
  server.on('error', (error: Error) => log(`node listener: ${error.message}`));
  return { port: (server.address() as AddressInfo).port, close: () => closeAll(server, upgrades, slots) };
}

async function httpServer(tls: ListenOptions['tls']): Promise<HttpServer> {
  const limits = { maxHeaderSize: LONGEST_HEADER, headersTimeout: 5_000, requestTimeout: 5_000 };
  if (tls === undefined) return (await import('node:http')).createServer(limits);
  const { createServer } = await import('node:https');
  return createServer({ ...limits, ...tls, ALPNCallback: chooseHttp, minVersion: 'TLSv1.3', handshakeTimeout: 5_000 });
}

/** As the default of Node, which copies its list for each connection: the copy keeps 8 KiB of the pool of buffers in memory. */
function chooseHttp({ protocols }: { readonly protocols: readonly string[] }): 'http/1.1' | undefined {
  return protocols.find((protocol) => protocol === 'http/1.1');
}

function listening(server: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(
        new Fault('NODE_UNREACHABLE', `cannot listen for nodes on ${host}:${port}: ${error.message}`, {
          hint: 'choose another address in nodes.listen',
          cause: error,
        }),
      );
    server.once('error', fail);
    server.listen(port, host.replace(/^\[|\]$/gu, ''), () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function serve(webSocket: WebSocket, socket: Socket, slots: HandshakeSlots, { connection, log }: ListenOptions): void {
  const remote = remoteOf(socket);
  const carrier = new WebSocketCarrier(webSocket, { stream: socket, remote, isClient: false, isPlain: true });
  const done = slots.upgraded(socket);
  const failed = (error: unknown): void => {
    log(`${remote}: ${messageOf(error)}`);
    carrier.close('the handshake failed');
  };
  connection(carrier)
    .then(() => carrier.accepted(), failed)
    .finally(done);
}

async function closeAll(server: HttpServer, upgrades: WebSocketServer, slots: HandshakeSlots): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const client of upgrades.clients) {
    client.resume(); // to read the other end's part of the closing handshake
    client.close(1001, 'the gateway ends');
  }
  slots.closeAll();
  const late = setTimeout(() => {
    for (const client of upgrades.clients) client.terminate();
    server.closeAllConnections();
  }, CLOSE_MS);
  await closed;
  clearTimeout(late);
}

interface Connected {
  /** The connection below the WebSocket. */
  readonly stream: Socket;
  readonly remote: string;
  readonly isClient: boolean;
  /** Messages of this end have no mask, or one of zeros. */
  readonly isPlain: boolean;
}

class WebSocketCarrier extends InboxCarrier {
  readonly binding: Uint8Array | undefined;
  readonly remote: string;
  readonly #socket: WebSocket;
  readonly #connected: Connected;
  readonly #reader: WebSocketReader | undefined;
  #isFull = false;
  #error: string | undefined;

  constructor(socket: WebSocket, connected: Connected) {
    super();
    this.#socket = socket;
    this.#connected = connected;
    this.binding = exporterOf(connected.stream);
    this.remote = connected.remote;
    socket.on('error', (error) => (this.#error ??= error.message)); // `close` follows
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.inbox.message(data);
      else socket.close(1003, 'a message that is not binary');
    });
    socket.on('close', (_code, reason) => this.inbox.down(this.#error ?? decodeReason(reason)));
    socket.pause();
    this.#reader = WebSocketReader.of({
      socket,
      stream: connected.stream,
      isServer: !connected.isClient,
      message: (bytes, release) => this.inbox.message(bytes, release),
    });
  }

  /** The other end has proved who it is. */
  accepted(): void {
    this.#reader?.allowOwnBuffer();
  }

  protected override read(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  protected override transmit(message: Uint8Array, sent?: () => void): boolean {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return true;
    const done = (error?: Error | null): void => {
      if (!(error instanceof Error)) sent?.();
      if (!this.#isFull || socket.bufferedAmount > FULL / 2) return;
      this.#isFull = false;
      this.inbox.room();
    };
    const { stream, isClient, isPlain } = this.#connected;
    if (sent === undefined || !isPlain) socket.send(message, { binary: true }, done);
    else stream.write(withFrameHeader(message, isClient), done);
    this.#isFull = socket.bufferedAmount > FULL;
    return !this.#isFull;
  }

  override close(reason: string): void {
    if (this.inbox.isDown) return;
    this.inbox.down(reason);
    this.#socket.resume(); // to read the other end's part of the closing handshake
    this.#socket.close(1000, encodeReason(reason, LONGEST_REASON));
  }
}

/** Undefined without TLS. */
function exporterOf(socket: Duplex): Uint8Array | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  return new Uint8Array(socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER, Buffer.alloc(0)));
}

function parseUrl(url: string): URL {
  try {
    const parsed = new URL(url);
    if (parsed.protocol === 'wss:' || parsed.protocol === 'ws:') return parsed;
  } catch {
    // the fault is the same
  }
  throw insecure(`${JSON.stringify(url)} is not an address of a gateway`, 'write it as wss://host:port');
}

function insecure(what: string, hint = 'use wss:// and nodes.tls; plain ws:// is for loopback only'): Fault {
  return new Fault('NODE_INSECURE', what, { hint });
}
