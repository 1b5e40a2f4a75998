/** Starts bubblewrap with a profile and waits until the root inside stands. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { killTree } from '../../process/kill.ts';
import { listProcesses, processAt } from '../../process/processes.ts';
import { inheritedDescriptors } from '../../process/inherited.ts';
import { FIRST_PIPES } from '../../process/runner-messages.ts';
import { ARGS_DESCRIPTOR, FIRST_DESCRIPTOR, INFO_DESCRIPTOR, SCRATCH_INSIDE, type Profile } from '../profile.ts';
import { readSmallFile } from '../../obeyed/reading.ts';
import { explainTrouble, systemFacts, unavailable } from '../probe.ts';

/** What is started. */
export interface Start {
  /** Programs in front of bubblewrap: each goes on with the next. */
  readonly prefix: readonly string[];
  readonly bwrap: string;
  readonly profile: Profile;
  /** What runs inside, by its path there. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What runs. */
export interface Started {
  readonly channel: Duplex;
  readonly pid: number;
  /** The first program inside, by its number on this machine. */
  readonly agent: number;
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

/** What is kept of what bubblewrap says when it fails; more of it is read and forgotten. */
const MOST_SAID = 4096;
const START_MS = 30_000;
const PIPES_AT_FIRST = 8;
/**
 * Says that the root stands, and makes the agent's first pipes: a shell does that sooner than Node, and where it cannot, the
 * agent does. What runs afterwards has no output but its channel.
 */
const ANNOUNCE = `printf .; mkfifo -m 600 ${pipes()} >/dev/null 2>&1; exec "$@" >/dev/null`;

/** Starts it. Throws SANDBOX_UNAVAILABLE with what bubblewrap said, and leaves nothing behind then. */
export async function start({ prefix, bwrap, profile, command, env }: Start): Promise<Started> {
  const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'];
  for (const each of profile.descriptors) stdio.push(typeof each === 'number' ? each : 'pipe');
  // Each is replaced by empty arguments, which bubblewrap reads and closes.
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
    detached: true, // a key that interrupts the gateway's terminal is not for it
    stdio,
  });
  const streams = child.stdio as unknown as readonly Duplex[];
  const said = collect(streams[2]!, MOST_SAID);
  const first = firstProcess(streams[INFO_DESCRIPTOR]!);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
    );
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const channel = streams[3]!;
  channel.on('error', () => {}); // its end is heard as the end of the process
  feed(streams[ARGS_DESCRIPTOR]!, profile.args.map((arg) => `${arg}\0`).join(''));
  for (const fd of inherited) feed(streams[fd]!, '');
  for (const [i, each] of profile.descriptors.entries())
    if (typeof each !== 'number') feed(streams[FIRST_DESCRIPTOR + i]!, each);

  const end = () => endProcess(child, ended);
  const standing = announced(child).then(() => first); // the two streams are read in any order
  const stands = await Promise.race([standing, ended, late()]);
  if (typeof stands === 'string') {
    await end();
    await Promise.race([closed, late()]); // so that all it said has arrived
    const text = said();
    throw unavailable(explainTrouble(text === '' ? stands : text, systemFacts()));
  }
  quieten(streams, ended);
  return { channel, pid: child.pid!, agent: firstChild(stands) ?? stands, ended, end };
}

function pipes(): string {
  return Array.from({ length: PIPES_AT_FIRST }, (_, i) => `${SCRATCH_INSIDE}/${FIRST_PIPES}/${i}`).join(' ');
}

async function late(): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(`it did not start within ${START_MS / 1000} seconds`), START_MS).unref();
  });
}

function announced(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.stdout!.once('data', () => resolve());
    child.stdout!.resume();
    child.stdout!.on('error', () => {}); // its end is heard as the end of the process
  });
}

/**
 * What stands has nothing more to say. It is not listened to any longer, so that whoever gets hold of these streams inside
 * cannot keep the gateway busy with them.
 */
function quieten(streams: readonly Duplex[], ended: Promise<string>): void {
  const spoken = [streams[1]!, streams[2]!];
  for (const stream of spoken) stream.pause();
  void ended.then(() => {
    for (const stream of spoken) stream.destroy();
  });
}

/** What was said so far; the stream is read to its end, so that nobody inside can block on it. */
function collect(stream: Readable, most: number): () => string {
  let text = '';
  stream.setEncoding('latin1');
  stream.on('data', (part: string) => {
    if (text.length < most) text = (text + part).slice(0, most);
  });
  stream.on('error', () => {}); // what was said before counts
  return () => text;
}

/** Bubblewrap says which number its first process inside has on this machine. */
function firstProcess(stream: Readable): Promise<number> {
  const said = collect(stream, MOST_SAID);
  return new Promise((resolve) => {
    stream.on('data', () => {
      const pid = /"child-pid":\s*(\d+)[\s,}]/u.exec(said())?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
}

function feed(stream: Writable, bytes: string | Uint8Array): void {
  stream.on('error', () => {}); // it ended before it read; why is told by its exit
  stream.end(bytes);
}

/** Ends all inside: they live in a process namespace whose first process goes with bubblewrap. */
async function endProcess(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const { pid } = child;
  if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const entry = processAt(pid);
    if (entry !== undefined) await killTree({ roots: [entry], mark: [] }, 0);
  }
  await ended;
}

/** Bubblewrap stays as the first process inside; its child is what it was told to run. */
function firstChild(pid: number): number | undefined {
  const child = Number.parseInt(readSmallFile(`/proc/${pid}/task/${pid}/children`) ?? '', 10);
  // Not every kernel has that list.
  return child > 1 ? child : [...listProcesses().values()].find(({ parent }) => parent === pid)?.pid;
}
