/** The gateway's end of the channel to the agent inside of a sandbox. Everything that comes out of it may be an attack. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Fault } from '../../../base/fault.ts';
import type { Launcher } from '../../process/launch.ts';
import { HOME_INSIDE, SCRATCH_INSIDE } from '../profile.ts';
import { Breach, expectThat } from '../../channel/breach.ts';
import { Calls } from './calls.ts';
import { Commands } from './commands.ts';
import { Egress, type EgressOptions, PROXY_PORT } from '../egress/egress.ts';
import { BrokenFrame, type FrameKind, FrameReader, readCredit } from '../../channel/frames.ts';
import { type InsidePlaces, type Order, PROTOCOL } from '../../process/runner-messages.ts';
import { readMessage } from './untrusted.ts';
import { FrameSender } from '../../channel/sending.ts';
import type { ToolCallContext, ToolResult } from '../../../wire/tool.ts';

export interface LinkOptions {
  /** Called once, when something came out that the agent never says, or it does not do as it is told: end the sandbox. */
  readonly breakDown: (reason: string) => void;
  /** Between TERM and KILL (default: 3,000 ms). */
  readonly graceMs?: number;
  /** Stands in the environment of every command beside its session (default: random). */
  readonly owner?: string;
  /** Where the agent finds things, for those that are not at their usual place. */
  readonly places?: Partial<InsidePlaces>;
  /** The way out (default: none). */
  readonly egress?: EgressOptions;
  /** How many processes and threads there may be before a session is ended (default: not watched). */
  readonly mostTasks?: number;
  /** How long the agent may take to announce itself (default: 20 seconds). */
  readonly helloMs?: number;
}

export interface InsideLink {
  /** Starts commands inside. `close` ends them all, and the agent. */
  readonly launcher: Launcher;
  /** Resolves when the agent has announced itself; rejects with SANDBOX_BROKEN when it never will. */
  readonly ready: Promise<void>;
  /** Resolves when the channel is closed, with the reason in a few words. */
  readonly ended: Promise<string>;
  /** How many commands run. */
  readonly running: number;
  /** Runs a file tool inside. What the tool cannot do is a result; rejects with SANDBOX_BROKEN when the sandbox ends. */
  callTool(
    name: string,
    args: unknown,
    context?: ToolCallContext,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ToolResult>;
  /** The milliseconds until the agent answers; one that does not in time is broken down. */
  ping(patienceMs?: number): Promise<number>;
}

const PLACES: InsidePlaces = {
  workspace: '/workspace',
  stateDir: `${SCRATCH_INSIDE}/state`,
  scratch: SCRATCH_INSIDE,
  home: HOME_INSIDE,
};
const HELLO_MS = 20_000;
const PING_MS = 10_000;
/** It ends what it started before it goes. */
const LEAVE_MS = 10_000;
/** An agent that takes nothing in lets what is meant for it pile up here. */
const MOST_WAITING = 128 * 1024 * 1024;

/** Takes over the channel. Orders can be given at once; they wait for the agent. */
export function connectInside(channel: Duplex, options: LinkOptions): InsideLink {
  const link = new Link(channel, options);
  return {
    launcher: link.commands,
    ready: link.ready,
    ended: link.ended,
    get running() {
      return link.commands.running;
    },
    callTool: (tool, args, context = {}, { signal } = {}) => link.calls.call({ tool, args, context }, signal),
    ping: (patienceMs = PING_MS) => link.ping(patienceMs),
  };
}

class Link {
  readonly commands: Commands;
  readonly calls: Calls;
  readonly ready: Promise<void>;
  readonly ended: Promise<string>;
  readonly #channel: Duplex;
  readonly #options: LinkOptions;
  readonly #sender: FrameSender;
  readonly #egress: Egress | undefined;
  readonly #pings = new Map<number, (fault?: Fault) => void>();
  readonly #helloTimer: NodeJS.Timeout;
  #greeted: () => void = () => {};
  #notGreeted: (fault: Fault) => void = () => {};
  #resolveEnded: (reason: string) => void = () => {};
  #isReady = false;
  #isLeaving = false;
  #over: Fault | undefined;
  #nextId = 1;

