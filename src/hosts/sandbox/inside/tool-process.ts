/** A process of the agent that runs the file tools on what is seen inside. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type FrameKind, FrameReader } from '../link/frames.ts';
import type { Order } from '../link/messages.ts';
import type { ToolCall } from '../../../wire/tool.ts';
import { FrameSender } from '../link/sending.ts';
import { makeFolder } from './folders.ts';
import { packAnswer } from './packing.ts';
import { ToolBench } from './tool-bench.ts';

/** As of most users; this process itself has that of a daemon, which shows its files to nobody. */
const USUAL_MASK = 0o022;

interface Running {
  readonly parts: Buffer[];
  readonly abort: AbortController;
}

export class ToolProcess {
  readonly #sender: FrameSender;
  readonly #running = new Map<number, Running>();
  #bench: ToolBench | undefined;

  constructor(input: Readable, output: Writable) {
    this.#sender = new FrameSender(output);
    const reader = new FrameReader();
    input.on('data', (bytes: Buffer) => reader.read(bytes, (kind, id, payload) => this.#take(kind, id, payload)));
  }

  /** A tool writes its files in one go, so there is nothing to wait for. */
  async end(): Promise<void> {
    for (const { abort } of this.#running.values()) abort.abort();
  }

  #take(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind === 'message') {
      this.#obey(id, JSON.parse(Buffer.from(payload).toString('utf8')) as Order);
      return;
    }
    const running = this.#running.get(id) ?? { parts: [], abort: new AbortController() };
    this.#running.set(id, running);
    running.parts.push(Buffer.from(payload));
    if (kind === 'last') void this.#run(id, running);
  }

  #obey(id: number, order: Order): void {
    if (order.type === 'welcome') {
      this.#bench = new ToolBench({ ...order.places, stateDir: madeFolder(order.places.stateDir) });
    } else if (order.type === 'abort') this.#running.get(id)?.abort.abort();
  }

  async #run(id: number, { parts, abort }: Running): Promise<void> {
    const call = JSON.parse(Buffer.concat(parts).toString('utf8')) as ToolCall;
    parts.length = 0;
    if (this.#bench === undefined) throw new Error('the agent called a tool before it said where things are');
    process.umask(call.context.umask ?? USUAL_MASK);
    const result = await this.#bench.call(call, abort.signal);
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
