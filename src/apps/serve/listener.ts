/** The HTTP server itself: its bounds in time and number, and the gate in front of every route. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Fault } from '../../base/fault.ts';
import type { Refusal, Visitor } from './gate.ts';
import { BODY_MS, GRACE_MS, HEADER_MS, KEEP_ALIVE_MS, LOOK_MS, MOST_CONNECTIONS, MOST_REQUESTS } from './limits.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  look(visitor: Visitor): Refusal | undefined;
  /** How long a client may take (default: the usual bounds). */
  readonly patience?: Partial<Patience>;
  /** Hears of every request when its answer has ended. */
  told(route: string, method: string, status: number, seconds: number): void;
  readonly log: (text: string) => void;
}

/** In milliseconds. */
export interface Patience {
  readonly headerMs: number;
  readonly bodyMs: number;
  readonly lookMs: number;
  /** What answers in work are given when the server is to end. */
  readonly graceMs: number;
}

const PATIENCE: Patience = { headerMs: HEADER_MS, bodyMs: BODY_MS, lookMs: LOOK_MS, graceMs: GRACE_MS };

export interface HttpListener {
  readonly port: number;
  /** Requests in work. */
  readonly requests: number;
  /** From now on requests are answered; before, they hear that the server is starting. */
  serve(fetch: Parameters<typeof getRequestListener>[0]): void;
  /** No new requests; those in work are given a while. `drained` ends streams that never end by themselves. */
  close(drained: () => Promise<void>): Promise<void>;
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

/** Binds the address. Throws SERVE_PORT_TAKEN or SERVE_ADDRESS. */
export async function listen(options: ListenerOptions): Promise<HttpListener> {
  const running = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  let handle: Handler | undefined;
  let ending = false;

  const take: Handler = (incoming, outgoing) => {
    const started = performance.now();
    running.add(outgoing);
    outgoing.on('close', () => {
      running.delete(outgoing);
      const { method = '', url = '' } = incoming;
      options.told(routeOf(url), method, outgoing.statusCode, (performance.now() - started) / 1000);
    });
    outgoing.setHeader('X-Content-Type-Options', 'nosniff');
    outgoing.setHeader('Cache-Control', 'no-store');
    const refusal = whyRefused(incoming);
    if (refusal !== undefined) refuse(incoming, outgoing, refusal);
    else handle?.(incoming, outgoing);
  };

  function whyRefused(incoming: IncomingMessage): (Omit<Refusal, 'status'> & { readonly status: number }) | undefined {
    const { host, origin, authorization } = incoming.headers;
    const [path = ''] = (incoming.url ?? '').split('?', 1);
    if (!path.startsWith('/') || (incoming.headersDistinct['host'] ?? []).length !== 1) return malformed();
    const open = path === '/healthz';
    const refusal = options.look({ host, origin, authorization, open });
    if (refusal !== undefined) return refusal;
    if (ending || handle === undefined) return unavailable(ending ? 'the server is ending' : 'the server is starting');
    return running.size > MOST_REQUESTS && !open ? unavailable('too many requests are in work') : undefined;
  }

  /** Closes the connections without a request in work. Node's own function leaves those that have not sent one yet. */
  function closeIdle(): void {
    const busy = new Set([...running].map(({ socket }) => socket));
    for (const socket of connections) if (!busy.has(socket)) socket.destroy();
  }

  const { headerMs, bodyMs, lookMs, graceMs } = { ...PATIENCE, ...options.patience };
  const server = createServer({
    headersTimeout: headerMs,
    requestTimeout: bodyMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: lookMs,
    requireHostHeader: true,
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  server.on('request', take);
  server.on('checkContinue', take); // the body is asked for when somebody reads it
  await bind(server, options);
  server.on('error', (error) => options.log(`the HTTP server failed: ${error.message}`));

  return {
    port: (server.address() as AddressInfo).port,
    get requests() {
      return running.size;
    },
    serve(fetch) {
      handle = getRequestListener(fetch, { overrideGlobalObjects: false });
    },
    async close(drained) {
      ending = true;
      const deadline = performance.now() + graceMs;
      // A connection that is kept open after its last answer would hold up the end for all of that time.
      for (const outgoing of running) if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await settled(drained(), deadline);
      closeIdle();
      await settled(closed, deadline);
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

/** Waits for something until a moment has come. */
async function settled(work: Promise<void>, deadline: number): Promise<void> {
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
  { status, code, message, hint }: Omit<Refusal, 'status'> & { readonly status: number },
): void {
  const body = Buffer.from(JSON.stringify({ error: { code, message, hint } }));
  outgoing.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    // The body of a request that is refused is not read: what follows on the connection could be anything.
    Connection: 'close',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}

/** Few names, whatever is asked for: each is kept for ever. */
function routeOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  if (ROUTES.has(path)) return path;
  return path.startsWith('/v1/tools/') ? '/v1/tools/{name}' : 'other';
}
const ROUTES = new Set(['/healthz', '/readyz', '/metrics', '/openapi.json', '/v1/tools', '/mcp']);

function malformed() {
  return {
    status: 400,
    code: 'SERVE_MALFORMED',
    message: 'the request names no path of this server',
    hint: 'send a path that begins with a slash, and one Host header',
  };
}

function unavailable(message: string) {
  return { status: 503, code: 'SERVE_BUSY', message, hint: 'try again in a moment' };
}

function cannotBind(error: NodeJS.ErrnoException, host: string, port: number): Fault {
  if (error.code === 'EADDRINUSE')
    return new Fault('SERVE_PORT_TAKEN', `port ${port} of ${host} is taken by another program`, {
      hint: 'choose another with --port, or --port 0 for any that is free',
      details: { host, port },
      cause: error,
    });
  return new Fault('SERVE_ADDRESS', `${host}:${port} cannot be listened on: ${error.message}`, {
    hint: 'choose an address of this machine with --host and a port with --port',
    details: { host, port },
    cause: error,
  });
}
