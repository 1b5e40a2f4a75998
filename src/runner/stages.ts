/** Starts the programs of a launch, the last one first. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Exit, Launch, LaunchStage, StageStreams } from '../hosts/process/launch.ts';
import { letLateReadersIn } from '../hosts/process/late-readers.ts';
import { endStarted } from '../hosts/process/kill.ts';
import { openFolder, isStillSame, lookAtProgram } from './checks/identity.ts';
import { withMask } from './mask.ts';
import type { Pipe, PipePool } from './pipes.ts';
import type { Stdio, Streams } from './plumbing.ts';
import { type StreamName, stageStreamsOf } from '../hosts/process/streams/stage-streams.ts';
import { spawnFailure, type StartFailure } from './checks/refusal.ts';
import { openTerminals } from './terminal.ts';

export interface StageEvents {
  /** Immediately after the start of each program, before it does much. */
  spawned(pid: number): void;
  started(pids: readonly number[]): void;
  /** When all have ended. The exit is that of the last stage. */
  ended(exit: Exit): void;
}

/** Redirects errors to the output, where Node makes the stream of it because there are no pipes. */
const JOINING = 'exec "$0" "$@" 2>&1';

/** Starts all stages or none. The programs own the streams afterwards. */
export async function startStages(
  launch: Launch,
  streams: Streams,
  pipes: PipePool,
  events: StageEvents,
): Promise<StartFailure | undefined> {
  const children: ChildProcess[] = [];
  let between: readonly Pipe[] = [];
  let failure: StartFailure | undefined;
  try {
    const stdio = await streams.stdio();
    if (launch.stages.length > 1) between = await pipes.take(launch.stages.length - 1);
    failure = await tryStages(launch, stdio, between, (child) => {
      children.push(child);
      if (child.pid !== undefined) events.spawned(child.pid);
    });
  } catch (error) {
    failure = { reason: 'spawn-failed', message: `cannot make pipes: ${(error as Error).message}` };
  }
  const lockOut = failure === undefined ? between.map(({ write }) => letLateReadersIn(write)) : [];
  for (const { read, write } of between) {
    closeSync(read); // the programs have inherited both ends
    closeSync(write);
  }
  if (failure !== undefined) {
    for (const child of children) endStarted(child);
    streams.discard();
    return failure;
  }
  children.reverse(); // they were started from the last one on
  let left = children.length;
  let last: Exit = { kind: 'lost' };
  for (const [i, child] of children.entries()) {
    child.on('error', () => {}); // a signal that could not be sent
    child.once('exit', (code, signal) => {
      if (i === children.length - 1)
        last = code === null ? { kind: 'signal', signal: signal ?? 'SIGKILL' } : { kind: 'code', code };
      lockOut[i - 1]?.(); // its input will not be opened again
      if (--left === 0) events.ended(last);
    });
  }
  streams.attach(children);
  events.started(children.map(({ pid }) => pid ?? 0));
  return undefined;
}

/** Starts all synchronously, so that no other program starts in between. Only the reason of a failure may be asynchronous. */
function tryStages(
  launch: Launch,
  stdioOf: (name: StreamName) => Stdio,
  between: readonly Pipe[],
  take: (child: ChildProcess) => void,
): StartFailure | Promise<StartFailure> | undefined {
  let folder: ReturnType<typeof openFolder>;
  try {
    folder = openFolder(launch);
  } catch (error) {
    return { reason: 'spawn-failed', message: spawnFailure(launch.cwd, error as NodeJS.ErrnoException) };
  }
  if (typeof folder === 'string') return { reason: 'changed', message: folder };
  try {
    const streams = stageStreamsOf(launch);
    for (let i = launch.stages.length - 1; i >= 0; i--) {
      const stdio = descriptorsOf(streams[i]!, [between[i - 1]?.read, between[i]?.write], stdioOf);
      const child = tryStage(launch.stages[i]!, launch, folder.path, stdio);
      if ('reason' in child || child instanceof Promise) return child;
      take(child);
    }
    return undefined;
  } finally {
    folder.release();
  }
}

type Descriptors = readonly [input: Stdio, output: Stdio, errors: Stdio | 'join'];

function descriptorsOf(
  streams: StageStreams,
  [previous = 'ignore', next = 'ignore']: readonly [number | 'ignore' | undefined, number | 'ignore' | undefined],
  stdioOf: (name: StreamName) => Stdio,
): Descriptors {
  const input = streams.in === 'previous' ? previous : streams.in === 'null' ? 'ignore' : stdioOf(streams.in);
  const output = (name: StageStreams['out']): Stdio =>
    name === 'next' ? next : name === 'null' ? 'ignore' : stdioOf(name);
  const out = output(streams.out);
  // Node makes a stream for one descriptor only.
  const isJoined = out === 'pipe' && streams.err === streams.out;
  return [input, out, isJoined ? 'join' : output(streams.err)];
}

/** Replaces every terminal of this process by /dev/null, because the program would inherit it. */
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
  [input, output, errors]: Descriptors,
): ChildProcess | StartFailure | Promise<StartFailure> {
  const { file, argv } = stage;
  const failed = (error: unknown): StartFailure => ({
    reason: 'spawn-failed',
    message: spawnFailure(file, error as NodeJS.ErrnoException),
  });
  const args = argv.slice(1);
  const isJoined = errors === 'join';
  const stdio = [input, output, isJoined ? 'ignore' : errors, ...shields()] as StdioOptions;
  const options = {
    argv0: isJoined ? 'sh' : (argv[0] ?? file),
    cwd,
    env: { ...env, ...stage.env },
    stdio,
    detached: true,
  };
  let child: ChildProcess;
  try {
    const seen = lookAtProgram(stage);
    if (typeof seen === 'string') return { reason: 'changed', message: seen };
    child = withMask(umask, () =>
      isJoined ? spawn('/bin/sh', ['-c', JOINING, file, ...args], options) : spawn(file, args, options),
    );
    if (child.pid !== undefined && stage.identity !== undefined && !isStillSame(seen)) {
      endStarted(child);
      return { reason: 'changed', message: `${file} was changed while it was started` };
    }
  } catch (error) {
    return failed(error);
  }
  if (child.pid !== undefined) return child;
  for (const stream of child.stdio) stream?.destroy();
  return new Promise((resolve) => child.once('error', (error) => resolve(failed(error))));
}
