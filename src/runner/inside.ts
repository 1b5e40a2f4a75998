/** The runner inside of a sandbox: does what the gateway says, and ends everything when the gateway is gone. */
import type { Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import { type FrameKind, FrameReader, readCredit } from '../hosts/channel/frames.ts';
import { FrameSender } from '../hosts/channel/sending.ts';
import type { Launch } from '../hosts/process/launch.ts';
import { type Order, PROTOCOL, type Welcome } from '../hosts/process/runner-messages.ts';
import { Commands } from './commands.ts';
import { Proxy } from './egress/proxy.ts';
import { COMMANDS_OOM_PRIORITY } from './oom.ts';
import { PipePool } from './pipes.ts';
import { relayedPlumbing } from './relayed.ts';
import { type Channel, orderIn, type Role } from './role.ts';
import { isAloneHere, TaskWatch } from './task-watch.ts';
import { Terminals } from './terminals.ts';
import { Tools } from './tools/tools.ts';

interface Parts {
  readonly commands: Commands;
  readonly tools: Tools;
  readonly proxy: Proxy | undefined;
  readonly watch: TaskWatch | undefined;
}

/** Tells a login shell what its profile may have dropped. */
const BASE_PATH = 'PINCER_BASE_PATH';

/** How a message begins that starts a command; the gateway writes the type first. */
const LAUNCH = Buffer.from('{"type":"launch"');

export class Inside implements Role {
  readonly #sender: FrameSender;
  readonly #output: Writable;
  readonly #path: string | undefined;
  #parts: Parts | undefined;
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
    if (this.#parts === undefined) return;
    const { commands, tools, proxy, watch } = this.#parts;
    watch?.close();
    proxy?.close();
    await Promise.all([tools.end(), commands.end()]);
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
      this.#obey(id, orderIn(payload));
      return;
    }
    const { commands, tools, proxy } = this.#open();
    if (kind === 'part' || kind === 'last') tools.receive(kind, id, payload);
    else if (kind === 'net') proxy?.receive(id, payload);
    else if (kind === 'credit' && readCredit(payload).stream === 'net') proxy?.grant(id, readCredit(payload).bytes);
    else commands.receive(kind, id, payload);
  }

  /** Where there are too many processes, what would start another one is held until there is room again. */
  #waitsForRoom(kind: FrameKind, id: number, payload: Uint8Array): boolean {
    const watch = this.#parts?.watch;
    const starts = kind === 'last' || (kind === 'message' && LAUNCH.equals(payload.subarray(0, LAUNCH.length)));
    if (!starts || watch?.isOver !== true) return false;
    this.#held = [[kind, id, new Uint8Array(payload)]];
    const go = (): void => this.#takeHeld(true);
    watch.enforce().then(go, go); // what is held must not wait for ever
    return true;
  }

  #obey(id: number, order: Order): void {
    if (order.type === 'welcome') {
      this.#welcome(order);
      return;
    }
    const { commands, tools, proxy } = this.#open();
    switch (order.type) {
      case 'launch':
        commands.obey(id, { type: 'launch', launch: this.#withPath(order.launch) });
        break;
      case 'abort':
        tools.abort(id);
        break;
      case 'ping':
        this.#sender.message(0, { type: 'pong', n: order.n });
        break;
      case 'connected':
      case 'refused':
      case 'cut':
        proxy?.hear(id, order);
        break;
      default:
        commands.obey(id, order);
    }
  }

  /** A command for which nobody says where programs are looked for finds those of the image. */
  #withPath(launch: Launch): Launch {
    const path = this.#path;
    if (path === undefined || 'PATH' in launch.env) return launch;
    return { ...launch, env: { ...launch.env, PATH: path, [BASE_PATH]: path } };
  }

  #welcome(welcome: Welcome): void {
    const { owner, graceMs, places, mostTasks: most, proxyPort } = welcome;
    if (places === undefined) throw new Error('the gateway did not say where things are');
    const sender = this.#sender;
    const pipes = new PipePool([places.scratch, tmpdir()], 'for-all');
    pipes.begin();
    const proxy = proxyPort === undefined ? undefined : new Proxy(sender, proxyPort);
    const isFull = (resume: () => void): boolean => {
      if (!this.#output.writableNeedDrain) return false;
      this.#output.once('drain', resume);
      return true;
    };
    const terminals = new Terminals(sender, welcome);
    const commands = new Commands({
      owner,
      graceMs,
      pipes,
      terminals,
      plumbing: relayedPlumbing(sender, pipes),
      oomPriority: COMMANDS_OOM_PRIORITY,
      report: (id, news) => {
        // Many commands are over so soon that all there is to say about them can be said at once.
        if (news.type === 'started') sender.lazily(() => sender.message(id, news));
        else sender.message(id, news);
      },
    });
    const tools = new Tools(sender, welcome, isFull);
    const limited = (session: string): void => {
      const id = commands.idOf(session);
      if (id !== undefined) sender.message(id, { type: 'limited' });
    };
    const own = (): readonly number[] => [...terminals.pids, ...tools.pids];
    const isAlone = most !== undefined && isAloneHere();
    const watch = isAlone ? new TaskWatch({ owner, most, limited, own }) : undefined;
    this.#parts = { proxy, commands, tools, watch };
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

  #open(): Parts {
    if (this.#parts === undefined) throw new Error('the gateway gave an order before it said who it is');
    return this.#parts;
  }
}
