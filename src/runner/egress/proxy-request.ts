/**
 * Reads the request of a program to the proxy: `CONNECT host:port`, a request with an absolute URL, or SOCKS 5. The parser gets all
 * bytes so far, again and again, until the request is complete.
 */

/** A complete request. */
export interface ConnectRequest {
  readonly kind: 'connect';
  readonly host: string;
  readonly port: number;
  /** Sent to the program when the connection is open, and when it is refused. */
  readonly welcome: string;
  readonly refusal: (reason: string) => string;
  /** The first bytes for the server. */
  readonly first: Buffer;
}

export type ProxyRequest =
  | ConnectRequest
  /** Incomplete. `answer` is sent to the program, and the first `used` bytes are dropped. */
  | { readonly kind: 'more'; readonly answer?: string; readonly used?: number }
  | { readonly kind: 'wrong'; readonly answer: string };

const LONGEST_HEAD = 64 * 1024;
const SOCKS = 5;

/** `isSocks`: the first message of SOCKS was answered. */
export function readProxyRequest(bytes: Buffer, isSocks: boolean): ProxyRequest {
  if (bytes.length === 0) return { kind: 'more' };
  if (isSocks) return readSocksRequest(bytes);
  return bytes[0] === SOCKS ? readSocksHello(bytes) : readHttp(bytes);
}

function readHttp(bytes: Buffer): ProxyRequest {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0)
    return bytes.length > LONGEST_HEAD ? wrong(431, 'the head of the request is too long') : { kind: 'more' };
  const [line = '', ...headers] = bytes.toString('latin1', 0, end).split('\r\n');
  const rest = bytes.subarray(end + 4);
  const tunnel = /^CONNECT (\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):(\d{1,5}) HTTP\/1\.[01]$/u.exec(line);
  if (tunnel !== null)
    return {
      kind: 'connect',
      host: tunnel[1] ?? '',
      port: Number(tunnel[2]),
      welcome: 'HTTP/1.1 200 Connection established\r\n\r\n',
      refusal: httpRefusal,
      first: rest,
    };
  const request =
    /^([A-Z]+) http:\/\/(\[[0-9a-fA-F:.]+\]|[^\s:[\]/?#@]+)(?::(\d{1,5}))?([/?][^\s]*)? (HTTP\/1\.[01])$/iu.exec(line);
  if (request === null)
    return wrong(400, 'this is a proxy: it accepts CONNECT, requests with an absolute http:// URL, and SOCKS 5');
  const [, method = '', host = '', port = '80', path = '/', version = ''] = request;
  // A connection goes to one server, so the next request needs another connection.
  const kept = headers.filter((header) => !/^(?:proxy-|connection:|keep-alive:)/iu.test(header));
  const target = path.startsWith('/') ? path : `/${path}`;
  const head = [`${method} ${target} ${version}`, ...kept, 'Connection: close', '', ''].join('\r\n');
  const first = Buffer.concat([Buffer.from(head, 'latin1'), rest]);
  return { kind: 'connect', host, port: Number(port), welcome: '', refusal: httpRefusal, first };
}

function wrong(status: number, message: string): ProxyRequest {
  return { kind: 'wrong', answer: httpAnswer(`${status} ${status === 400 ? 'Bad Request' : 'Too Large'}`, message) };
}

function httpRefusal(reason: string): string {
  const isWorld = reason === 'unreachable' || reason === 'not-found';
  const message = isWorld
    ? `the server could not be reached (${reason})`
    : `the sandbox may not connect to this server (${reason}); see the operator's setting sandbox.network.allow`;
  return httpAnswer(isWorld ? '502 Bad Gateway' : '403 Forbidden', message);
}

function httpAnswer(status: string, message: string): string {
  const head = ['Content-Type: text/plain', `Content-Length: ${message.length + 1}`, 'Connection: close'];
  return `HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${message}\n`;
}

/** Version, number of authentication methods, methods; `0` is none. */
function readSocksHello(bytes: Buffer): ProxyRequest {
  const length = 2 + (bytes[1] ?? Number.POSITIVE_INFINITY);
  if (bytes.length < length) return { kind: 'more' };
  if (!bytes.subarray(2, length).includes(0)) return { kind: 'wrong', answer: '\x05\xff' };
  return { kind: 'more', answer: '\x05\x00', used: length };
}

/** Version, command, reserved, address type, address, port. */
function readSocksRequest(bytes: Buffer): ProxyRequest {
  if (bytes.length < 5) return { kind: 'more' };
  const kind = bytes[3];
  const length = kind === 1 ? 4 : kind === 4 ? 16 : kind === 3 ? 1 + (bytes[4] ?? 0) : 0;
  if (bytes[0] !== SOCKS || bytes[1] !== 1 || length === 0) return { kind: 'wrong', answer: socksAnswer(7) };
  const end = 4 + length;
  if (bytes.length < end + 2) return { kind: 'more' };
  return {
    kind: 'connect',
    host: socksHost(kind ?? 0, bytes.subarray(4, end)),
    port: bytes.readUInt16BE(end),
    welcome: socksAnswer(0),
    refusal: (reason) => socksAnswer(reason === 'unreachable' || reason === 'not-found' ? 4 : 2),
    first: bytes.subarray(end + 2),
  };
}

function socksHost(kind: number, bytes: Buffer): string {
  if (kind === 3) return bytes.toString('latin1', 1);
  if (kind === 1) return bytes.join('.');
  return `[${Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(':')}]`;
}

function socksAnswer(code: number): string {
  return `\x05${String.fromCharCode(code)}\x00\x01\x00\x00\x00\x00\x00\x00`;
}
