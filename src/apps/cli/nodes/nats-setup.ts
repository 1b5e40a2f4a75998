/** `pincer nodes nats-setup`: writes the files of NATS servers, and shows what to start and to set. */
import { join, resolve } from 'node:path';
import { stateFolder } from '../../../config/state.ts';
import { type NatsSetupFiles, setUpNats } from '../../../hosts/nodes/fleet/setup.ts';
import { shellLine } from '../../init/launch.ts';
import { type ParsedArguments, usage } from '../arguments.ts';
import { shapeOf } from '../definition.ts';
import { definition } from './definition.ts';

const DEFAULT_SERVERS = 'nats://127.0.0.1:4222';

export function runNatsSetup(
  { options }: ParsedArguments,
  print: (value: object, text: () => string) => number,
): number {
  const { dir, servers = DEFAULT_SERVERS, store, cert, key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw usage(shapeOf(definition, 'nats-setup'), '--cert and --key belong together');
  const files = setUpNats({
    folder: dir === undefined ? join(stateFolder(), 'nats') : resolve(dir),
    servers,
    ...(store === undefined ? {} : { store: resolve(store) }),
    ...(cert === undefined || key === undefined ? {} : { tls: { cert: resolve(cert), key: resolve(key) } }),
    now: Date.now(),
  });
  const setting = { servers: files.servers.map(({ address }) => address), creds: files.creds };
  return print({ ...files, setting }, () => setupText(files, JSON.stringify(setting)));
}

function setupText(files: NatsSetupFiles, setting: string): string {
  const starts = files.servers.map(({ config }) => `  ${shellLine(['nats-server', '-c', config])}\n`).join('');
  return `Start ${files.servers.length === 1 ? 'the server' : 'each server on its machine'}:

${starts}
Then, on the gateway:

  ${shellLine(['pincer', 'config', 'set', 'gateway.cluster.nats', setting])}
  pincer gateway
  pincer nodes invite

Another gateway uses ${files.otherCreds} as creds.
${files.creds} can also revoke nodes: one gateway has it.
Keep a copy of ${files.keys} in a safe place; no program needs it.
`;
}
