/**
 * Acquires the gateway of the server. This process becomes the daemon of the state folder, and an idle daemon exits for it.
 * If another daemon has sessions, or sandboxes with changes that can be undone, it stays and runs the commands, so that
 * nothing is lost.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import type { Gateway } from '../../wire/methods.ts';
import { connectGateway } from '../client/connect.ts';
import type { Client } from '../client/socket.ts';
import { type Daemon, type DaemonOptions, openDaemon } from '../daemon/daemon.ts';

export interface AcquiredGateway {
  gateway(): Promise<Gateway>;
  /** The daemon process, if it is not this one. */
  readonly other?: { readonly pid: number };
  /** Resolves when a client stops the daemon in this process; never if another process is the daemon. */
  readonly stopRequested: Promise<string>;
  close(): Promise<boolean>;
}

export interface AcquireOptions extends Omit<DaemonOptions, 'umask' | 'stays'> {
  /** Another daemon is started from this program. */
  readonly program: string;
  /** Fails with GATEWAY_IN_USE where another daemon has work, instead of using it. */
  readonly mustBeOwn?: true;
}

/** A daemon that is stopping may take this long. */
const STOP_MS = 20_000;
const POLL_MS = 20;

export async function acquireGateway(options: AcquireOptions): Promise<AcquiredGateway> {
  for (const deadline = performance.now() + STOP_MS; ; ) {
    const daemon = await openOwnDaemon(options);
    if (daemon !== undefined)
      return { gateway: async () => daemon.gateway, stopRequested: daemon.stopRequested, close: () => daemon.close() };
    const other = await connectToOther(options);
    if (other !== undefined && !(await stopIfIdle(other))) {
      if (options.mustBeOwn === true) throw await inUse(other);
      return useOther(other, options);
    }
    if (performance.now() > deadline) throw stuck(options.stateDir);
    await pause(POLL_MS);
  }
}

/** Only the owner may read the daemon's files; files of agents get the umask of the server. */
async function openOwnDaemon(options: AcquireOptions): Promise<Daemon | undefined> {
  const umask = process.umask(0o077);
  try {
    return await openDaemon({ ...options, umask, stays: true });
  } finally {
    process.umask(umask);
  }
}

/** Undefined if the other daemon has exited meanwhile, or is not ready yet. */
async function connectToOther({ stateDir, program }: AcquireOptions): Promise<Client | undefined> {
  try {
    return await connectGateway({ stateDir, program, start: false });
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

async function stopIfIdle(other: Client): Promise<boolean> {
  const { stopping } = await other.call('daemon.stop', { makeRoom: true });
  if (stopping) await other.closed();
  return stopping;
}

async function inUse(other: Client): Promise<Fault> {
  const { pid } = other.daemon;
  try {
    const { sessions } = await other.call('daemon.status', {});
    const running = sessions.running - (sessions.onNodes ?? 0) + (sessions.withLeftovers ?? 0);
    const work =
      running > 0
        ? `runs ${running === 1 ? '1 session' : `${running} sessions`}`
        : 'is pincer serve, gateway or node run, or has sandbox changes that can be undone';
    return new Fault('GATEWAY_IN_USE', `the daemon of the state folder (pid ${pid}) ${work}`, {
      hint: 'wait until it is idle, or end it with pincer daemon stop --force',
      details: { pid, running },
    });
  } finally {
    other.close();
  }
}

/** The open connection keeps the other daemon running; if it dies, a new one is started. */
function useOther(first: Client, { stateDir, program }: AcquireOptions): AcquiredGateway {
  let connected: Promise<Client> | undefined;
  const remember = (client: Promise<Client>): Promise<Client> => {
    connected = client;
    const forget = (): void => void (connected = undefined);
    client.then((there) => there.closed()).then(forget, forget);
    return client;
  };
  void remember(Promise.resolve(first));
  return {
    other: { pid: first.daemon.pid },
    stopRequested: new Promise(() => {}),
    gateway: () => connected ?? remember(connectGateway({ stateDir, program })),
    async close() {
      (await connected)?.close();
      return true;
    },
  };
}

function stuck(stateDir: string): Fault {
  return new Fault('GATEWAY_START_FAILED', 'another daemon has locked the state folder and neither answers nor exits', {
    hint: 'pincer daemon status shows it; pincer daemon stop --force ends it',
    details: { stateDir },
  });
}
