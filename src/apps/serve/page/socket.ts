/**
 * The WebSocket of the control page: who may open one, and how many. A socket needs the right Host and the origin of this server
 * before the upgrade, the cookie of a login with it, and the proof that the page has the key of the same login.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { stackOf } from '../../../base/message-of.ts';
import type { AnyRefusal } from '../gate.ts';
import { PageConnection, type ConnectionOptions, LOGGED_OUT, NOT_LOGGED_IN } from './connection.ts';
import { loginCookie } from './cookie.ts';
import { EventFeed } from './event-feed.ts';
import { LOGIN_CHECK_MS, LONGEST_MESSAGE, MOST_PAGES, MOST_PAGES_OF_LOGIN, MOST_WAITING, PING_MS } from './limits.ts';
import type { Login } from '../../../wire/page/login.ts';
import type { ToPage } from '../../../wire/page.ts';

export interface PageSocketOptions
  extends Pick<ConnectionOptions, 'gateway' | 'methods' | 'served' | 'about' | 'record' | 'log'> {
  /** Of this server. */
  readonly port: number;
}

export interface PageSocket {
  /** Why an upgrade is refused; the Host header has passed the gate. */
  refusal(request: IncomingMessage): AnyRefusal | undefined;
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

export function createPageSocket(options: PageSocketOptions): PageSocket {
  const { port, gateway, log } = options;
  /** Only sockets with the cookie of a login: others would take the places of people. */
  const connections = new Map<WebSocket, PageConnection>();
  /** Those of them without a proof, the oldest first. */
  const waiting = new Set<WebSocket>();
  /** The ids of the logins of the others. */
  const admitted = new Map<WebSocket, string>();
  const answered = new WeakSet<WebSocket>();
  let server: WebSocketServer | undefined;

  const checkLogins = (): void => {
    for (const connection of connections.values())
      connection.checkLogin().catch((error: unknown) => log(`control page: ${stackOf(error)}`));
  };
  const feed = new EventFeed({
    gateway,
    caller: { agent: options.served.agent, operator: true },
    onLogins: checkLogins,
    onReplaced: () => {
      for (const connection of connections.values()) connection.restart();
    },
    log,
  });
  const loginTimer = setInterval(checkLogins, LOGIN_CHECK_MS).unref();
  const pingTimer = setInterval(() => {
    for (const socket of connections.keys()) {
      if (!answered.has(socket)) socket.terminate();
      answered.delete(socket);
      if (socket.readyState === socket.OPEN) socket.ping();
    }
  }, PING_MS).unref();

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const cookie = await loginCookie(request.headers.cookie, port, gateway);
    const { WebSocketServer } = await import('ws');
    server ??= new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: LONGEST_MESSAGE,
      perMessageDeflate: false,
      autoPong: false, // the connection answers within its bounds
    });
    if (socket.destroyed) return;
    server.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => undefined); // `close` follows
      if (cookie === undefined) refuseLogin(webSocket);
      else opened(webSocket, { cookie, origin: request.headers.origin ?? '' });
    });
  }

  function admit(webSocket: WebSocket, { id }: Login): boolean {
    const isClosed = !connections.has(webSocket); // while the login was checked
    if (isClosed || [...admitted.values()].filter((each) => each === id).length >= MOST_PAGES_OF_LOGIN) return false;
    waiting.delete(webSocket);
    admitted.set(webSocket, id);
    return true;
  }

  function opened(webSocket: WebSocket, page: Pick<ConnectionOptions, 'cookie' | 'origin'>): void {
    const [oldest] = waiting;
    // A page sends its proof at once. A program that got the cookie on another port must not keep people out.
    if (waiting.size >= MOST_WAITING) oldest?.terminate();
    webSocket.on('close', () => {
      connections.delete(webSocket);
      waiting.delete(webSocket);
      admitted.delete(webSocket);
    });
    webSocket.on('pong', () => answered.add(webSocket));
    answered.add(webSocket);
    waiting.add(webSocket);
    connections.set(
      webSocket,
      new PageConnection(webSocket, { ...options, ...page, feed, admit: (login) => admit(webSocket, login) }),
    );
  }

  return {
    refusal({ headers: { origin, host } }) {
      if (origin === undefined || !isOwnOrigin(origin, host ?? '', port)) return wrongOrigin();
      return admitted.size >= MOST_PAGES ? tooMany() : undefined;
    },
    accept(request, socket, head) {
      upgrade(request, socket, head).catch((error: unknown) => {
        log(`control page: ${stackOf(error)}`);
        socket.destroy();
      });
    },
    close() {
      clearInterval(loginTimer);
      clearInterval(pingTimer);
      for (const socket of connections.keys()) {
        socket.close(GOING_AWAY, 'the server is stopping');
        setTimeout(() => socket.terminate(), CLOSE_MS).unref();
      }
    },
  };
}

const GOING_AWAY = 1001;
const CLOSE_MS = 500;

/** A page cannot see why a handshake failed, so the reason comes as a message. */
function refuseLogin(socket: WebSocket): void {
  const message: ToPage = { type: 'logged-out', reason: NOT_LOGGED_IN };
  socket.send(JSON.stringify(message));
  socket.close(LOGGED_OUT, 'logged out');
  // A program that does not answer the close frame keeps its connection no longer.
  const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
  socket.on('close', () => clearTimeout(timer));
}

/**
 * A browser sends the origin of the page and the host that it connects to; a page of this server has both equal. On the port of
 * this server there is no TLS; on another one, a proxy or a forwarded port may add it.
 */
export function isOwnOrigin(origin: string, host: string, port: number): boolean {
  const own = host.toLowerCase();
  const given = origin.toLowerCase();
  return given === `http://${own}` || (given === `https://${own}` && !own.endsWith(`:${port}`));
}

function wrongOrigin(): AnyRefusal {
  return {
    status: 403,
    code: 'SERVE_ORIGIN',
    message: 'the socket of the control page accepts only the page of this server',
    hint: 'open the page at the address that pincer page prints',
  };
}

function tooMany(): AnyRefusal {
  return { status: 503, code: 'SERVE_BUSY', message: 'too many pages are open', hint: 'close one, or try again' };
}
