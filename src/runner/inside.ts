/** The agent inside of a sandbox: does what the gateway says, and ends everything when the gateway is gone. */
import type { Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import { type FrameKind, FrameReader, readCredit } from '../hosts/channel/frames.ts';
import { type InsideLaunch, type Order, PROTOCOL } from '../hosts/sandbox/link/messages.ts';
import { FrameSender } from '../hosts/channel/sending.ts';
import { Commands } from './commands.ts';
import type { Channel, Role } from './role.ts';
import { Proxy } from './egress/proxy.ts';
import { PipeShelf } from './named-pipes.ts';
import { Terminals } from './terminals.ts';
import { isAloneHere, TaskWatch } from './task-watch.ts';
import { Tools } from './tools.ts';

type Welcome = Extract<Order, { type: 'welcome' }>;

interface Rooms {
  readonly welcome: Welcome;
  readonly commands: Commands;
  readonly terminals: Terminals;
  readonly tools: Tools;
  readonly pipes: PipeShelf;
  readonly proxy: Proxy | undefined;
  readonly watch: TaskWatch | undefined;
}

/** What is still running at the end gets no more than this. */
const LAST_GRACE_MS = 1000;
/** Tells a login shell what its profile may have dropped. */
const BASE_PATH = 'PINCER_BASE_PATH';

/** How a message begins that starts a command; the gateway writes the type first. */
const LAUNCH = Buffer.from('{"type":"launch"');

export class Inside implements Role {
  readonly #sender: FrameSender;
  readonly #output: Writable;
  readonly #path: string | undefined;
  #rooms: Rooms | undefined;
  /** What came while the way out was being opened: no command shall find it closed. */
  #held: (readonly [kind: FrameKind, id: number, payload: Uint8Array])[] | undefined;

  /** `path` is where the place that it runs in looks for programs. */
  constructor({ input, output }: Channel, path?: string) {
    this.#sender = new FrameSender(output);
    this.#output = output;
    this.#path = path;
    const reader = new FrameReader();
    input.on('data', (bytes: Buffer) => reader.read(bytes, (kind, id, payload) => this.#take(kind, id, payload)));
    this.#sender.message(0, { type: 'hello', protocol: PROTOCOL });
  }

  /** Ends all that was started. */
  async end(): Promise<void> {
    const { welcome, commands, terminals, tools, pipes, proxy, watch } = this.#rooms ?? {};
    watch?.close();
    const grace = Math.min(welcome?.graceMs ?? 0, LAST_GRACE_MS);
    proxy?.close();
    await Promise.all([tools?.end(), commands?.endAll(grace), terminals?.endAll(grace)]);
    await pipes?.close();
  }

  #take(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (this.#held !== undefined) {
      this.#held.push([kind, id, new Uint8Array(payload)]);
      return;
    }
    if (!this.#waitsForRoom(kind, id, payload)) this.#handle(kind, id, payload);
  }

  #handle(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind === 'message') {
      this.#obey(id, JSON.parse(Buffer.from(payload).toString('utf8')) as Order, payload);
      return;
    }
    const { commands, terminals, tools, proxy } = this.#open();
    if (kind === 'part' || kind === 'last') tools.receive(kind, id, payload);
    else if (kind === 'net') proxy?.receive(id, payload);
    else if (kind === 'in') {
      if (terminals.pass(kind, id, payload)) return;
      const bytes = new Uint8Array(payload);
      commands.with(id, (handle) => handle.input(bytes));
    } else if (kind === 'credit') {
      const { stream, bytes } = readCredit(payload);
      if (stream === 'net') proxy?.grant(id, bytes);
      else if (!terminals.pass(kind, id, payload) && stream !== 'in')
        commands.with(id, (handle) => handle.grant(stream, bytes));
    }
  }

  /** Where there are too many processes, what would start another one is held until there is room again. */
  #waitsForRoom(kind: FrameKind, id: number, payload: Uint8Array): boolean {
    const watch = this.#rooms?.watch;
    const starts = kind === 'last' || (kind === 'message' && LAUNCH.equals(payload.subarray(0, LAUNCH.length)));
    if (!starts || watch?.isOver !== true) return false;
    this.#held = [[kind, id, new Uint8Array(payload)]];
    const go = (): void => this.#takeHeld(true);
    watch.enforce().then(go, go); // what is held must not wait for ever
    return true;
  }

  #obey(id: number, order: Order, payload: Uint8Array): void {
    if (order.type === 'welcome') {
      this.#welcome(order);
      return;
    }
    const { commands, terminals, tools, proxy } = this.#open();
    switch (order.type) {
      case 'launch':
        this.#launch(id, order.launch);
        break;
      case 'kill':
        this.#kill(id, order);
        break;
      case 'endInput':
        if (!terminals.pass('message', id, payload)) commands.with(id, (handle) => handle.endInput());
        break;
      case 'interrupt':
        if (!terminals.pass('message', id, payload)) commands.interrupt(id);
        break;
      case 'resize':
        terminals.pass('message', id, payload);
        break;
      case 'abort':
        tools.abort(id);
        break;
      case 'ping':
        this.#sender.message(0, { type: 'pong', n: order.n });
        break;
      default:
        proxy?.hear(id, order);
    }
  }

  /** A command for which nobody says where programs are looked for finds those of the image. */
  #launch(id: number, asked: InsideLaunch): void {
    const { commands, terminals } = this.#open();
    const path = this.#path;
    const env = path === undefined || 'PATH' in asked.env ? asked.env : { ...asked.env, PATH: path, [BASE_PATH]: path };
    if (asked.pty === undefined) commands.launch(id, { ...asked, env });
    else terminals.launch(id, { ...asked, env });
  }

  #kill(id: number, { n, session, graceMs }: Extract<Order, { type: 'kill' }>): void {
    const { commands, terminals } = this.#open();
    const hunt = terminals.kill(id, graceMs) ?? commands.kill(id, session, graceMs);
    void hunt.then((ok) => this.#sender.message(id, { type: 'killed', n, ok }));
  }

  #welcome(welcome: Welcome): void {
    const sender = this.#sender;
    const pipes = new PipeShelf([welcome.places.scratch, tmpdir()]);
    pipes.begin();
    const proxy = welcome.proxyPort === undefined ? undefined : new Proxy(sender, welcome.proxyPort);
    const isFull = (resume: () => void): boolean => {
      if (!this.#output.writableNeedDrain) return false;
      this.#output.once('drain', resume);
      return true;
    };
    const commands = new Commands(sender, welcome, pipes);
    const terminals = new Terminals(sender, welcome);
    const tools = new Tools(sender, welcome, isFull);
    const { owner, mostTasks: most } = welcome;
    const limited = (session: string): void => {
      const id = commands.idOf(session) ?? terminals.idOf(session);
      if (id !== undefined) sender.message(id, { type: 'limited' });
    };
    const own = (): readonly number[] => [...terminals.pids, ...tools.pids];
    const isAlone = most !== undefined && isAloneHere();
    const watch = isAlone ? new TaskWatch({ owner, most, limited, own }) : undefined;
    this.#rooms = { welcome, pipes, proxy, commands, terminals, tools, watch };
    if (proxy === undefined) return;
    this.#held = [];
    void proxy.opened.then(() => this.#takeHeld());
  }

  /** `hasRoom`: the first of them has waited for room, and is not asked again. */
  #takeHeld(hasRoom = false): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [i, each] of held.entries()) {
      if (this.#held !== undefined) (this.#held as typeof held).push(each);
      else if (hasRoom && i === 0) this.#handle(...each);
      else this.#take(...each);
    }
  }

  #open(): Rooms {
    if (this.#rooms === undefined) throw new Error('the gateway gave an order before it said who it is');
    return this.#rooms;
  }
}
