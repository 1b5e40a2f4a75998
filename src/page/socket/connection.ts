/** The one connection of a page: it checks the server, says hello, resumes by number, notices a silent link, and tries again. */
import { type FromPage, type Positions, type ToPage, toPage } from '../../wire/page.ts';
import { check } from '../../wire/schema.ts';
import { backoffMs } from './backoff.ts';
import { CallError, type CallFault, type CallMethod, Calls, type PageParams, type PageResult } from './calls.ts';
import { newNonce, proofOf } from './handshake.ts';
import { readOutputFrame } from './output-frame.ts';
import { type OutputListener, Subscriptions } from './subscriptions.ts';

export type Welcome = Extract<ToPage, { type: 'welcome' }>;
type Challenge = Extract<ToPage, { type: 'challenge' }>;
export type PageEvent = Extract<ToPage, { type: 'notice' | 'audit' }>;

const PING_MS = 15_000;
/** A ping that is not answered by then is seen at the next one, and the link is lost. */
const PONG_MS = 10_000;
/** From the start of a connection to the welcome. */
const WELCOME_MS = 30_000;
/** A link that was silent for longer is asked at once when the page wakes, and must answer soon. */
const SILENCE_MS = 30_000;
const WAKE_PONG_MS = 2_000;
const NO_LINK: CallFault = {
  code: 'PAGE_NO_LINK',
  message: 'no link to the gateway',
  hint: 'nothing was sent; try again when the page is live',
};
const LINK_LOST: CallFault = {
  code: 'PAGE_LINK_LOST',
  message: 'the link was lost before the answer',
  hint: 'the gateway may have done it; check what the page shows when it is live, before you try again',
};

/** What the connection needs of a browser. */
export interface Surroundings {
  readonly open: () => WebSocket;
  readonly key: () => string;
  readonly origin: () => string;
  /** That the server of the login listens on. */
  readonly port: () => number;
  readonly now: () => number;
  readonly random: () => number;
}

export interface ConnectionListener {
  welcome(welcome: Welcome): void;
  /** Events are missing: the lists must be loaded again. */
  reset(): void;
  /** Called once for each number, in order. */
  event(event: PageEvent): void;
  /** The time of the server, whenever it is known anew. */
  clock(serverNow: number): void;
  /** Any message arrived: what is shown is as of now. */
  heard(): void;
  /** The server sent what this page does not know: they are of different versions. */
  unreadable(problem: string): void;
  lost(nextTryAt: number): void;
  loggedOut(reason: string): void;
  /** The server says, before it has proved itself, that it does not know this browser. */
  unknownBrowser(): void;
  /** Another program answers, or the key is of another login. */
  unprovenServer(): void;
}

