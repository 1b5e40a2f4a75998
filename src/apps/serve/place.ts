/**
 * What commands run through: this process becomes the daemon of the state folder. One that is idle makes room; through one
 * that has sessions, or sandboxes with changes that can be undone, the commands are run, so that nothing of it is lost.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import type { Gateway } from '../../wire/methods.ts';
import { connectGateway } from '../client/connect.ts';
import type { Client } from '../client/socket.ts';
import { type Daemon, type DaemonOptions, openDaemon } from '../daemon/daemon.ts';

/** The place that was taken. */
export interface Place {
  gateway(): Promise<Gateway>;
  /** The process that holds the sessions, where it is not this one. */
  readonly other?: { readonly pid: number };
  /** Resolves when somebody asked the daemon in this process to leave; never where there is none. */
  readonly asked: Promise<string>;
  close(): Promise<boolean>;
}

export interface PlaceOptions extends Omit<DaemonOptions, 'umask' | 'stays'> {
  /** The program that another daemon is started from. */
  readonly program: string;
}

/** How long one that said that it leaves may take for it. */
const ROOM_MS = 20_000;
const LOOK_MS = 20;

export async function takePlace(options: PlaceOptions): Promise<Place> {
  for (const deadline = performance.now() + ROOM_MS; ; ) {
    const daemon = await own(options);
    if (daemon !== undefined) return placeOf(daemon);
    const other = await whoIsThere(options);
    if (other !== undefined && !(await makesRoom(other))) return through(other, options);
    if (performance.now() > deadline) throw stuck(options.stateDir);
    await pause(LOOK_MS);
  }
}

/** What it keeps is for its owner alone; what agents write has the mask of whoever started the server. */
async function own(options: PlaceOptions): Promise<Daemon | undefined> {
  const umask = process.umask(0o077);
  try {
    return await openDaemon({ ...options, umask, stays: true });
  } finally {
    process.umask(umask);
  }
}

function placeOf(daemon: Daemon): Place {
  return { gateway: async () => daemon.gateway, asked: daemon.stopRequested, close: () => daemon.close() };
}

/** Undefined when whoever had the lock has gone in the meantime, or is not ready yet. */
async function whoIsThere({ stateDir, program }: PlaceOptions): Promise<Client | undefined> {
  try {
    return await connectGateway({ stateDir, program, start: false });
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

async function makesRoom(other: Client): Promise<boolean> {
  const { stopping } = await other.call('daemon.stop', { makeRoom: true });
  if (stopping) await other.closed();
  return stopping;
}

/** The connection keeps it from leaving; should it die, another one is started. */
function through(first: Client, { stateDir, program }: PlaceOptions): Place {
  let connected: Promise<Client> | undefined;
  const known = (client: Promise<Client>): Promise<Client> => {
    connected = client;
    const forget = (): void => void (connected = undefined);
    client.then((there) => there.closed()).then(forget, forget);
    return client;
  };
  void known(Promise.resolve(first));
  return {
    other: { pid: first.daemon.pid },
    asked: new Promise(() => {}),
    gateway: () => connected ?? known(connectGateway({ stateDir, program })),
    async close() {
      (await connected)?.close();
      return true;
    },
  };
}

function stuck(stateDir: string): Fault {
  return new Fault('GATEWAY_START_FAILED', 'another daemon has the state folder and neither answers nor leaves', {
    hint: 'pincer daemon status says which; pincer daemon stop --force ends it',
    details: { stateDir },
  });
}
