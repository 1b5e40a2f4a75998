/** Programs that are neighbours in a pipeline: one launch of the runner. */
import { constants } from 'node:os';
import type {
  Exit,
  InputStream,
  Launch,
  Launched,
  Launcher,
  LaunchStage,
  OutputStream,
  StageStreams,
} from '../process/launch.ts';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { Binary } from '../../wire/policy.ts';
import type { OpenFile } from '../files/shape.ts';
import type { Collector } from './collector.ts';
import type { Descriptors, Source, Target } from './descriptors.ts';
import type { Part, PartEnd, PartOutput } from './part.ts';
import type { StepProgram } from './step-plan.ts';

export interface PartCommand extends StepProgram {
  readonly descriptors: Descriptors;
}

export interface ProgramPartOptions {
  readonly runner: Pick<Launcher, 'launch'>;
  /** Everything but the programs and their streams. */
  readonly launch: Omit<Launch, 'stages' | 'stdin'>;
  readonly commands: readonly PartCommand[];
  readonly output: PartOutput;
  readonly collectorOf: (path: string) => Collector;
  readonly open: (path: string) => OpenFile;
  /** Its output for a file is longer than a file may be. */
  readonly overflowed: () => void;
}

const WINDOW = 64 << 10;

export function startPrograms(options: ProgramPartOptions): Part {
  return new ProgramPart(options);
}

class ProgramPart implements Part {
  readonly started: Promise<void>;
  readonly ended: Promise<PartEnd>;
  readonly #options: ProgramPartOptions;
  readonly #feeds: { readonly name: `in${number}`; readonly source: Source }[] = [];
  /** The streams of files, by path. */
  readonly #files = new Map<string, `out${number}`>();
  readonly #collects = new Map<`out${number}`, Collector>();
  #own: InputStream | undefined;
  #toNext: `out${number}` | undefined;
  #isStopped = false;
  #numbers = 0;
  #launched: Launched | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  #resolveEnded: (end: PartEnd) => void = () => {};

  constructor(options: ProgramPartOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.started = this.#start();
  }

  get launched(): Launched | undefined {
    return this.#launched;
  }

  readonly input = {
    write: async (bytes: Uint8Array): Promise<void> => {
      const writing = this.#write(bytes);
      this.#lastWrite = writing.catch(() => {}); // the caller of `write` gets it
      await writing;
    },
    end: (): void => {
      void this.started
        .then(() => this.#lastWrite)
        .then(() => {
          if (this.#own !== undefined) this.#launched?.endInput(this.#own);
        });
    },
  };

  async #write(bytes: Uint8Array): Promise<void> {
    await this.started;
    if (this.#own === undefined || this.#launched === undefined) throw new Error('it reads no input');
    await this.#launched.write(bytes, this.#own);
  }

  stopOutput(): void {
    this.#isStopped = true;
    if (this.#toNext !== undefined) this.#launched?.closeOutput?.(this.#toNext);
  }

  async #start(): Promise<void> {
    const { runner, launch, commands, output, overflowed } = this.#options;
    const stages = commands.map((command, i) => this.#stageOf(command, i));
    const [first, ...more] = stages;
    if (first === undefined) throw new TypeError('a part without programs');
    const collected = (name: `out${number}`, bytes: Uint8Array): boolean => {
      if (name === this.#toNext) return this.#isStopped || output.next(bytes);
      if (this.#collects.get(name)?.push(bytes) === false) overflowed();
      return true;
    };
    try {
      this.#launched = await runner.launch(
        { ...launch, stages: [first, ...more], stdin: this.#own === 'in' ? 'open' : 'closed' },
        {
          output: (stream, bytes) => output.write(stream, bytes),
          collected,
          exited: (exit) => this.#resolveEnded(endOf(exit)),
        },
      );
    } catch (error) {
      this.#resolveEnded({ kind: 'lost', message: String(error) });
      return;
    }
    if (this.#isStopped) this.stopOutput();
    for (const feed of this.#feeds) void this.#feed(this.#launched, feed);
  }

  #stageOf({ planned, env, descriptors }: PartCommand, i: number): LaunchStage {
    const last = this.#options.commands.length - 1;
    const output = (target: Target): StageStreams['out'] => {
      if (target.to === 'file') return this.#collectOf(target.path);
      if (target.to !== 'next' || i < last) return target.to;
      return (this.#toNext ??= `out${++this.#numbers}`);
    };
    const { argv, binary, env: added } = planned;
    const streams = {
      in: this.#inputOf(descriptors.input, i),
      out: output(descriptors.output),
      err: output(descriptors.errors),
    };
    return { ...stageOf(binary, argv), env: { ...env, ...added }, streams };
  }

  #inputOf(source: Source, i: number): StageStreams['in'] {
    if (source.from === 'null') return 'null';
    if (source.from === 'previous' && i > 0) return 'previous';
    if (source.from === 'stream') return (this.#own = 'in');
    const name: `in${number}` = `in${++this.#numbers}`;
    if (source.from === 'previous') return (this.#own = name);
    this.#feeds.push({ name, source });
    return name;
  }

  /** Programs of a pipeline that write the same file share a stream. */
  #collectOf(path: string): OutputStream {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const name: `out${number}` = `out${++this.#numbers}`;
    this.#files.set(path, name);
    this.#collects.set(name, this.#options.collectorOf(path));
    return name;
  }

  /** A program need not read all of its input. */
  async #feed(launched: Launched, { name, source }: { name: `in${number}`; source: Source }): Promise<void> {
    try {
      if (source.from === 'text') await launched.write(Buffer.from(source.text), name);
      if (source.from === 'file') await this.#feedFile(launched, name, source.path);
    } catch (error) {
      if (isInputClosed(error)) return; // its reader has ended
      this.#options.output.write('err', Buffer.from(`pincer: ${messageOf(error)}\n`));
    }
    launched.endInput(name);
  }

  async #feedFile(launched: Launched, name: `in${number}`, path: string): Promise<void> {
    const file = this.#options.open(path);
    try {
      const window = new Uint8Array(WINDOW);
      for (let at = 0; ; ) {
        const length = file.read(at, window);
        if (length === 0) return;
        await launched.write(window.slice(0, length), name);
        at += length;
      }
    } finally {
      file.close();
    }
  }
}

function isInputClosed(error: unknown): boolean {
  return error instanceof Fault && error.code === 'EXEC_INPUT_CLOSED';
}

export function stageOf({ real, identity }: Binary, argv: readonly string[]): LaunchStage {
  return { file: real, argv, identity };
}

/** As a shell reports it: 128 and the number of the signal. */
function endOf(exit: Exit): PartEnd {
  switch (exit.kind) {
    case 'code':
      return { kind: 'status', status: exit.code };
    case 'signal':
      return {
        kind: 'status',
        status: 128 + (constants.signals[exit.signal as NodeJS.Signals] ?? 0),
        signal: exit.signal,
      };
    case 'failed':
      return exit.reason === 'changed'
        ? { kind: 'changed', message: exit.message }
        : { kind: 'status', status: 126, message: exit.message };
    case 'lost':
      return { kind: 'lost', ...(exit.message === undefined ? {} : { message: exit.message }) };
  }
}
