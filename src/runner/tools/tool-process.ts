/** A process of the agent that runs the file tools on what is seen inside. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FrameKind, FrameReader } from '../../hosts/channel/frames.ts';
import { ValueReader } from '../../hosts/channel/long-message.ts';
import { FrameSender } from '../../hosts/channel/sending.ts';
import type { Order } from '../../hosts/process/runner-messages.ts';
import type { ToolCall } from '../../wire/tool.ts';
import { makeFolder } from '../folders.ts';
import { packAnswer } from './packing.ts';
import { type Channel, orderIn, type Role } from '../role.ts';
import { Toolbox } from './toolbox.ts';

/** As of most users; this process itself has that of a daemon, which shows its files to nobody. */
const USUAL_MASK = 0o022;

export class ToolProcess implements Role {
  readonly #sender: FrameSender;
  readonly #values = new ValueReader();
  readonly #running = new Map<number, AbortController>();
  #toolbox: Toolbox | undefined;

  constructor({ input, output }: Channel) {
    this.#sender = new FrameSender(output);
    const reader = new FrameReader();
    input.on('data', (bytes: Buffer) => reader.read(bytes, (kind, id, payload) => this.#take(kind, id, payload)));
  }

  /** A tool writes its files in one go, so there is nothing to wait for. */
  async end(): Promise<void> {
    for (const abort of this.#running.values()) abort.abort();
  }

  #take(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind === 'message') {
      this.#obey(id, orderIn(payload));
      return;
    }
    const abort = this.#running.get(id) ?? new AbortController();
    this.#running.set(id, abort);
    const call = this.#values.receive(kind, id, payload);
    if (call !== undefined) void this.#run(id, JSON.parse(call.toString('utf8')) as ToolCall, abort.signal);
  }

  #obey(id: number, order: Order): void {
    if (order.type === 'abort') this.#running.get(id)?.abort();
    else if (order.type === 'welcome' && order.places !== undefined)
      this.#toolbox = new Toolbox({ ...order.places, stateDir: madeFolder(order.places.stateDir) });
  }

  async #run(id: number, call: ToolCall, signal: AbortSignal): Promise<void> {
    if (this.#toolbox === undefined) throw new Error('a tool was called before it was said where things are');
    process.umask(call.context.umask ?? USUAL_MASK);
    const result = await this.#toolbox.call(call, signal);
    this.#running.delete(id);
    await this.#sender.value(id, packAnswer(result));
  }
}

/** The folder, or one in the place for what may be lost, where it cannot be made. */
function madeFolder(path: string): string {
  try {
    makeFolder(path);
    return path;
  } catch {
    return mkdtempSync(join(tmpdir(), '.pincer-state-'));
  }
}
