/** One open page: its greeting, then its messages. */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { stackOf } from '../../../base/message-of.ts';
import { isNestedTooDeep } from '../../../text/json/bounds.ts';
import type { Login, LoginHandshake } from '../../../wire/page/login.ts';
import { Mismatch } from '../../../wire/mismatch.ts';
import { type FromPage, fromPage, type ToPage } from '../../../wire/page.ts';
import { check } from '../../../wire/schema.ts';
import { canResume, type EventFeed } from './event-feed.ts';
import { sendEvents } from './event-sender.ts';
import { HELLO_MS, LONGEST_HELLO } from './limits.ts';
import { PageCalls, type PageCallsOptions } from './page-calls.ts';
import { PageSending } from './page-sending.ts';

export interface ConnectionOptions extends PageCallsOptions {
  readonly feed: EventFeed;
  /** The first half of the login, from the handshake. */
  readonly cookie: string;
  /** Of the page, from the handshake. */
  readonly origin: string;
  /** That this server listens on. */
  readonly port: number;
  readonly about: Pick<Extract<ToPage, { type: 'welcome' }>, 'version' | 'machine'>;
  /** The page has proved that it has the key. Returns whether there is room for another page of this login. */
  readonly admit: (login: Login) => boolean;
}

type Hello = Extract<FromPage, { type: 'hello' }>;

interface ReceivedHello {
  readonly handshake: LoginHandshake;
  readonly after: Hello['after'];
}

/** Close codes of the protocol, and one for a login that does not hold. */
const NOT_TEXT = 1003;
const PROTOCOL = 1008;
const RESTARTED = 1012;
const TRY_LATER = 1013;
export const LOGGED_OUT = 4401;

const NONCE_BYTES = 32;
export const NOT_LOGGED_IN = 'this browser is not logged in';
const REVOKED = 'this login was revoked or has expired';

export class PageConnection {
  readonly #sending: PageSending;
  readonly #options: ConnectionOptions;
  readonly #closed = new AbortController();
  /** The second and last message before the welcome is the proof. */
  #stage: 'hello' | 'proof' | 'checked' = 'hello';
  #hello: ReceivedHello | undefined;
  /** Undefined before the welcome and after the log-out. */
  #calls: PageCalls | undefined;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#options = options;
    this.#sending = new PageSending(socket);
    const late = setTimeout(() => this.#violation(`no proof of the login within ${HELLO_MS / 1000} s`), HELLO_MS);
    socket.on('message', (data: Buffer, isBinary) => {
      if (socket.readyState !== socket.OPEN) return; // it is being closed, and the page may not know it yet
      if (isBinary) this.#sending.close(NOT_TEXT, 'send text');
      else if (this.#stage === 'checked') this.#received(String(data));
      else this.#unproven(data.length > LONGEST_HELLO ? undefined : read(String(data)), late);
    });
    socket.on('ping', (data) => this.#sending.pong(data));
    socket.on('close', () => {
      clearTimeout(late);
      this.#end();
    });
  }

  /** Ends the connection if its login no longer holds. */
  async checkLogin(): Promise<void> {
    // Also while the proof is checked: the login may end after the check and before the welcome.
    if (this.#stage === 'checked' && !this.#closed.signal.aborted) await this.#hasLogin();
  }

  /** The page connects again, and learns that it must load its lists. */
  restart(): void {
    this.#sending.close(RESTARTED, 'events are missing: connect again');
  }

  #unproven(message: FromPage | undefined, late: NodeJS.Timeout): void {
    const failed = (error: unknown): void => this.#failed(error);
    if (this.#stage === 'hello' && message?.type === 'hello') {
      this.#stage = 'proof';
      this.#challenge(message).catch(failed);
    } else if (this.#hello !== undefined && message?.type === 'proof') {
      clearTimeout(late);
      this.#stage = 'checked';
      this.#checkProof(message.proof, this.#hello).catch(failed);
    } else this.#violation(this.#stage === 'hello' ? 'the first message is not hello' : 'a message before the proof');
  }

  /** The server proves itself first: a page sends nothing else to a program that took the port of a stopped server. */
  async #challenge({ nonce: pageNonce, after }: Hello): Promise<void> {
    const { gateway, cookie, origin, port } = this.#options;
    const serverNonce = randomBytes(NONCE_BYTES).toString('base64url');
    const handshake = { origin, port, pageNonce, serverNonce };
    const proven = await (await gateway()).call('login.prove', { cookie, handshake });
    if (!proven.ok) {
      this.#logOut(NOT_LOGGED_IN);
      return;
    }
    this.#hello = { handshake, after };
    this.#sending.message({ type: 'challenge', nonce: serverNonce, proof: proven.proof });
  }

  async #checkProof(proof: string, { handshake, after }: ReceivedHello): Promise<void> {
    const { gateway, cookie, admit } = this.#options;
    const found = await (await gateway()).call('login.check', { cookie, page: { handshake, proof } });
    if (!found.ok) {
      this.#logOut(NOT_LOGGED_IN);
      return;
    }
    if (!admit(found.login)) {
      this.#sending.close(TRY_LATER, 'too many pages of this login are open: close one');
      return;
    }
    await this.#welcome(found.login, after);
  }

