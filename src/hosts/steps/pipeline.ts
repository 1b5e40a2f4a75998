/** Runs one pipeline: its programs through the runner, its verbs in this process, its files when all have ended. */
import { messageOf } from '../../base/message-of.ts';
import type { Launch, Launched, Launcher } from '../process/launch.ts';
import { Collector } from './collector.ts';
import { type Descriptors, descriptorsOf } from './descriptors.ts';
import type { Part, PartEnd, PartOutput } from './part.ts';
import { type PartCommand, startPrograms } from './program-part.ts';
import { isVerb, runVerb } from './run-verb.ts';
import type { SessionInput } from './session-input.ts';
import type { StepFiles } from './step-files.ts';
import type { StepProgram } from './step-plan.ts';
import { startVerb, type VerbStreams } from './verb-part.ts';

export interface PipelineOptions {
  readonly runner: Pick<Launcher, 'launch'>;
  readonly launch: Omit<Launch, 'stages'>;
  readonly commands: readonly StepProgram[];
  readonly files: StepFiles;
  readonly input: SessionInput;
  readonly stateDir: string;
  readonly write: (stream: 'out' | 'err', bytes: Uint8Array) => boolean;
  /** A program has started. */
  readonly started: (launched: Launched) => void;
}

export class Pipeline {
  /** The end of its last command, after its files were written. */
  readonly ended: Promise<PartEnd>;
  readonly #options: PipelineOptions;
  readonly #collectors = new Map<string, Collector>();
  readonly #groups: readonly (readonly PartCommand[])[];
  readonly #parts: Part[] = [];
  readonly #live = new Set<Launched>();

