/** `pincer nodes nats-setup`: the keys and the configuration files of NATS servers, written once. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import { parseNatsServers } from '../../channel/carriers/nats-connect.ts';
import { makeFolder } from '../../files/state-folder.ts';
import { writePrivate } from '../../files/write-private.ts';
import { accountToken, operatorToken } from './claims.ts';
import { newSeed, type Nkey, type NkeyRole, nkeyOf } from './nkeys.ts';

export interface NatsSetup {
  /** Absolute; it must not exist, or be empty. */
  readonly folder: string;
  /** `nats://host:port` or `tls://host:port`, separated by commas. */
  readonly servers: string;
  /** Where a server keeps its data (default: a folder next to its configuration). */
  readonly store?: string;
  /** Paths on the servers; needed for `tls://`. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly now: number;
}

export interface NatsSetupFiles {
  readonly servers: readonly { readonly address: string; readonly config: string }[];
  /** For the gateway that revokes nodes. */
  readonly creds: string;
  /** For further gateways. */
  readonly otherCreds: string;
  /** The keys of operator and accounts; nothing needs them in operation. */
  readonly keys: string;
}

/** Added to the port for clients: 4222 becomes 6222, the usual port of routes. */
const ROUTE_PORT = 2000;
const HIGHEST_PORT = 65_535;

interface Seed {
  readonly seed: string;
  readonly key: Nkey;
}

/** Writes all files or none. */
export function setUpNats(setup: NatsSetup): NatsSetupFiles {
  const servers = parseNatsServers(setup.servers);
  checkTls(servers, setup.tls);
  for (const server of servers) checkPort(server);
  const folder = resolve(setup.folder);
  if (existsSync(folder) && (!isFolder(folder) || readdirSync(folder).length > 0)) throw existing(folder);
  const content = filesOf(servers, { ...setup, folder });
  makeFolder(dirname(folder));
  const staged = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    for (const [name, text] of Object.entries(content)) writePrivate(join(staged, name), text, { durable: true });
    renameSync(staged, folder);
  } catch (error) {
    rmSync(staged, { recursive: true, force: true });
    throw new Fault('FS_WRITE_FAILED', `cannot write the NATS setup to ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return {
    servers: servers.map((address, i) => ({ address, config: join(folder, configName(i)) })),
    creds: join(folder, 'gateway.json'),
    otherCreds: join(folder, 'other-gateways.json'),
    keys: join(folder, 'keys.json'),
  };
}

function filesOf(servers: readonly string[], setup: NatsSetup): Readonly<Record<string, string>> {
  const [operator, operatorKey] = [newKey('operator'), newKey('operator')];
  const [account, accountKey] = [newKey('account'), newKey('account')];
  const [system, systemKey] = [newKey('account'), newKey('account')];
  const issuedAt = setup.now;
  const operatorJwt = operatorToken(operator.key, {
    name: 'pincer',
    issuedAt,
    signingKeys: [operatorKey.key.publicKey],
    systemAccount: system.key.publicKey,
  });
  const accounts = [
    { name: 'pincer', own: account, signing: accountKey, hasJetStream: true },
    { name: 'system', own: system, signing: systemKey, hasJetStream: false },
  ].map(({ name, own, signing, hasJetStream }) => ({
    account: own.key.publicKey,
    jwt: accountToken(operatorKey.key, {
      name,
      issuedAt,
      account: own.key.publicKey,
      signingKeys: [signing.key.publicKey],
      hasJetStream,
    }),
  }));
  const routePassword = randomBytes(24).toString('hex');
  const common = { operatorJwt, accounts, system: system.key.publicKey, routePassword, servers, setup };
  const creds = { account: account.key.publicKey, accountKey: accountKey.seed };
  const admin = {
    operatorKey: operatorKey.seed,
    systemAccount: system.key.publicKey,
    systemKey: systemKey.seed,
  };
  return {
    ...Object.fromEntries(servers.map((address, i) => [configName(i), serverConfig(address, i, common)])),
    'gateway.json': jsonText({ ...creds, admin }),
    'other-gateways.json': jsonText(creds),
    'keys.json': jsonText({ operator: operator.seed, account: account.seed, systemAccount: system.seed }),
  };
}

interface ServerParts {
  readonly operatorJwt: string;
  readonly accounts: readonly { readonly account: string; readonly jwt: string }[];
  readonly system: string;
  readonly routePassword: string;
  readonly servers: readonly string[];
  readonly setup: NatsSetup;
}

function serverConfig(address: string, index: number, parts: ServerParts): string {
  const { setup, servers } = parts;
  const { hostname, port } = hostOf(address);
  const store = setup.store ?? join(setup.folder, `server-${index + 1}`);
  const tls =
    setup.tls === undefined ? '' : `tls { cert_file: ${quoted(setup.tls.cert)}, key_file: ${quoted(setup.tls.key)} }\n`;
  const routes = servers
    .filter((other) => other !== address)
    .map(hostOf)
    .map((other) => quoted(`nats-route://pincer:${parts.routePassword}@${other.hostname}:${other.port + ROUTE_PORT}`));
  const cluster =
    servers.length === 1
      ? ''
      : `cluster {
  name: pincer
  listen: ${quoted(`${hostname}:${port + ROUTE_PORT}`)}
  authorization { user: pincer, password: ${quoted(parts.routePassword)} }
  routes: [${routes.join(', ')}]
  ${tls}}
`;
  return `# NATS server ${index + 1} of ${servers.length} for pincer. Written by pincer nodes nats-setup.
server_name: pincer-${index + 1}
listen: ${quoted(`${hostname}:${port}`)}
${tls}jetstream { store_dir: ${quoted(join(store, 'jetstream'))} }
operator: ${parts.operatorJwt}
system_account: ${parts.system}
resolver { type: full, dir: ${quoted(join(store, 'accounts'))}, allow_delete: false, interval: "2m" }
resolver_preload {
${parts.accounts.map(({ account, jwt }) => `  ${account}: ${jwt}`).join('\n')}
}
${cluster}`;
}

function newKey(role: NkeyRole): Seed {
  const seed = newSeed(role);
  return { seed, key: nkeyOf(role, seed)! };
}

function hostOf(address: string): { readonly hostname: string; readonly port: number } {
  const { hostname, port } = new URL(address);
  return { hostname, port: Number(port === '' ? 4222 : port) };
}

function configName(index: number): string {
  return `server-${index + 1}.conf`;
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function checkTls(servers: readonly string[], tls: NatsSetup['tls']): void {
  const wanted = servers[0]!.startsWith('tls:');
  if (wanted === (tls !== undefined)) return;
  throw new Fault('PARAM_INVALID', wanted ? 'servers with tls:// need a certificate' : 'nats:// servers use no TLS', {
    hint: wanted ? 'add --cert FILE and --key FILE, as the servers find them' : 'write the servers as tls://host:port',
  });
}

function checkPort(server: string): void {
  const { port } = hostOf(server);
  const highest = HIGHEST_PORT - ROUTE_PORT;
  if (port > 0 && port <= highest) return;
  throw new Fault('PARAM_INVALID', `the port of ${server} is not from 1 to ${highest}`, {
    hint: `choose another port: servers also use the port that is ${ROUTE_PORT} higher, among themselves`,
  });
}

/** As NATS reads texts: with the escapes of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function existing(folder: string): Fault {
  return new Fault('FS_EXISTS', `${folder} is not empty`, {
    hint: 'keep the existing setup, or choose another folder with --dir: new keys do not fit servers that run',
    details: { folder },
  });
}
