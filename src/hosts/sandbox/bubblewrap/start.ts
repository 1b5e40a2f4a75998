/** Starts bubblewrap with a profile and waits until all mounts are in place. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { killTree } from '../../process/kill.ts';
import { listProcesses, processAt } from '../../process/processes.ts';
import { inheritedDescriptors } from '../../process/inherited.ts';
import { FIRST_PIPES } from '../../process/runner-messages.ts';
import { ARGS_DESCRIPTOR, FIRST_DESCRIPTOR, INFO_DESCRIPTOR, SCRATCH_INSIDE, type Profile } from '../profile.ts';
import { readSmallFile } from '../../obeyed/reading.ts';
import { explainFailure, systemFacts, unavailable } from '../probe.ts';

export interface Start {
  /** Programs that run before bubblewrap; each executes the next. */
  readonly prefix: readonly string[];
  readonly bwrap: string;
  readonly profile: Profile;
  /** The command inside, by paths inside. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Started {
  readonly channel: Duplex;
  readonly pid: number;
  /** The host PID of the first program inside. */
  readonly agent: number;
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

/** How much stderr of bubblewrap is kept; the rest is read and dropped. */
const MOST_STDERR = 4096;
const START_MS = 30_000;
const FIRST_PIPE_COUNT = 8;
/**
 * Prints a byte once the mounts are in place, and creates the agent's first FIFOs: a shell does that sooner than Node, and
 * where it fails, the agent creates them. The agent's stdout is closed; it writes to its channel only.
 */
const ANNOUNCE = `printf .; mkfifo -m 600 ${pipes()} >/dev/null 2>&1; exec "$@" >/dev/null`;

/** On failure, throws SANDBOX_UNAVAILABLE with the stderr of bubblewrap and cleans up. */
export async function startBubblewrap({ prefix, bwrap, profile, command, env }: Start): Promise<Started> {
  const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'];
  for (const each of profile.descriptors) stdio.push(typeof each === 'number' ? each : 'pipe');
  // Each inherited descriptor is replaced by an empty argument file, which bubblewrap reads and closes.
  const inherited = inheritedDescriptors(stdio.length);
  for (const fd of inherited) {
    while (stdio.length < fd) stdio.push('ignore');
    stdio[fd] = 'pipe';
  }
  const argv = [
    [...prefix, bwrap],
    [...inherited, ARGS_DESCRIPTOR].flatMap((fd) => ['--args', `${fd}`]),
    ['--', '/bin/sh', '-c', ANNOUNCE, 'sandbox', ...command],
  ].flat();
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd: '/',
    env: { ...env },
    detached: true, // Ctrl-C in the gateway's terminal must not reach it
    stdio,
  });
  const streams = child.stdio as unknown as readonly Duplex[];
  const stderr = collect(streams[2]!, MOST_STDERR);
  const first = firstProcess(streams[INFO_DESCRIPTOR]!);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`),
    );
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const channel = streams[3]!;
  channel.on('error', () => {}); // `ended` reports the end of the process
  feed(streams[ARGS_DESCRIPTOR]!, profile.args.map((arg) => `${arg}\0`).join(''));
  for (const fd of inherited) feed(streams[fd]!, '');
  for (const [i, each] of profile.descriptors.entries())
    if (typeof each !== 'number') feed(streams[FIRST_DESCRIPTOR + i]!, each);

  const end = () => endProcess(child, ended);
  const ready = announced(child).then(() => first); // the two streams arrive in any order
  const result = await Promise.race([ready, ended, startTimeout()]);
  if (typeof result === 'string') {
    await end();
    await Promise.race([closed, startTimeout()]); // so that all of stderr has arrived
    const text = stderr();
    throw unavailable(explainFailure(text === '' ? result : text, systemFacts()));
  }
  stopReading(streams, ended);
  return { channel, pid: child.pid!, agent: firstChild(result) ?? result, ended, end };
}

function pipes(): string {
  return Array.from({ length: FIRST_PIPE_COUNT }, (_, i) => `${SCRATCH_INSIDE}/${FIRST_PIPES}/${i}`).join(' ');
}

async function startTimeout(): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(`it did not start within ${START_MS / 1000} seconds`), START_MS).unref();
  });
}

function announced(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.stdout!.once('data', () => resolve());
    child.stdout!.resume();
    child.stdout!.on('error', () => {}); // `ended` reports the end of the process
  });
}

/**
 * A running sandbox writes nothing more to stdout and stderr. The gateway stops reading them, so that a process inside that
 * gets hold of these streams cannot keep the gateway busy.
 */
function stopReading(streams: readonly Duplex[], ended: Promise<string>): void {
  const output = [streams[1]!, streams[2]!];
  for (const stream of output) stream.pause();
  void ended.then(() => {
    for (const stream of output) stream.destroy();
  });
}

/** The text so far. The stream is read to its end, so that no process inside blocks on it. */
function collect(stream: Readable, most: number): () => string {
  let text = '';
  stream.setEncoding('latin1');
  stream.on('data', (part: string) => {
    if (text.length < most) text = (text + part).slice(0, most);
  });
  stream.on('error', () => {}); // the text before the error counts
  return () => text;
}

/** Bubblewrap reports the host PID of its first process inside. */
function firstProcess(stream: Readable): Promise<number> {
  const info = collect(stream, MOST_STDERR);
  return new Promise((resolve) => {
    stream.on('data', () => {
      const pid = /"child-pid":\s*(\d+)[\s,}]/u.exec(info())?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
}

function feed(stream: Writable, bytes: string | Uint8Array): void {
  stream.on('error', () => {}); // the process ended before it read; its exit status has the reason
  stream.end(bytes);
}

/** Kills every process inside: the first process of their PID namespace dies with bubblewrap. */
async function endProcess(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const { pid } = child;
  if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const entry = processAt(pid);
    if (entry !== undefined) await killTree({ roots: [entry], mark: [] }, 0);
  }
  await ended;
}

/** Bubblewrap stays as the first process inside; its child is the command. */
function firstChild(pid: number): number | undefined {
  const child = Number.parseInt(readSmallFile(`/proc/${pid}/task/${pid}/children`) ?? '', 10);
  // Not every kernel has that file.
  return child > 1 ? child : [...listProcesses().values()].find(({ parent }) => parent === pid)?.pid;
}