  constructor(options: PipelineOptions) {
    this.#options = options;
    const commands = options.commands.map((command, i) => ({ ...command, descriptors: this.#descriptorsOf(i) }));
    for (const { descriptors } of commands) for (const { path } of descriptors.written) this.#collectorOf(path);
    this.#groups = groupsOf(commands);
    for (const [i, group] of this.#groups.entries()) this.#parts.push(this.#startPart(group, i));
    this.ended = this.#end();
  }

  resume(): void {
    for (const launched of this.#live) launched.resume();
  }

  interrupt(): void {
    for (const launched of this.#live) launched.interrupt();
  }

  async kill(graceMs?: number): Promise<void> {
    await Promise.all([...this.#live].map((launched) => launched.kill(graceMs)));
  }

  #descriptorsOf(i: number): Descriptors {
    const { commands, launch, files } = this.#options;
    return descriptorsOf(commands[i]!.redirects, {
      first: i === 0,
      last: i === commands.length - 1,
      merged: launch.streams === 'merged',
      hasInput: launch.stdin === 'open',
      place: (path, use) => files.place(path, use, launch.cwd),
    });
  }

  #collectorOf(path: string): Collector {
    const collector = this.#collectors.get(path) ?? new Collector(this.#options.stateDir);
    this.#collectors.set(path, collector);
    return collector;
  }

  #startPart(group: readonly PartCommand[], i: number): Part {
    const { files, runner, launch } = this.#options;
    const [command] = group as [PartCommand];
    const { descriptors } = command;
    const { failed } = descriptors;
    const shared = {
      output: this.#outputOf(i),
      collectorOf: (path: string) => this.#collectorOf(path),
      overflowed: () => this.#overflowed(),
    };
    if (failed === undefined && !isVerb(command))
      return startPrograms({ ...shared, runner, launch, commands: group, open: files.open });
    if (failed === undefined)
      return startVerb({
        ...shared,
        descriptors,
        read: files.read,
        work: (streams) => this.#runVerb(command, streams, i),
      });
    const fail = ({ err }: VerbStreams): number => {
      err(`pincer: ${failed.message}\n`);
      return 1;
    };
    return startVerb({ ...shared, descriptors: { ...descriptors, ...failed }, read: files.read, work: fail });
  }

  #runVerb(command: PartCommand, streams: VerbStreams, i: number): Promise<number> {
    const { launch, files, runner } = this.#options;
    const sayError = (_: string, bytes: Uint8Array): boolean => {
      streams.err(bytes);
      return true;
    };
    return runVerb(command, {
      files,
      streams,
      cwd: launch.cwd,
      umask: launch.umask ?? process.umask(),
      stateDir: this.#options.stateDir,
      earlierEnded: () => Promise.all(this.#parts.slice(0, i).map(({ ended }) => ended)),
      outputOf: async (planned, descriptors, collector) => {
        const part = startPrograms({
          runner,
          launch,
          commands: [{ ...command, planned, descriptors }],
          output: { write: sayError, next: () => true },
          collectorOf: () => collector,
          open: files.open,
          overflowed: () => this.#overflowed(),
        });
        return this.#untilEnd(part);
      },
    });
  }

  /** What a part writes to the one after it. */
  #outputOf(i: number): PartOutput {
    return {
      write: this.#options.write,
      next: (bytes) => {
        const from = this.#parts[i];
        const to = this.#parts[i + 1];
        to?.input
          .write(Uint8Array.from(bytes))
          .catch(() => from?.stopOutput())
          .finally(() => void from?.started.then(() => from.launched?.resume()));
        return false;
      },
    };
  }

  async #untilEnd(part: Part): Promise<PartEnd> {
    await part.started;
    const { launched } = part;
    if (launched !== undefined) {
      this.#live.add(launched);
      launched.resume(); // the session may have asked before the launch returned
      this.#options.started(launched);
    }
    const end = await part.ended;
    if (launched !== undefined) this.#live.delete(launched);
    return end;
  }

  async #runPart(part: Part, i: number): Promise<PartEnd> {
    const { input } = this.#options;
    const [first] = this.#groups[i]!;
    const { from } = first!.descriptors.input;
    if (from === 'stream') input.attach(part.input);
    if (from !== 'previous') this.#parts[i - 1]?.stopOutput();
    const end = await this.#untilEnd(part);
    if (from === 'stream') input.detach(part.input);
    this.#parts[i - 1]?.stopOutput();
    this.#parts[i + 1]?.input.end();
    if (end.kind === 'status' && end.message !== undefined) this.#say(end.message);
    return end;
  }

  async #end(): Promise<PartEnd> {
    const ends = await Promise.all(this.#parts.map((part, i) => this.#runPart(part, i)));
    const failed = ends.find(({ kind }) => kind !== 'status');
    const end = failed ?? ends.at(-1);
    if (end === undefined) throw new TypeError('a pipeline without commands');
    const problems = await this.#writeFiles();
    for (const problem of problems) this.#say(problem);
    return problems.length === 0 || end.kind !== 'status' ? end : { kind: 'status', status: 1 };
  }

  /** Whatever the status, as a shell would leave them. */
  async #writeFiles(): Promise<readonly string[]> {
    if (this.#collectors.size === 0) return [];
    const written = this.#groups.flatMap((group) => group.flatMap(({ descriptors }) => descriptors.written));
    const appended = new Map<string, boolean>();
    for (const { path, append } of written) appended.set(path, append && (appended.get(path) ?? true));
    const outputs = [...appended].map(([path, append]) => ({ path, append, collector: this.#collectorOf(path) }));
    try {
      return await this.#options.files.commitOutputs(outputs, this.#options.launch.umask);
    } catch (error) {
      return [messageOf(error)];
    } finally {
      for (const collector of this.#collectors.values()) collector.discard();
    }
  }

  #overflowed(): void {
    this.kill().catch((error: unknown) => this.#say(messageOf(error)));
  }

  #say(message: string): void {
    const stream = this.#options.launch.streams === 'apart' ? 'err' : 'out';
    this.#options.write(stream, Buffer.from(`pincer: ${message}\n`));
  }
}

/** Programs that are neighbours start together; each verb, and each command that cannot start, is on its own. */
function groupsOf(commands: readonly PartCommand[]): readonly (readonly PartCommand[])[] {
  const groups: PartCommand[][] = [];
  let isOpen = false;
  for (const command of commands) {
    const isProgram = !isVerb(command) && command.descriptors.failed === undefined;
    if (isProgram && isOpen) groups.at(-1)?.push(command);
    else groups.push([command]);
    isOpen = isProgram;
  }
  return groups;
}