  async #welcome(login: Login, after: Hello['after']): Promise<void> {
    const { feed, about, served } = this.#options;
    const signal = this.#closed.signal;
    const range = await feed.range();
    if (signal.aborted) return;
    const isResumed = canResume(range, after);
    const positions = isResumed ? after : { store: range.store, notice: range.notice.last, audit: range.audit.last };
    this.#calls = this.#callsOf(login);
    this.#sending.message({
      type: 'welcome',
      login,
      now: Date.now(),
      ...about,
      workspace: served.workspace,
      agent: served.agent,
      positions,
      resume: isResumed ? 'resumed' : 'reset',
    });
    await sendEvents({ feed, sending: this.#sending, positions, signal, onReplaced: () => this.restart() });
  }

  #callsOf(login: Login): PageCalls {
    return new PageCalls(this.#options, {
      sending: this.#sending,
      login,
      hasLogin: () => this.#hasLogin(),
      signal: this.#closed.signal,
    });
  }

  #received(text: string): void {
    const message = read(text);
    const calls = this.#calls;
    if (message === undefined || message.type === 'hello' || message.type === 'proof' || calls === undefined)
      this.#violation(calls === undefined ? 'a message before welcome' : 'the message is invalid');
    else if (message.type === 'ping') this.#sending.message({ type: 'pong', id: message.id, now: Date.now() });
    else if (message.type === 'credit') calls.credit(message.id, message.bytes);
    else if (message.type === 'cancel') calls.cancel(message.id);
    else if (calls.isOpen(message.id)) this.#violation(`the id ${message.id} is in use`);
    else if (message.type === 'call') calls.call(message);
    else calls.follow(message);
  }

  async #hasLogin(): Promise<boolean> {
    const { ok } = await (await this.#options.gateway()).call('login.check', { cookie: this.#options.cookie });
    if (!ok && !this.#closed.signal.aborted) this.#logOut(REVOKED);
    return ok;
  }

  #logOut(reason: string): void {
    this.#calls = undefined;
    this.#sending.message({ type: 'logged-out', reason });
    this.#sending.close(LOGGED_OUT, 'logged out');
    this.#end();
  }

  #violation(reason: string): void {
    this.#sending.close(PROTOCOL, reason);
  }

  #failed(error: unknown): void {
    if (this.#closed.signal.aborted) return;
    this.#options.log(`control page: ${stackOf(error)}`);
    this.#sending.close(RESTARTED, 'the server failed: connect again');
  }

  #end(): void {
    this.#closed.abort();
    this.#sending.end();
  }
}

/** Undefined where the text is not a message of a page. */
function read(text: string): FromPage | undefined {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return check(fromPage, JSON.parse(text) as unknown, 'message');
  } catch (error) {
    if (error instanceof Mismatch || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
