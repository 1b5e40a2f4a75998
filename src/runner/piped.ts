/** A command with pipes. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { withMask } from './mask.ts';
import { spawnFailure } from './refusal.ts';
import type { Exit } from '../hosts/process/launch.ts';
import type { InsideLaunch } from '../hosts/sandbox/link/messages.ts';
import type { FrameSender } from '../hosts/channel/sending.ts';
import type { Handle } from './handle.ts';
import { type Inlet, openInlet } from './inlet.ts';
import { letLateReadersIn } from '../hosts/process/late-readers.ts';
import { COMMANDS_GO, volunteer } from './oom.ts';
import { openOutlet, type Outlet } from './outlet.ts';
import type { Pipe } from './named-pipes.ts';

type OutputName = 'out' | 'err';

/** A path can be as long as the gateway lets no sentence be. */
const LONGEST_REASON = 2000;
/** Joins the streams where no pipe could be had that both share. */
const JOINING = 'exec "$0" "$@" 2>&1';

export interface PipedEvents {
  readonly id: number;
  readonly sender: FrameSender;
  /** It has ended, and so have its streams. */
  readonly gone: () => void;
}

/** How many pipes a command takes. */
export function pipesFor({ streams, stdin }: InsideLaunch): number {
  return (streams === 'apart' ? 2 : 1) + (stdin === 'open' ? 1 : 0);
}

/** Starts a command with these pipes, or with what Node has instead of them. */
export function startPiped(
  launch: InsideLaunch,
  pipes: readonly Pipe[] | undefined,
  warnings: readonly string[],
  { id, sender, gone }: PipedEvents,
): Handle | undefined {
  const failed = (error: unknown): undefined => {
    const message = spawnFailure(launch.file, error as NodeJS.ErrnoException).slice(0, LONGEST_REASON);
    sender.message(id, { type: 'exit', exit: { kind: 'failed', reason: 'spawn-failed', message } });
    gone();
  };
  const names: readonly OutputName[] = launch.streams === 'apart' ? ['out', 'err'] : ['out'];
  const started = tryStart(launch, pipes);
  if (started instanceof Error) {
    for (const { read, write } of pipes ?? []) {
      closeSync(read);
      closeSync(write);
    }
    return failed(started);
  }
  const { child, input, inputPipe, outputs } = started;
  if (child.pid === undefined) {
    for (const socket of [...outputs, input]) socket?.destroy();
    child.once('error', failed);
    return undefined;
  }
  child.on('error', () => {}); // a signal that could not be sent
  const { pid: number } = child;
  // Many commands are over so soon that all there is to say about them can be said at once.
  sender.lazily(() => sender.message(id, { type: 'started', pid: number, pty: false, warnings }));
  volunteer(number, COMMANDS_GO);
  let lockOut = (): void => {};
  const inlet: Inlet | undefined = input === undefined ? undefined : openInlet(input, id, sender);
  const outlets = new Map<OutputName, Outlet>();
  let left = names.length + 1;
  const finish = (say: () => void): void => {
    if (--left > 0) sender.lazily(say);
    else {
      say();
      gone();
    }
  };
  for (const [i, name] of names.entries()) {
    const source = outputs[i];
    if (source === undefined) continue;
    outlets.set(name, openOutlet(source, name, id, sender));
    source.on('error', () => source.destroy()); // `close` follows
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      finish(() => sender.stream(name, id));
    };
    source.once('end', over);
    source.once('close', over);
  }
  let pid: number | undefined = number;
  child.once('exit', (code, signal) => {
    pid = undefined;
    inlet?.close();
    lockOut();
    const exit: Exit = code === null ? { kind: 'signal', signal: signal ?? 'SIGKILL' } : { kind: 'code', code };
    finish(() => sender.message(id, { type: 'exit', exit }));
  });
  return {
    get pid() {
      return pid;
    },
    input: (bytes) => inlet?.write(bytes),
    endInput: () => {
      if (pid !== undefined && inputPipe !== undefined && input?.writable === true)
        lockOut = letLateReadersIn(inputPipe);
      inlet?.end();
    },
    resize: () => {},
    grant: (stream, bytes) => outlets.get(stream)?.grant(bytes),
  };
}

interface Started {
  readonly child: ChildProcess;
  readonly input: Socket | undefined;
  /** The end of a named pipe that the input is written to; undefined where there is none. */
  readonly inputPipe: number | undefined;
  readonly outputs: readonly Socket[];
}

function tryStart(launch: InsideLaunch, pipes: readonly Pipe[] | undefined): Started | Error {
  const isApart = launch.streams === 'apart';
  const isOpen = launch.stdin === 'open';
  try {
    if (pipes === undefined) {
      const child = start(isApart ? launch : joined(launch), [
        isOpen ? 'pipe' : 'ignore',
        'pipe',
        isApart ? 'pipe' : 'ignore',
      ]);
      const [input, ...outputs] = [child.stdin, child.stdout, ...(isApart ? [child.stderr] : [])] as Socket[];
      return { child, input: isOpen ? input : undefined, inputPipe: undefined, outputs };
    }
    const [out, second, third] = pipes;
    const err = isApart ? second : out;
    const input = isOpen ? (isApart ? third : second) : undefined;
    const child = start(launch, [input?.read ?? 'ignore', out?.write ?? 'ignore', err?.write ?? 'ignore']);
    // The program has its own hold on them now.
    if (input !== undefined) closeSync(input.read);
    for (const pipe of new Set([out, err])) if (pipe !== undefined) closeSync(pipe.write);
    const outputs = [...new Set([out, err])].flatMap((pipe) =>
      pipe === undefined ? [] : [new Socket({ fd: pipe.read, readable: true, writable: false })],
    );
    const target = input && new Socket({ fd: input.write, readable: false, writable: true });
    return { child, input: target, inputPipe: input?.write, outputs };
  } catch (error) {
    return error as Error;
  }
}

function start({ file, argv, cwd, env, umask }: InsideLaunch, stdio: StdioOptions): ChildProcess {
  return withMask(umask, () =>
    spawn(file, argv.slice(1), { argv0: argv[0] ?? file, cwd, env: { ...env }, stdio, detached: true }),
  );
}

function joined(launch: InsideLaunch): InsideLaunch {
  return { ...launch, file: '/bin/sh', argv: ['sh', '-c', JOINING, launch.file, ...launch.argv.slice(1)] };
}