  constructor(channel: Duplex, options: LinkOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#sender = new FrameSender(channel);
    const { graceMs = 3000, owner = randomBytes(8).toString('hex'), places = {}, egress } = options;
    const nextId = (): number => this.#issueId();
    const over = (): Fault | undefined => this.#over;
    const breakDown = (reason: string): void => this.#breakDown(reason);
    const sender = this.#sender;
    this.commands = new Commands({ sender, graceMs, nextId, over, breakDown, leave: () => this.#leave() });
    this.calls = new Calls({ sender, nextId, over });
    this.#egress = egress === undefined ? undefined : new Egress(egress, sender);
    this.ready = new Promise((resolve, reject) => {
      this.#greeted = resolve;
      this.#notGreeted = reject;
    });
    this.ready.catch(() => {}); // whoever starts something hears of it, too
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#helloTimer = setTimeout(
      () => this.#breakDown('its agent did not announce itself'),
      options.helloMs ?? HELLO_MS,
    );
    const reader = new FrameReader();
    channel.on('data', (bytes: Uint8Array) => this.#read(reader, bytes));
    channel.on('error', (error: Error) => this.#end(`its channel failed: ${error.message}`));
    channel.on('end', () => this.#end('its agent ended'));
    channel.on('close', () => this.#end('its channel was closed'));
    const welcome: Order = {
      type: 'welcome',
      owner,
      graceMs,
      places: { ...PLACES, ...places },
      ...(options.mostTasks === undefined ? {} : { mostTasks: options.mostTasks }),
      ...(egress === undefined ? {} : { proxyPort: egress.proxyPort ?? PROXY_PORT }),
    };
    sender.message(0, welcome);
  }

  async ping(patienceMs: number): Promise<number> {
    if (this.#over !== undefined) throw this.#over;
    const n = this.#issueId();
    const began = performance.now();
    const timer = setTimeout(() => this.#breakDown('its agent does not answer'), patienceMs);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#pings.set(n, (fault) => (fault === undefined ? resolve() : reject(fault)));
        this.#sender.message(0, { type: 'ping', n });
      });
    } finally {
      clearTimeout(timer);
    }
    return performance.now() - began;
  }

  #issueId(): number {
    if (this.#sender.waiting > MOST_WAITING) this.#breakDown('its agent takes nothing in');
    if (this.#nextId > 0xffff_ffff) this.#breakDown('it has had as many commands as can be counted');
    return this.#nextId++;
  }

  #read(reader: FrameReader, bytes: Uint8Array): void {
    if (this.#over !== undefined) return;
    try {
      reader.read(bytes, (kind, id, payload) => {
        if (this.#over === undefined) this.#take(kind, id, payload);
      });
    } catch (error) {
      if (!(error instanceof Breach) && !(error instanceof BrokenFrame)) throw error;
      this.#breakDown(error.message);
    }
  }

  #take(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind === 'message') {
      this.#hear(id, payload);
      return;
    }
    expectThat(this.#isReady, 'something before its announcement came out of it');
    if (kind === 'out' || kind === 'err') {
      const command = this.commands.find(id);
      expectThat(command !== undefined, 'output of no command came out of it');
      command.output(kind, payload);
    } else if (kind === 'part' || kind === 'last') this.calls.receive(kind, id, payload);
    else if (kind === 'net') {
      expectThat(this.#egress !== undefined, 'a connection without a way out came out of it');
      this.#egress.receive(id, payload);
    } else if (kind === 'credit') this.#credit(id, payload);
    else throw new Breach('input came out of it');
  }

  #credit(id: number, payload: Uint8Array): void {
    const { stream, bytes } = readCredit(payload);
    if (stream === 'net' && this.#egress !== undefined) {
      this.#egress.credit(id, bytes);
      return;
    }
    expectThat(stream === 'in', 'a credit for no input came out of it');
    const command = this.commands.find(id);
    if (command === undefined) this.commands.lateCredit(bytes);
    else command.credit(stream, bytes);
  }

  #hear(id: number, payload: Uint8Array): void {
    const news = readMessage(payload);
    if (news.type === 'hello') {
      expectThat(!this.#isReady, 'a second announcement came out of it');
      expectThat(news.protocol === PROTOCOL, 'its agent is of another version');
      this.#isReady = true;
      clearTimeout(this.#helloTimer);
      this.#greeted();
      return;
    }
    expectThat(this.#isReady, 'something before its announcement came out of it');
    if (news.type === 'pong') {
      const answer = this.#pings.get(news.n);
      expectThat(answer !== undefined, 'the answer to no question came out of it');
      this.#pings.delete(news.n);
      answer();
    } else if (news.type === 'killed') this.commands.killed(id, news);
    else if (news.type === 'connect' || news.type === 'cut') {
      expectThat(this.#egress !== undefined, 'a connection without a way out came out of it');
      this.#egress.hear(id, news);
    } else {
      const command = this.commands.find(id);
      expectThat(command !== undefined, `${news.type} of no command came out of it`);
      command.hear(news);
    }
  }

  #breakDown(reason: string): void {
    if (this.#over !== undefined) return;
    this.#end(reason);
    this.#options.breakDown(reason);
  }

  /** Says good-bye; the agent ends by itself when its channel does. */
  async #leave(): Promise<void> {
    if (this.#over === undefined) {
      this.#isLeaving = true;
      this.#channel.end();
      const patience = setTimeout(() => this.#breakDown('its agent did not leave'), LEAVE_MS);
      void this.ended.then(() => clearTimeout(patience));
    }
    await this.ended;
  }

  #end(reason: string): void {
    if (this.#over !== undefined) return;
    const said = this.#isLeaving ? 'it was closed' : reason;
    const fault = new Fault('SANDBOX_BROKEN', `the sandbox has ended: ${said}`, {
      hint: 'the next command gets a new one; if this happens again, see pincer sandbox explain',
    });
    this.#over = fault;
    clearTimeout(this.#helloTimer);
    this.#notGreeted(fault);
    this.#egress?.close();
    this.commands.loseAll();
    this.calls.loseAll(fault);
    for (const answer of this.#pings.values()) answer(fault);
    this.#pings.clear();
    this.#channel.destroy();
    this.#resolveEnded(said);
  }
}
