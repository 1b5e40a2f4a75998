/** A command of a pipeline that runs in this process. */
import { messageOf } from '../../base/message-of.ts';
import type { Collector } from './collector.ts';
import type { Descriptors, Target } from './descriptors.ts';
import type { Part, PartEnd, PartOutput } from './part.ts';

/** What a verb reads and writes. */
export interface VerbStreams {
  /** Ends with the input. */
  readonly input: () => AsyncIterable<Uint8Array>;
  readonly out: (bytes: Uint8Array | string) => void;
  readonly err: (bytes: Uint8Array | string) => void;
}

export interface VerbPartOptions {
  readonly descriptors: Descriptors;
  readonly output: PartOutput;
  readonly collectorOf: (path: string) => Collector;
  /** The content of an input that is a file. */
  readonly read: (path: string) => Uint8Array;
  readonly overflowed: () => void;
  /** Returns its status. */
  readonly work: (streams: VerbStreams) => number | Promise<number>;
}

export function startVerb({ descriptors, output, collectorOf, read, overflowed, work }: VerbPartOptions): Part {
  const queue = new InputQueue();
  let isStopped = false;
  const writeTo = (target: Target) => (text: Uint8Array | string) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if (target.to === 'next') {
      if (!isStopped) output.next(bytes);
    } else if (target.to === 'out' || target.to === 'err') output.write(target.to, bytes);
    else if (target.to === 'file' && !collectorOf(target.path).push(bytes)) overflowed();
  };
  const { input: source } = descriptors;
  async function* input(): AsyncGenerator<Uint8Array> {
    if (source.from === 'text') yield Buffer.from(source.text);
    else if (source.from === 'file') yield read(source.path);
    else if (source.from !== 'null') yield* queue;
  }
  const err = writeTo(descriptors.errors);
  const run = async (): Promise<PartEnd> => {
    await Promise.resolve(); // the part after it has to exist
    try {
      return { kind: 'status', status: await work({ input, out: writeTo(descriptors.output), err }) };
    } catch (error) {
      err(`pincer: ${messageOf(error)}\n`);
      return { kind: 'status', status: 1 };
    } finally {
      queue.close();
    }
  };
  return {
    input: queue,
    stopOutput: () => (isStopped = true),
    launched: undefined,
    started: Promise.resolve(),
    ended: run(),
  };
}

/** Bytes that wait for the verb; a write resolves when it has taken them. */
class InputQueue implements AsyncIterable<Uint8Array> {
  readonly #waiting: { readonly bytes: Uint8Array; readonly taken: () => void; readonly closed: () => void }[] = [];
  #isEnded = false;
  #isClosed = false;
  #changed: () => void = () => {};

  write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('it reads no input'));
    return new Promise((taken, reject) => {
      this.#waiting.push({ bytes, taken, closed: () => reject(new Error('it reads no input')) });
      this.#changed();
    });
  }

  end(): void {
    this.#isEnded = true;
    this.#changed();
  }

  close(): void {
    this.#isClosed = true;
    for (const { closed } of this.#waiting.splice(0)) closed();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next.bytes;
        next.taken();
      } else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }
}
