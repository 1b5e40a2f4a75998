/** Real NATS servers on loopback, with the files that `pincer nodes nats-setup` writes. Each server is ended by its process id. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { closeNats, connectNats } from '../../src/hosts/channel/carriers/nats-connect.ts';
import { newIdentity } from '../../src/hosts/identity/keys.ts';
import { gatewayUser, readNatsCredentials } from '../../src/hosts/nodes/fleet/credentials.ts';
import { type NatsSetupFiles, setUpNats } from '../../src/hosts/nodes/fleet/setup.ts';
import { until } from './patience.ts';
import { makeFolder } from './folder.ts';

/** Debian's place. */
const PROGRAM = '/usr/sbin/nats-server';
const ROUTE_PORT = 2000;

/** Why no server can be started; undefined where one can. */
export function whyNoNats(): string | undefined {
  return existsSync(PROGRAM) ? undefined : `${PROGRAM} is missing`;
}

export interface NatsCluster {
  /** The addresses, separated by commas. */
  readonly servers: string;
  readonly files: NatsSetupFiles;
  readonly folder: string;
  /** Sends SIGKILL to a server, and waits for its end. */
  kill(index: number): Promise<void>;
  start(index: number): Promise<void>;
  log(index: number): string;
}

/** `tls`: paths of a certificate for `localhost` and its key. */
export async function natsCluster(
  count = 1,
  tls?: { readonly cert: string; readonly key: string },
): Promise<NatsCluster> {
  const folder = makeFolder();
  const host = tls === undefined ? 'nats://127.0.0.1' : 'tls://localhost';
  const addresses = (await freePorts(count)).map((port) => `${host}:${port}`);
  const servers = addresses.join(',');
  const files = setUpNats({
    folder: join(folder, 'nats'),
    servers,
    now: Date.now(),
    ...(tls === undefined ? {} : { tls }),
  });
  const running = new Map<number, ChildProcess>();
  const logOf = (index: number): string => join(folder, `server-${index}.log`);
  const kill = async (index: number): Promise<void> => {
    const child = running.get(index);
    running.delete(index);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  const start = async (index: number): Promise<void> => {
    const config = files.servers[index]!.config;
    running.set(index, spawn(PROGRAM, ['-c', config, '-l', logOf(index)], { stdio: 'ignore' }));
    await until(() => isOpen(addresses[index]!), `NATS server ${index}`);
  };
  onTestFinished(async () => {
    for (const index of running.keys()) await kill(index);
  });
  await Promise.all(addresses.map((_, index) => start(index)));
  return { servers, files, folder, kill, start, log: (index) => readFileSync(logOf(index), 'utf8') };
}

interface StreamInfo {
  readonly config: { readonly name: string; readonly num_replicas: number };
  readonly cluster: { readonly leader: string; readonly replicas?: readonly { readonly current: boolean }[] };
}

/** Asks the API of JetStream as a gateway does. */
async function withJetStream<T>(
  { files, servers }: NatsCluster,
  work: (asked: <A>(subject: string) => Promise<A>) => Promise<T>,
): Promise<T> {
  const user = gatewayUser(readNatsCredentials(files.creds), newIdentity(), Date.now());
  const nats = await connectNats({ servers: servers.split(','), user, name: 'test' });
  try {
    return await work(async <A>(subject: string) => (await nats.request(`$JS.API.STREAM.${subject}`)).json<A>());
  } finally {
    await closeNats(nats);
  }
}

/** The index of the server that leads the stream of a bucket. */
export async function leaderOf(cluster: NatsCluster, bucket: string): Promise<number> {
  const { cluster: found } = await withJetStream(cluster, (asked) => asked<StreamInfo>(`INFO.KV_${bucket}`));
  return Number(found.leader.replace('pincer-', '')) - 1;
}

/** The number of copies of each stream, by name; buckets are streams. Those of followers count when they are up to date. */
export function copiesOf(cluster: NatsCluster): Promise<Readonly<Record<string, number>>> {
  return withJetStream(cluster, async (asked) => {
    const { streams } = await asked<{ readonly streams: readonly string[] | null }>('NAMES');
    const found = await Promise.all((streams ?? []).map((name) => asked<StreamInfo>(`INFO.${name}`)));
    return Object.fromEntries(
      found.map(({ config, cluster: { replicas = [] } }) => {
        const copies = 1 + replicas.filter(({ current }) => current).length;
        return [config.name, Math.min(config.num_replicas, copies)];
      }),
    );
  });
}

function isOpen(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('data', () => socket.destroy());
  });
}

/** Ports that are free together with those for routes. */
async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort(0);
    if (port !== undefined && port + ROUTE_PORT < 65_536 && (await freePort(port + ROUTE_PORT)) !== undefined)
      ports.push(port);
  }
  return ports;
}

function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
}
