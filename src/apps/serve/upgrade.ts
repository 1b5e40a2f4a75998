/** Requests that offer another protocol: the WebSocket of the control page, and all others. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AnyRefusal } from './gate.ts';

/** The WebSocket of a path, and the page around it. */
export interface Upgrades {
  readonly path: string;
  refusal(incoming: IncomingMessage): AnyRefusal | undefined;
  accept(incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** What a person's browser gets instead of a refusal for want of a token, where the server has nothing at the path. */
  notFound(): string;
}

/** The client may keep its side open, and no timeout of HTTP ends a connection after an upgrade. */
export function refuseUpgrade(socket: Duplex, { status, code, message, hint }: AnyRefusal): void {
  const body = JSON.stringify({ error: { code, message, hint } });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n`;
  const text = `${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
  socket.end(text, () => socket.destroy());
}

/**
 * A request that offers another protocol is answered as if it did not, as HTTP allows: some clients offer HTTP/2 in every first
 * request. Node has stopped parsing at its body, so the request goes in again without the offer.
 */
export function answerWithoutUpgrade(server: Server, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines: string[] = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = incoming.rawHeaders.slice(at, at + 2);
    if (!/^(?:upgrade|connection|http2-settings)$/iu.test(name)) lines.push(`${name}: ${value}\r\n`);
  }
  const start = `${incoming.method} ${incoming.url} HTTP/${incoming.httpVersion}\r\n${lines.join('')}Connection: close\r\n\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(start, 'latin1'), head]));
  server.emit('connection', socket);
}
