/** Starts the programs of a pipeline with connections as their streams, the last one first. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Exit, Launch, LaunchStage } from '../hosts/process/launch.ts';
import { letLateReadersIn } from '../hosts/process/late-readers.ts';
import type { Streams } from './connect.ts';
import { withMask } from './mask.ts';
import type { Pipe, Pipes } from './pipes.ts';
import { holdFolder, isStillSame, lookAtProgram } from './identity.ts';
import { spawnFailure } from './refusal.ts';
import { openTerminals } from './terminal.ts';

/** Who hears of the programs. */
export interface StageEvents {
  started(pids: readonly number[]): void;
  /** When all of them have ended; the exit is the last stage's. */
  ended(exit: Exit): void;
}

export interface StageFailure {
  readonly reason: 'spawn-failed' | 'changed';
  readonly message: string;
}

/** Starts all stages or none; the streams are the programs' own afterwards. */
export async function startStages(
  launch: Launch,
  streams: Streams,
  pipes: Pipes,
  events: StageEvents,
): Promise<StageFailure | undefined> {
  const children: ChildProcess[] = [];
  let between: Pipe[] = [];
  let failure: StageFailure | undefined;
  try {
    if (launch.stages.length > 1) between = await pipes.take(launch.stages.length - 1);
    failure = await tryStages(launch, streams, between, children);
  } catch (error) {
    failure = { reason: 'spawn-failed', message: `no pipes could be had: ${(error as Error).message}` };
  }
  const lockOut = failure === undefined ? between.map(({ write }) => letLateReadersIn(write)) : [];
  for (const { read, write } of between) {
    closeSync(read); // the programs have their own hold on them now
    closeSync(write);
  }
  for (const socket of Object.values(streams)) socket.destroy();
  if (failure !== undefined) {
    for (const child of children) endAtOnce(child);
    return failure;
  }
  children.reverse(); // they were started from the last one on
  let left = children.length;
  let last: Exit = { kind: 'lost' };
  for (const [i, child] of children.entries()) {
    child.once('exit', (code, signal) => {
      if (i === children.length - 1)
        last = code === null ? { kind: 'signal', signal: signal ?? 'SIGKILL' } : { kind: 'code', code };
      lockOut[i - 1]?.(); // nobody opens the pipe in front of it any more
      if (--left === 0) events.ended(last);
    });
  }
  events.started(children.map(({ pid }) => pid ?? 0));
  return undefined;
}

/** All are started in one go, so that nothing else is started in between; only a reason may come later. */
function tryStages(
  launch: Launch,
  streams: Streams,
  between: readonly Pipe[],
  children: ChildProcess[],
): StageFailure | Promise<StageFailure> | undefined {
  let folder: ReturnType<typeof holdFolder>;
  try {
    folder = holdFolder(launch);
  } catch (error) {
    return { reason: 'spawn-failed', message: spawnFailure(launch.cwd, error as NodeJS.ErrnoException) };
  }
  if (typeof folder === 'string') return { reason: 'changed', message: folder };
  const errors = streams.err ?? streams.out;
  try {
    for (let i = launch.stages.length - 1; i >= 0; i--) {
      const input: Socket | number | 'ignore' = between[i - 1]?.read ?? streams.in ?? 'ignore';
      const output: Socket | number = between[i]?.write ?? streams.out;
      const child = tryStage(launch.stages[i]!, launch, folder.path, [input, output, errors, ...shields()]);
      if ('reason' in child || child instanceof Promise) return child;
      children.push(child);
    }
    return undefined;
  } finally {
    folder.release();
  }
}

/** Nothing in the place of every terminal that this process has, which the program would otherwise get. */
function shields(): ('ignore' | number)[] {
  if (openTerminals.size === 0) return [];
  nothing ??= openSync('/dev/null', 'r');
  const places: ('ignore' | number)[] = Array.from({ length: Math.max(...openTerminals) - 2 }, () => 'ignore');
  for (const fd of openTerminals) places[fd - 3] = nothing;
  return places;
}

let nothing: number | undefined;

function tryStage(
  stage: LaunchStage,
  { env, umask }: Launch,
  cwd: string,
  stdio: StdioOptions,
): ChildProcess | StageFailure | Promise<StageFailure> {
  const { file, argv } = stage;
  const failed = (error: unknown): StageFailure => ({
    reason: 'spawn-failed',
    message: spawnFailure(file, error as NodeJS.ErrnoException),
  });
  let child: ChildProcess;
  try {
    const seen = lookAtProgram(stage);
    if (typeof seen === 'string') return { reason: 'changed', message: seen };
    child = withMask(umask, () =>
      spawn(file, argv.slice(1), { argv0: argv[0] ?? file, cwd, env: { ...env }, stdio, detached: true }),
    );
    if (child.pid !== undefined && stage.identity !== undefined && !isStillSame(seen)) {
      endAtOnce(child);
      return { reason: 'changed', message: `${file} was changed while it was started` };
    }
  } catch (error) {
    return failed(error);
  }
  if (child.pid !== undefined) return child;
  return new Promise((resolve) => child.once('error', (error) => resolve(failed(error))));
}

function endAtOnce(child: ChildProcess): void {
  child.once('error', () => {});
  if (child.pid === undefined || child.pid <= 1) return;
  try {
    process.kill(-child.pid, 'SIGKILL'); // it leads a group of its own
  } catch {
    child.kill('SIGKILL'); // it has ended by itself
  }
}
