/** The control page of a real server in this process, and a page as a raw WebSocket client. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { openOwnGateway } from '../../../../src/apps/daemon/compose.ts';
import { type RunningServer, serve } from '../../../../src/apps/serve/serve.ts';
import { newNonce, proofOf } from '../../../../src/page/socket/handshake.ts';
import type { Role } from '../../../../src/wire/page/login.ts';
import type { FromPage, Positions, ToPage } from '../../../../src/wire/page.ts';
import { until } from '../../../support/patience.ts';
import { makeHome, PROGRAM, type Home } from '../serving.ts';

export const INDEX = '<!doctype html><html lang="en"><head><title>Pincer</title></head><body>index</body></html>\n';

export interface PageServer {
  readonly home: Home;
  readonly running: RunningServer;
  readonly base: string;
  readonly port: number;
  readonly logged: readonly string[];
  /** A link that works once. */
  link(role: Role): Promise<string>;
  logIn(role: Role): Promise<Secrets>;
  /** Asks with the token of agents. */
  ask(path: string, init?: Pick<RequestInit, 'method'>): Promise<Response>;
  /** Ends the server, but keeps its folders. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface Secrets {
  /** With its name. */
  readonly cookie: string;
  readonly key: string;
}

/** Starts a server whose built page is a fixture. */
export async function pageServer(config?: object, home: Home = makeHome(config), port = 0): Promise<PageServer> {
  const page = join(home.folder, 'dist', 'page');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(page, '..', 'pincer.cjs'), '');
  writeFileSync(join(page, 'index.html'), INDEX);
  writeFileSync(join(page, 'assets', 'index-abc123.js'), 'plain');
  writeFileSync(join(page, 'assets', 'index-abc123.js.br'), 'brotli');
  writeFileSync(join(page, 'assets', 'index-abc123.js.gz'), 'gzip');
  writeFileSync(join(page, 'assets', 'late-def456.css'), 'css');
  writeFileSync(join(page, 'icon.svg'), '<svg/>');
  const logged: string[] = [];
  // The configuration of this home, and not of the machine.
  const restoreEnvironment = setEnvironment(home.env, [
    'HOME',
    'XDG_CONFIG_HOME',
    'XDG_STATE_HOME',
    'PINCER_STATE_DIR',
  ]);
  const running = await serve({
    program: join(home.folder, 'dist', 'pincer.cjs'),
    stateDir: home.stateDir,
    build: { version: 'test', time: 1, id: 'test' } as never,
    runtimeDir: join(home.folder, 'run'),
    open: (opened) => openOwnGateway(PROGRAM, opened),
    host: '127.0.0.1',
    port,
    entry: { workspace: home.workspace, agent: 'main', environment: { PATH: '/usr/bin:/bin', HOME: home.folder } },
    mcp: { asksInClient: false },
    linkFor: 'tester',
    log: (text) => void logged.push(text),
  });
  const base = running.ready.url.replace(/\/mcp$/u, '');
  const server: PageServer = {
    home,
    running,
    base,
    port: portOf({ base }),
    logged,
    link: (role) => server.running.link(role, 'tester'),
    logIn: async (role) => secretsOf(await fetch(await server.link(role))),
    ask: (path, init) => {
      const token = readFileSync(running.ready.tokenFile, 'utf8').trim();
      return fetch(`${base}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
    },
    async stop() {
      await running.close();
      restoreEnvironment();
    },
    async close() {
      await server.stop();
      await home.remove();
    },
  };
  return server;
}

function setEnvironment(values: Readonly<Record<string, string>>, names: readonly string[]): () => void {
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = values[name];
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}

export async function secretsOf(response: Response): Promise<Secrets> {
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  const key = /<meta name="pincer-key" content="([\w-]+)">/u.exec(await response.text())?.[1] ?? '';
  return { cookie, key };
}

export interface OpenOptions {
  readonly origin?: string;
  readonly host?: string;
  readonly cookie?: string;
  readonly authorization?: string;
  readonly path?: string;
  /** That the page got with its login (default: that of `base`). */
  readonly loginPort?: number;
}

/** A page: everything that it received, and calls. */
export class PageClient {
  readonly socket: WebSocket;
  readonly messages: ToPage[] = [];
  readonly frames: Buffer[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** The status of a refused handshake, and its body. */
  refused: { readonly status: number; readonly code?: string } | undefined;
  readonly #origin: string;
  readonly #loginPort: number;
  #nextId = 1;

  constructor(
    server: Pick<PageServer, 'base'>,
    { origin = server.base, path = '/page/socket', loginPort = portOf(server), ...headers }: OpenOptions,
  ) {
    this.#origin = origin;
    this.#loginPort = loginPort;
    this.socket = new WebSocket(`${server.base.replace('http', 'ws')}${path}`, {
      origin,
      headers: { ...headers },
    });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.frames.push(data);
      else this.messages.push(JSON.parse(String(data)) as ToPage);
    });
    this.socket.on('unexpected-response', (_, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      response.on('end', () => {
        const { error } = (body === '' ? {} : JSON.parse(body)) as { error?: { code: string } };
        this.closed = { code: 0, reason: 'refused' };
        this.refused = { status: response.statusCode ?? 0, ...(error === undefined ? {} : { code: error.code }) };
      });
    });
    this.socket.on('error', () => {}); // `close` follows
    this.socket.on('close', (code, reason) => (this.closed = { code, reason: String(reason) }));
  }

  send(message: FromPage): void {
    this.socket.send(JSON.stringify(message));
  }

  async opened(): Promise<void> {
    await until(() => this.socket.readyState !== WebSocket.CONNECTING || this.closed !== undefined, 'the handshake');
  }

  async received<T extends ToPage['type']>(
    type: T,
    fits: (message: Extract<ToPage, { type: T }>) => boolean = () => true,
  ): Promise<Extract<ToPage, { type: T }>> {
    const find = () =>
      this.messages.find((each): each is Extract<ToPage, { type: T }> => each.type === type && fits(each as never));
    await until(
      () => find() !== undefined || this.closed !== undefined,
      `${type}, got ${JSON.stringify(this.messages).slice(0, 500)}`,
    );
    const found = find();
    if (found === undefined) throw new Error(`closed before ${type}: ${JSON.stringify(this.closed)}`);
    return found;
  }

  async hello(key: string, after?: Positions) {
    await this.prove(key, after);
    return this.received('welcome');
  }

  /** Says hello and sends the proof, without a look at that of the server. */
  async prove(key: string, after?: Positions): Promise<void> {
    await this.opened();
    const pageNonce = newNonce();
    this.send({ type: 'hello', nonce: pageNonce, ...(after === undefined ? {} : { after }) });
    const { nonce: serverNonce } = await this.received('challenge');
    const handshake = { origin: this.#origin, port: this.#loginPort, pageNonce, serverNonce };
    this.send({ type: 'proof', proof: await proofOf('page', key, handshake) });
  }

  /** The value; a fault is thrown as its data. */
  async call<T>(method: string, params: unknown = {}): Promise<T> {
    const id = this.#nextId++;
    this.send({ type: 'call', id, method, params });
    const isAnswer = (each: ToPage): boolean => (each.type === 'result' || each.type === 'fault') && each.id === id;
    await until(() => this.messages.some(isAnswer) || this.closed !== undefined, `the answer of ${method}`);
    const answer = this.messages.find(isAnswer);
    if (answer?.type === 'result') return answer.value as T;
    throw answer?.type === 'fault' ? answer.fault : new Error(`closed: ${JSON.stringify(this.closed)}`);
  }

  async ended(): Promise<{ readonly code: number; readonly reason: string }> {
    await until(() => this.closed !== undefined, 'the end of the socket');
    return this.closed!;
  }

  close(): void {
    this.socket.terminate();
  }
}

function portOf({ base }: Pick<PageServer, 'base'>): number {
  return Number(new URL(base).port);
}

/** A page that is logged in. */
export async function openPage(
  server: Pick<PageServer, 'base'>,
  secrets: Secrets,
  after?: Positions,
): Promise<PageClient> {
  const page = new PageClient(server, { cookie: secrets.cookie });
  await page.hello(secrets.key, after);
  return page;
}
