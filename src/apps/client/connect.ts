/** Connects to the daemon of a state folder, or starts one and connects. Small, because every command loads this. */
import { connect } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { type Build, PROTOCOL } from '../../wire/message.ts';
import { type Pointer, readPointer, whySocketUnsafe } from '../daemon/pointer.ts';
import { buildOf, programFile } from './program.ts';
import { SILENCE_MS, unresponsive } from './silence.ts';
import { type Client, greet } from './socket.ts';

export interface ConnectOptions {
  readonly stateDir: string;
  /** Starts a daemon if none runs (default: true). */
  readonly start?: boolean;
  /** Started as `node PROGRAM daemon run` (default: the built program). */
  readonly program?: string;
  /** Timeout of the start. Default: 15,000. */
  readonly startMs?: number;
  /** Longest silence of the daemon while a request waits. Default: 10,000. */
  readonly silenceMs?: number;
}

export async function connectGateway(options: ConnectOptions): Promise<Client> {
  const program = options.program ?? programFile();
  const build = buildOf(program);
  const present = await tryConnect(options, build);
  if (present !== undefined) return present;
  if (options.start === false) throw notRunning(options.stateDir);
  if (program === undefined) throw noProgram();
  const { startAndConnect } = await import('./start.ts');
  return startAndConnect(program, options.stateDir, options.startMs ?? 15_000, () => tryConnect(options, build));
}

/** Undefined if no daemon listens, or if the daemon has exited to be replaced. */
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
    // The backlog of the socket is full: a process listens, but accepts no connection.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') throw unresponsive(pointer.pid, silenceMs);
    // The daemon is dead or has just died: a new one replaces it. A running one that lost its socket restores it.
    if (error instanceof Fault ? error.code === 'GATEWAY_LOST' : 'syscall' in (error as Error)) return undefined;
    throw error;
  }
  if (client.daemon.answer === 'served') return client;
  if (client.daemon.answer === 'refused') throw otherProtocol(client);
  await closedInTime(client, silenceMs);
  return undefined;
}

/** A daemon that exits to be replaced has no sessions to end, so it must close in time. */
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

/** Never connect to a socket that another user could have created: a new daemon chooses a safe folder. */
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
  return new Fault('GATEWAY_START_FAILED', 'the program file of the daemon is missing', {
    hint: 'install pincer again, or build it with npm run build',
  });
}

function otherProtocol({ daemon }: Client): Fault {
  return new Fault(
    'GATEWAY_PROTOCOL',
    `the running daemon (version ${daemon.version}, pid ${daemon.pid}) does not support this version, and is busy`,
    {
      hint: 'wait until its sessions have ended, or end them with pincer daemon stop --force',
      details: { pid: daemon.pid, version: daemon.version, protocol: daemon.protocol, ours: PROTOCOL },
    },
  );
}
