/** The way to the daemon of a state folder: connect, or start one and connect. Small, because every command pays for it. */
import { connect } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { type Build, PROTOCOL } from '../../wire/message.ts';
import { type Pointer, readPointer, whySocketUnsafe } from '../daemon/pointer.ts';
import { buildOf, programFile } from './program.ts';
import { SILENCE_MS, unresponsive } from './silence.ts';
import { type Client, greet } from './socket.ts';

export interface ConnectOptions {
  readonly stateDir: string;
  /** Starts a daemon when none runs (default: yes). */
  readonly start?: boolean;
  /** What is started as `node PROGRAM daemon run` (default: the built program). */
  readonly program?: string;
  /** How long a start may take (default: 15 seconds). */
  readonly startMs?: number;
  /** How long the daemon may be silent while a request waits. Default: 10,000. */
  readonly silenceMs?: number;
}

/** Gives the daemon as a gateway; what it throws says why there is none. */
export async function connectGateway(options: ConnectOptions): Promise<Client> {
  const program = options.program ?? programFile();
  const build = buildOf(program);
  const present = await tryConnect(options, build);
  if (present !== undefined) return present;
  if (options.start === false) throw notRunning(options.stateDir);
  if (program === undefined) throw noProgram();
  const { startAndConnect } = await import('./retry.ts');
  return startAndConnect(program, options.stateDir, options.startMs ?? 15_000, () => tryConnect(options, build));
}

/** Undefined when nobody is there, or whoever was there has made room. */
async function tryConnect(
  { stateDir, silenceMs = SILENCE_MS }: ConnectOptions,
  build: Build,
): Promise<Client | undefined> {
  const pointer = readPointer(stateDir);
  if (pointer === undefined || !isSafe(pointer)) return undefined;
  let client: Client;
  try {
    client = await greet(connect(pointer.socket), { ...build, protocol: PROTOCOL }, { pid: pointer.pid, silenceMs });
  } catch (error) {
    // The queue of connections is full: somebody listens, and takes none.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') throw unresponsive(pointer.pid, silenceMs);
    // Dead, or it died in this moment: a new one takes its place. A living one that has lost its socket restores it.
    if (error instanceof Fault ? error.code === 'GATEWAY_LOST' : 'syscall' in (error as Error)) return undefined;
    throw error;
  }
  if (client.daemon.answer === 'served') return client;
  if (client.daemon.answer === 'refused') throw otherProtocol(client);
  await closedInTime(client, silenceMs);
  return undefined;
}

/** A daemon that makes room has no sessions to end; one that hangs while it does is told as any that hangs. */
async function closedInTime(client: Client, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unresponsive(client.daemon.pid, limitMs)), limitMs);
  });
  try {
    await Promise.race([client.closed(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Where others could have put a socket, nothing is said: the daemon that is started finds a safe place. */
function isSafe({ socket }: Pointer): boolean {
  try {
    return whySocketUnsafe(socket) === undefined;
  } catch {
    return false; // the folder is gone, and the socket with it
  }
}

function notRunning(stateDir: string): Fault {
  return new Fault('GATEWAY_NOT_RUNNING', 'no daemon is running', {
    hint: 'pincer exec starts one',
    details: { stateDir },
  });
}

function noProgram(): Fault {
  return new Fault('GATEWAY_START_FAILED', 'the program that the daemon is started from is missing', {
    hint: 'install pincer again, or build it with npm run build',
  });
}

function otherProtocol({ daemon }: Client): Fault {
  return new Fault(
    'GATEWAY_PROTOCOL',
    `the daemon of version ${daemon.version} (process ${daemon.pid}) has work and does not understand this version`,
    {
      hint: 'wait until its sessions have ended, or end them with pincer daemon stop --force',
      details: { pid: daemon.pid, version: daemon.version, protocol: daemon.protocol, ours: PROTOCOL },
    },
  );
}
