/**
 * The program inside of a sandbox. Its channel is descriptor 3, or standard input and output with `--stdio`. With
 * `--terminal` or `--tools` it is a process that the agent started to do one thing.
 */
import { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { Agent } from './agent.ts';
import { closeInherited } from '../hosts/process/inherited.ts';
import { TerminalProcess } from './terminal-process.ts';

const CHANNEL = 3;
/** The gateway waits ten seconds for it to leave; what cannot be ended by then is not waited for. */
const LEAVE_MS = 8000;

interface Part {
  /** Ends all that was started. */
  end(): Promise<void>;
}

const role = process.argv[2];
closeInherited(role === '--stdio' ? CHANNEL : CHANNEL + 1);
const { input, output } = channel();
let isLeaving = false;

// Commands have the same user and may signal it; only the end of its channel ends it, and SIGUSR1 opens no debugger.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM', 'SIGUSR1'] as const) process.on(signal, () => {});
const part = start();
input.on('error', leave);
input.on('end', leave);
input.on('close', leave);
output.on('error', leave);

function channel(): { readonly input: Readable; readonly output: Writable } {
  if (role === '--stdio') return { input: process.stdin, output: process.stdout };
  const socket: Duplex = new Socket({ fd: CHANNEL, readable: true, writable: true });
  return { input: socket, output: socket };
}

function start(): Promise<Part> | Part {
  if (role === '--terminal') return new TerminalProcess(input, output, leave);
  if (role === '--tools') return import('./tool-process.ts').then(({ ToolProcess }) => new ToolProcess(input, output));
  return new Agent(input, output, process.env['PATH']);
}

function leave(): void {
  if (isLeaving) return;
  isLeaving = true;
  setTimeout(() => process.exit(1), LEAVE_MS);
  Promise.resolve(part)
    .then((made) => made.end())
    .then(
      () => process.exit(0),
      () => process.exit(1),
    );
}