export class Connection {
  readonly #surroundings: Surroundings;
  readonly #listener: ConnectionListener;
  readonly #calls = new Calls();
  readonly #subscriptions = new Subscriptions((message) => this.#send(message));
  #socket: WebSocket | undefined;
  #isProven = false;
  #isLive = false;
  #nonce = '';
  #isEnded = false;
  #positions: Positions | undefined;
  #lastId = 0;
  #attempt = 0;
  #heardAt = 0;
  /**
   * When the server must have answered what it was asked; undefined after any message since. Silence alone proves nothing: a
   * browser lets the timers of a hidden tab run once a minute, so pings are rare there.
   */
  #answerBy: number | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #probe: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(surroundings: Surroundings, listener: ConnectionListener) {
    this.#surroundings = surroundings;
    this.#listener = listener;
  }

  /** Connects now, also where it waits for the next try. */
  connect(): void {
    if (this.#isEnded || this.#socket !== undefined) return;
    clearTimeout(this.#retry);
    const socket = this.#surroundings.open();
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    this.#heardAt = this.#surroundings.now();
    this.#answerBy = this.#heardAt + WELCOME_MS;
    socket.addEventListener('open', () => {
      const after = this.#positions;
      this.#nonce = newNonce();
      this.#send({ type: 'hello', nonce: this.#nonce, ...(after === undefined ? {} : { after }) });
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket) return;
      if (this.#isProven) this.#receive(data);
      else void this.#receiveUnproven(socket, data);
    });
    socket.addEventListener('close', () => this.#lose(socket));
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => this.#beat(socket), PING_MS);
  }

  /** The tab is visible again, or the network is back: a link that is dead without notice is replaced soon. */
  wake(): void {
    const socket = this.#socket;
    if (socket === undefined) this.connect();
    else if (!this.#isLive) this.#replaceSilent(socket);
    else if (this.#isSilent()) {
      this.#ping(WAKE_PONG_MS);
      clearTimeout(this.#probe);
      this.#probe = setTimeout(() => this.#replaceSilent(socket), WAKE_PONG_MS);
    }
  }

  /** Ends it for good: after a logout. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#retry);
    if (this.#socket !== undefined) this.#lose(this.#socket);
  }

  /** Rejects with a `CallError` where the server answers with a fault or there is no link. Nothing is queued. */
  call<M extends CallMethod>(method: M, params: PageParams<M>, signal?: AbortSignal): Promise<PageResult<M>> {
    if (!this.#isLive) return Promise.reject(new CallError(NO_LINK));
    const id = this.#nextId();
    const result = this.#calls.add(id, method);
    signal?.addEventListener('abort', () => this.#send({ type: 'cancel', id }), { once: true });
    this.#send({ type: 'call', id, method, params });
    return result;
  }

  /** Ends the login of this browser. The server answers with `logged-out`. */
  logOut(): void {
    this.#send({ type: 'call', id: this.#nextId(), method: 'login.end', params: {} });
  }

  /** Follows the output of a session; the result ends it. */
  follow(sessionId: string, after: number, listener: OutputListener): () => void {
    const id = this.#nextId();
    this.#subscriptions.add(id, sessionId, after, listener);
    return () => this.#subscriptions.remove(id);
  }

  #nextId(): number {
    return ++this.#lastId;
  }

  #send(message: FromPage): void {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== socket.OPEN) return;
    if (this.#isLive || message.type === 'hello' || message.type === 'proof') socket.send(JSON.stringify(message));
  }

  #beat(socket: WebSocket): void {
    if (this.#answerBy !== undefined && this.#surroundings.now() >= this.#answerBy) this.#lose(socket);
    else this.#ping(PONG_MS);
  }

  #ping(answerWithin: number): void {
    const answerBy = this.#surroundings.now() + answerWithin;
    this.#answerBy = Math.min(this.#answerBy ?? answerBy, answerBy);
    this.#send({ type: 'ping', id: this.#nextId() });
  }

  #isSilent(): boolean {
    return this.#surroundings.now() - this.#heardAt > SILENCE_MS;
  }

  /** Connects again at once where the link did not answer. */
  #replaceSilent(socket: WebSocket): void {
    if (this.#socket !== socket || !this.#isSilent()) return;
    this.#lose(socket);
    this.connect();
  }

  /** Nothing of what an unproven server says is shown: it may be any program of this machine. */
  async #receiveUnproven(socket: WebSocket, data: unknown): Promise<void> {
    const message = readMessage(data);
    if (typeof message !== 'string' && message.type === 'logged-out') {
      this.end();
      this.#listener.unknownBrowser();
      return;
    }
    const proof = typeof message !== 'string' && message.type === 'challenge' ? await this.#answer(message) : undefined;
    if (this.#socket !== socket) return;
    if (proof === undefined) {
      this.end();
      this.#listener.unprovenServer();
      return;
    }
    this.#isProven = true;
    this.#send({ type: 'proof', proof });
  }

  /** The proof of this page; undefined where the proof of the server is wrong. */
  async #answer({ nonce, proof }: Challenge): Promise<string | undefined> {
    const { key: storedKey, origin, port } = this.#surroundings;
    const key = storedKey();
    const handshake = { origin: origin(), port: port(), pageNonce: this.#nonce, serverNonce: nonce };
    return proof === (await proofOf('server', key, handshake)) ? proofOf('page', key, handshake) : undefined;
  }

  #receive(data: unknown): void {
    this.#heardAt = this.#surroundings.now();
    this.#answerBy = undefined;
    const message = data instanceof ArrayBuffer ? readOutputFrame(data) : readMessage(data);
    if (message === undefined || typeof message === 'string')
      this.#listener.unreadable(message ?? 'a frame of output is too short');
    else if ('bytes' in message && 'stream' in message) void this.#subscriptions.output(message);
    else this.#handle(message);
    this.#listener.heard();
  }

  #handle(message: ToPage): void {
    switch (message.type) {
      case 'challenge':
        break; // only the first message is one
      case 'welcome':
        this.#welcome(message);
        break;
      case 'result':
        this.#calls.finish(message.id, message.value);
        break;
      case 'fault':
        if (!this.#subscriptions.fail(message.id, message.fault)) this.#calls.fail(message.id, message.fault);
        break;
      case 'notice':
      case 'audit':
        this.#apply(message);
        break;
      case 'reset':
        this.#positions = message.positions;
        this.#listener.reset();
        break;
      case 'gap':
        this.#subscriptions.gap(message.id, message.start, message.bytes);
        break;
      case 'end':
        this.#subscriptions.end(message.id, message.session);
        break;
      case 'pong':
        this.#listener.clock(message.now);
        break;
      case 'logged-out':
        this.#listener.loggedOut(message.reason);
        this.end();
        break;
    }
  }

  #welcome(message: Welcome): void {
    this.#isLive = true;
    this.#attempt = 0;
    if (this.#positions === undefined || message.resume === 'reset') this.#positions = message.positions;
    this.#listener.clock(message.now);
    this.#listener.welcome(message);
    this.#subscriptions.renew();
  }

  /** An event that was applied before is dropped. */
  #apply(event: PageEvent): void {
    const known = this.#positions;
    const seq = event.type === 'notice' ? event.notice.seq : event.entry.seq;
    if (known === undefined || seq <= known[event.type]) return;
    this.#positions = { ...known, [event.type]: seq };
    this.#listener.event(event);
  }

  #lose(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#isProven = false;
    this.#isLive = false;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#probe);
    socket.close();
    this.#calls.failAll(LINK_LOST);
    if (this.#isEnded) return;
    const delay = backoffMs(this.#attempt++, this.#surroundings.random());
    this.#retry = setTimeout(() => this.connect(), delay);
    this.#listener.lost(this.#surroundings.now() + delay);
  }
}

/** The message, or why it is none. */
function readMessage(data: unknown): ToPage | string {
  try {
    return check(toPage, JSON.parse(String(data)), 'message');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
