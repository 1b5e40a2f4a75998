/**
 * What a program says to a proxy first: `CONNECT host:port`, a request with a whole address, or SOCKS 5. A reader looks at
 * all that has come so far, again and again, until it is enough.
 */

/** Where the program wants to go. */
export interface Wish {
  readonly kind: 'wish';
  readonly host: string;
  readonly port: number;
  /** Said to the program when the way is open, and when it is not. */
  readonly welcome: string;
  readonly refusal: (reason: string) => string;
  /** Sent on first. */
  readonly first: Buffer;
}

export type Greeting =
  | Wish
  /** More is needed; `answer` is said meanwhile, and so many bytes are done with. */
  | { readonly kind: 'more'; readonly answer?: string; readonly used?: number }
  | { readonly kind: 'wrong'; readonly answer: string };

const LONGEST_HEAD = 64 * 1024;
const SOCKS = 5;

/** Reads what a program said so far; `isSocks` after it was answered once as SOCKS. */
export function readGreeting(said: Buffer, isSocks: boolean): Greeting {
  if (said.length === 0) return { kind: 'more' };
  if (isSocks) return readSocksRequest(said);
  return said[0] === SOCKS ? readSocksHello(said) : readHttp(said);
}

function readHttp(said: Buffer): Greeting {
  const end = said.indexOf('\r\n\r\n');
  if (end < 0) return said.length > LONGEST_HEAD ? wrong(431, 'the head of the request is too long') : { kind: 'more' };
  const [line = '', ...headers] = said.toString('latin1', 0, end).split('\r\n');
  const rest = said.subarray(end + 4);
  const tunnel = /^CONNECT (\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):(\d{1,5}) HTTP\/1\.[01]$/u.exec(line);
  if (tunnel !== null)
    return {
      kind: 'wish',
      host: tunnel[1] ?? '',
      port: Number(tunnel[2]),
      welcome: 'HTTP/1.1 200 Connection established\r\n\r\n',
      refusal: httpRefusal,
      first: rest,
    };
  const request =
    /^([A-Z]+) http:\/\/(\[[0-9a-fA-F:.]+\]|[^\s:[\]/?#@]+)(?::(\d{1,5}))?([/?][^\s]*)? (HTTP\/1\.[01])$/iu.exec(line);
  if (request === null)
    return wrong(400, 'this is a proxy: it takes CONNECT, requests with a whole http:// address, and SOCKS 5');
  const [, method = '', host = '', port = '80', path = '/', version = ''] = request;
  // One connection goes to one place, so the next request has to come on another one.
  const kept = headers.filter((header) => !/^(?:proxy-|connection:|keep-alive:)/iu.test(header));
  const target = path.startsWith('/') ? path : `/${path}`;
  const head = [`${method} ${target} ${version}`, ...kept, 'Connection: close', '', ''].join('\r\n');
  const first = Buffer.concat([Buffer.from(head, 'latin1'), rest]);
  return { kind: 'wish', host, port: Number(port), welcome: '', refusal: httpRefusal, first };
}

function wrong(status: number, message: string): Greeting {
  return { kind: 'wrong', answer: httpAnswer(`${status} ${status === 400 ? 'Bad Request' : 'Too Large'}`, message) };
}

function httpRefusal(reason: string): string {
  const isWorld = reason === 'unreachable' || reason === 'not-found';
  const message = isWorld
    ? `the place could not be reached (${reason})`
    : `the sandbox lets nothing through to this place (${reason}); the operator's sandbox.network.allow decides`;
  return httpAnswer(isWorld ? '502 Bad Gateway' : '403 Forbidden', message);
}

function httpAnswer(status: string, message: string): string {
  const head = ['Content-Type: text/plain', `Content-Length: ${message.length + 1}`, 'Connection: close'];
  return `HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${message}\n`;
}

/** Version, number of ways to say who one is, those ways; `0` is to say nothing. */
function readSocksHello(said: Buffer): Greeting {
  const length = 2 + (said[1] ?? Number.POSITIVE_INFINITY);
  if (said.length < length) return { kind: 'more' };
  if (!said.subarray(2, length).includes(0)) return { kind: 'wrong', answer: '\x05\xff' };
  return { kind: 'more', answer: '\x05\x00', used: length };
}

/** Version, command, nothing, kind of address, address, port. */
function readSocksRequest(said: Buffer): Greeting {
  if (said.length < 5) return { kind: 'more' };
  const kind = said[3];
  const length = kind === 1 ? 4 : kind === 4 ? 16 : kind === 3 ? 1 + (said[4] ?? 0) : 0;
  if (said[0] !== SOCKS || said[1] !== 1 || length === 0) return { kind: 'wrong', answer: socksAnswer(7) };
  const end = 4 + length;
  if (said.length < end + 2) return { kind: 'more' };
  return {
    kind: 'wish',
    host: socksHost(kind ?? 0, said.subarray(4, end)),
    port: said.readUInt16BE(end),
    welcome: socksAnswer(0),
    refusal: (reason) => socksAnswer(reason === 'unreachable' || reason === 'not-found' ? 4 : 2),
    first: said.subarray(end + 2),
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
