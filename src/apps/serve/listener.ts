/** The HTTP server: its limits and timeouts, and the gate before every route. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { Fault } from '../../base/fault.ts';
import type { AnyRefusal, Refusal, RequestOrigin } from './gate.ts';
import { BODY_MS, GRACE_MS, HEADER_MS, KEEP_ALIVE_MS, CHECK_MS, MOST_CONNECTIONS, MOST_REQUESTS } from './limits.ts';
import { PAGE_HEADERS } from './page/headers.ts';
import { isPagePath } from './page/paths.ts';
import { isReading, pathOf, routeOf } from './request-path.ts';
import { answerWithoutUpgrade, refuseUpgrade, type Upgrades } from './upgrade.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  check(request: RequestOrigin): Refusal | undefined;
  /** Overrides, for tests. */
  readonly timeouts?: Partial<Timeouts>;
  /** Called for every request when its response has ended. */
  onRequest(route: string, method: string, status: number, seconds: number): void;
  readonly log: (text: string) => void;
}

export interface Timeouts {
  readonly headerMs: number;
  readonly bodyMs: number;
  readonly checkMs: number;
  /** Running requests may take this long when the server stops. */
  readonly graceMs: number;
}

const TIMEOUTS: Timeouts = { headerMs: HEADER_MS, bodyMs: BODY_MS, checkMs: CHECK_MS, graceMs: GRACE_MS };

export interface HttpListener {
  /** The bound IP address. */
  readonly address: string;
  readonly port: number;
  /** The number of running requests. */
  readonly requests: number;
  /** Starts to answer requests; before, they are answered with 503. */
  serve(fetch: Parameters<typeof getRequestListener>[0], upgrades?: Upgrades): void;
  /** Accepts no new requests and waits for running ones. `drained` ends the notification streams. */
  close(drained: () => Promise<void>): Promise<void>;
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

/** Binds the address. Throws SERVE_PORT_TAKEN or SERVE_ADDRESS. */
export async function listen(options: ListenerOptions): Promise<HttpListener> {
  const running = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  let handle: Handler | undefined;
  let upgrades: Upgrades | undefined;
  let ending = false;

  const take: Handler = (incoming, outgoing) => {
    const started = performance.now();
    running.add(outgoing);
    outgoing.on('close', () => {
      running.delete(outgoing);
      const { method = '', url = '' } = incoming;
      options.onRequest(routeOf(url), method, outgoing.statusCode, (performance.now() - started) / 1000);
    });
    outgoing.setHeader('X-Content-Type-Options', 'nosniff');
    outgoing.setHeader('Cache-Control', 'no-store');
    const refusal = whyRefused(incoming);
    if (refusal === undefined) handle?.(incoming, outgoing);
    else if (upgrades !== undefined && refusal.status === 401 && isLostBrowser(incoming))
      answerNotFound(incoming, outgoing, upgrades.notFound());
    else refuse(incoming, outgoing, refusal);
  };

  function whyRefused(incoming: IncomingMessage): AnyRefusal | undefined {
    const { host, origin, authorization } = incoming.headers;
    const path = pathOf(incoming.url ?? '');
    if (path === undefined || (incoming.headersDistinct['host'] ?? []).length !== 1) return malformed();
    const isHealth = path === '/healthz';
    const open = isHealth || (isReading(incoming.method) && isPagePath(path));
    const refusal = options.check({ host, origin, authorization, open });
    if (refusal !== undefined) return refusal;
    if (ending || handle === undefined)
      return unavailable(ending ? 'the server is stopping' : 'the server is starting');
    return running.size > MOST_REQUESTS && !isHealth ? unavailable('too many requests are running') : undefined;
  }

  const upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy()); // without a listener an error ends the process
    const [path = ''] = (incoming.url ?? '').split('?', 1);
    const isWebSocket = incoming.headers.upgrade?.toLowerCase() === 'websocket';
    if (upgrades === undefined || path !== upgrades.path || !isWebSocket) {
      answerWithoutUpgrade(server, incoming, socket, head);
      return;
    }
    const refusal = whyRefused(incoming) ?? upgrades.refusal(incoming);
    if (refusal === undefined) upgrades.accept(incoming, socket, head);
    else refuseUpgrade(socket, refusal);
    options.onRequest(routeOf(path), incoming.method ?? '', refusal?.status ?? 101, 0);
  };

  /** Closes connections without a running request. Node's `closeIdleConnections` keeps those that have sent no request yet. */
  function closeIdle(): void {
    const busy = new Set([...running].map(({ socket }) => socket));
    for (const socket of connections) if (!busy.has(socket)) socket.destroy();
  }

  const { headerMs, bodyMs, checkMs, graceMs } = { ...TIMEOUTS, ...options.timeouts };
  const server = createServer({
    headersTimeout: headerMs,
    requestTimeout: bodyMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: checkMs,
    requireHostHeader: true,
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  server.on('request', take);
  server.on('upgrade', upgrade);
  server.on('checkContinue', take); // `readJson` sends 100 Continue
  await bind(server, options);
  server.on('error', (error) => options.log(`the HTTP server failed: ${error.message}`));

  const { address, port } = server.address() as AddressInfo;
  return {
    address,
    port,
    get requests() {
      return running.size;
    },
    serve(fetch, socket) {
      upgrades = socket;
      handle = getRequestListener(fetch, { overrideGlobalObjects: false });
    },
    async close(drained) {
      ending = true;
      const deadline = performance.now() + graceMs;
      // A keep-alive connection would delay the stop until its timeout.
      for (const outgoing of running) if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await waitUntil(drained(), deadline);
      closeIdle();
      await waitUntil(closed, deadline);
      server.closeAllConnections();
      await closed;
    },
  };
}

function bind(server: Server, { host, port }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotBind(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

/** Waits for the work, but not longer than the deadline. */
async function waitUntil(work: Promise<void>, deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()));
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, code, message, hint }: AnyRefusal,
): void {
  const body = Buffer.from(JSON.stringify({ error: { code, message, hint } }));
  outgoing.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    // The body of a refused request is not read, so the connection cannot be reused.
    Connection: 'close',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}

/** A person who mistyped an address. A path of the API is refused as for every client. */
function isLostBrowser({ method, url = '', headers }: IncomingMessage): boolean {
  const wantsPage = headers.accept?.includes('text/html') === true && headers.authorization === undefined;
  return wantsPage && isReading(method) && routeOf(url) === 'other';
}

function answerNotFound(incoming: IncomingMessage, outgoing: ServerResponse, page: string): void {
  const body = Buffer.from(page);
  outgoing.writeHead(404, {
    ...PAGE_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': body.length,
    Connection: 'close',
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}

function malformed() {
  return {
    status: 400,
    code: 'SERVE_MALFORMED',
    message: 'the path or the Host header is invalid',
    hint: 'send a percent-encoded path that begins with a slash and has no dot segments, and one Host header',
  };
}

function unavailable(message: string) {
  return { status: 503, code: 'SERVE_BUSY', message, hint: 'try again in a moment' };
}

function cannotBind(error: NodeJS.ErrnoException, host: string, port: number): Fault {
  if (error.code === 'EADDRINUSE')
    return new Fault('SERVE_PORT_TAKEN', `port ${port} of ${host} is in use by another program`, {
      hint: 'choose another one with --port, or --port 0 for any free port',
      details: { host, port },
      cause: error,
    });
  return new Fault('SERVE_ADDRESS', `cannot listen on ${host}:${port}: ${error.message}`, {
    hint: 'choose an address of this machine with --host and a port with --port',
    details: { host, port },
    cause: error,
  });
}
