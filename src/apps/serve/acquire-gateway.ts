/**
 * Acquires the gateway of the server. This process becomes the daemon of the state folder, and an idle daemon exits for it.
 * If another daemon has sessions, or sandboxes with changes that can be undone, it stays and runs the commands, so that
 * nothing is lost.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import type { Gateway, Methods } from '../../wire/methods.ts';
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
    const refusal = other === undefined ? undefined : await stopIfIdle(other);
    if (other !== undefined && refusal !== undefined) {
      if (options.mustBeOwn !== true) return useOther(other, options);
      other.close();
      throw inUse(other.daemon.pid, refusal);
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

type StopAnswer = Methods['daemon.stop']['result'];

/** Returns its answer if it does not stop. */
async function stopIfIdle(other: Client): Promise<StopAnswer | undefined> {
  const answer = await other.call('daemon.stop', { makeRoom: true });
  if (!answer.stopping) return answer;
  await other.closed();
  return undefined;
}

/** What to do about a server that runs in the foreground. */
export const STOP_FIRST =
  'stop it with Ctrl-C where it runs, or with pincer daemon stop --force; then run this command again';

const KEPT_BY = {
  foreground: {
    what: 'is pincer serve, gateway or node run',
    hint: STOP_FIRST,
  },
  'sandbox-changes': {
    what: 'has sandbox changes that can be undone',
    hint: 'pincer changes lists them; pincer daemon stop --force ends it, and they can no longer be undone',
  },
} as const;
const BUSY_HINT = 'wait until it is idle, or end it with pincer daemon stop --force';

function inUse(pid: number, { running: all, onNodes = 0, withLeftovers = 0, keptBy }: StopAnswer): Fault {
  const running = all - onNodes + withLeftovers;
  const sessions = `runs ${running === 1 ? '1 session' : `${running} sessions`}`;
  const { what, hint } = running > 0 || keptBy === undefined ? { what: sessions, hint: BUSY_HINT } : KEPT_BY[keptBy];
  return new Fault('GATEWAY_IN_USE', `the daemon of the state folder (pid ${pid}) ${what}`, {
    hint,
    details: { pid, running },
  });
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
