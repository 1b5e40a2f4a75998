/** This machine as a gateway of nodes, and as a node. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { Fault } from '../../../../base/fault.ts';
import { messageOf } from '../../../../base/message-of.ts';
import { loadConfig } from '../../../../config/load/load.ts';
import { natsSettings, nodeListenSettings } from '../../../../config/server-settings.ts';
import { readSecret } from '../../../../hosts/files/secret-file.ts';
import { isNatsUrl } from '../../../../hosts/identity/invitation.ts';
import { nodeKeyFiles } from '../../../../hosts/identity/node-keys.ts';
import type { DaemonStatus } from '../../../../wire/methods.ts';
import { readNatsCredentials } from '../../../../hosts/nodes/fleet/credentials.ts';
import type { NodeListenOptions } from '../../../../hosts/nodes/listener.ts';
import type { NodeDetails } from '../../../../wire/nodes/administration.ts';
import type { NodeInfo } from '../../../../wire/nodes/node.ts';
import { connectGateway } from '../../../client/connect.ts';
import { readPointer } from '../../../daemon/pointer.ts';
import { readPairing } from '../../../node/node-store.ts';
import { readNodeState } from '../../../node/state-file.ts';
import { isLoopback } from '../../../serve/gate.ts';
import { servingIn } from '../../../serve/serving-file.ts';
import { stateText, termsRows } from '../../node/state-text.ts';
import { ownNodeStatus } from '../../node/status.ts';
import { quoteCommand } from '../../exec/quote-command.ts';
import { bindingProblem, type NodeBinding, nodeBindings } from '../../../node-bindings.ts';
import { type Check, type DoctorContext, fail, type Finding, ok, skip, warn } from '../check.ts';
import { setMode } from './own-file.ts';
import { version } from '../../../../../package.json';

export const gateway: Check = {
  id: 'gateway',
  async run({ stateDir, folder, env, program }) {
    const loaded = await loadConfig({ folder, env, includeEnvironment: true });
    const listen = nodeListenSettings(loaded);
    const bindings = nodeBindings(loaded.config);
    const nats = natsSettings(loaded);
    const isGateway = listen !== undefined || nats !== undefined;
    if (!isGateway && bindings.length === 0) return skip('neither nodes.listen nor gateway.cluster.nats is set');
    return [
      ...(listen === undefined ? [] : listenFindings(listen)),
      ...(nats === undefined ? [] : credentials(nats.creds)),
      ...(await running({ stateDir, program }, isGateway, bindings)),
    ];
  },
};

function listenFindings({ host, port, tls }: NodeListenOptions): readonly Finding[] {
  const exposed: readonly Finding[] = isLoopback(host)
    ? []
    : ok(
        `nodes.listen is ${host}:${port}: other machines reach the port, which accepts only paired nodes and requests`,
      );
  if (tls === 'proxy') return proxy(host, port);
  return [...(tls === 'own' ? [] : certificate(tls)), ...exposed];
}

function proxy(host: string, port: number): readonly Finding[] {
  return isLoopback(host)
    ? ok(`nodes.tls is proxy: a reverse proxy terminates TLS, and passes connections on to ${host}:${port}`)
    : fail(
        `nodes.tls is proxy, and nodes.listen is ${host}:${port}, which is not loopback`,
        quoteCommand(['pincer', 'config', 'set', 'nodes.listen', `127.0.0.1:${port}`]),
      );
}

function credentials(path: string): readonly Finding[] {
  try {
    const { admin } = readNatsCredentials(path);
    return ok(`${path} ${admin === undefined ? 'is for a further gateway' : 'can revoke nodes of all gateways'}`);
  } catch (error) {
    return fail(messageOf(error), error instanceof Fault ? (error.hint ?? '') : '');
  }
}

function certificate(files: { readonly cert: string; readonly key: string }): readonly Finding[] {
  try {
    createSecureContext({ cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') });
    return ok(`${files.cert} and its key are readable`);
  } catch (error) {
    return fail(`nodes.tls cannot be used: ${messageOf(error)}`, 'correct the paths, or set nodes.tls to own');
  }
}

/** What only the daemon knows: its connections and its nodes. */
async function running(
  { stateDir, program }: Pick<DoctorContext, 'stateDir' | 'program'>,
  isGateway: boolean,
  bindings: readonly NodeBinding[],
): Promise<readonly Finding[]> {
  if (readPointer(stateDir) === undefined) {
    const hasRecords = existsSync(join(stateDir, 'gateway.db'));
    return [
      ...(isGateway ? warn('pincer gateway is not running', 'pincer gateway') : []),
      ...(hasRecords ? unknownBindings(bindings) : bindingFindings(bindings, [])),
    ];
  }
  const client = await connectGateway({ stateDir, program, start: false });
  try {
    const { nodes } = await client.call('daemon.status', {});
    const known = await client.call('node.list', {});
    const gone = bindingFindings(bindings, known);
    if (nodes === undefined) {
      const silent = 'pincer gateway is not running: no node can connect to the daemon';
      return [...(isGateway ? warn(silent, startGateway(stateDir)) : []), ...gone];
    }
    const paired = known.filter(({ state }) => state === 'paired');
    const details = await Promise.all(paired.map(({ id }) => client.call('node.show', { node: id })));
    return [...connectionFindings(nodes), ...details.flatMap(nodeFindings), ...gone];
  } finally {
    client.close();
  }
}

/** An idle daemon exits for the gateway; a server does not. */
function startGateway(stateDir: string): string {
  const server = servingIn(stateDir);
  return server === undefined
    ? 'pincer gateway'
    : `stop pincer serve (pid ${server.pid}) with Ctrl-C where it runs, then start pincer gateway`;
}

function connectionFindings(nodes: NonNullable<DaemonStatus['nodes']>): readonly Finding[] {
  const { url, connected, paired, nats } = nodes;
  const counts = `${connected} of ${paired} nodes are connected`;
  if (nats !== undefined && !nats.connected) {
    const why = nats.reason === undefined ? '' : ` (${nats.reason})`;
    return warn(`NATS is not connected${why}; ${counts}`, 'check gateway.cluster.nats and the servers');
  }
  return ok(`${isNatsUrl(url) ? 'connected to' : 'listens at'} ${url}; ${counts}`);
}

/** Settings whose node was renamed or removed, or was never paired. */
function bindingFindings(bindings: readonly NodeBinding[], nodes: readonly NodeInfo[]): readonly Finding[] {
  return bindings.flatMap(({ path, name }) => {
    const problem = bindingProblem(name, nodes);
    return problem === undefined
      ? []
      : warn(`${path}: ${problem}`, `${quoteCommand(['pincer', 'config', 'set', path])} <node>`);
  });
}

function unknownBindings(bindings: readonly NodeBinding[]): readonly Finding[] {
  if (bindings.length === 0) return [];
  return skip(`whether the nodes of ${bindings.map(({ path }) => path).join(', ')} are paired: no daemon is running`);
}

function nodeFindings(node: NodeDetails): readonly Finding[] {
  const { name, id, clonedAt, connected, offer, version: its } = node;
  if (clonedAt !== undefined)
    return fail(`node ${name} is refused: two processes use its key`, `stop the copy, then pincer nodes approve ${id}`);
  if (connected && its !== version)
    return warn(`node ${name} has version ${its}, this program ${version}`, 'update one');
  if (connected && offer.unconfirmed === true)
    return warn(
      `node ${name} is connected with restrictions: each command needs an answer there, and it offers no files`,
      'on that machine: pincer node confirm <digits>, with the digits that pincer nodes approve printed',
    );
  if (connected && offer.sandboxUnavailable === true)
    return warn(
      `node ${name} refuses commands: its setting node.sandbox is true, and no sandbox works there`,
      'on that machine: pincer node status',
    );
  return [];
}

const NOT_CONFIRMED = warn(
  'the pairing is not confirmed: each command of the gateway needs an answer here, and it offers no files',
  'pincer node confirm <digits>, with the digits that pincer nodes approve printed on the gateway',
);

export const ownNode: Check = {
  id: 'own-node',
  async run(context) {
    const { stateDir } = context;
    const keys = keyFindings(context);
    const paired = await readPairing(stateDir);
    const running = readNodeState(stateDir);
    if (paired === undefined) return keys.length > 0 ? keys : skip('this machine is no node');
    const terms = termsRows(await ownNodeStatus(stateDir)).filter(([title]) => title === 'commands');
    const found = [
      ...keys,
      ...(paired.unconfirmed === undefined ? [] : NOT_CONFIRMED),
      ...terms.flatMap(([, text]) => ok(`commands of the gateway: ${text}`)),
    ];
    if (running === undefined)
      return [...found, ...warn(`paired with ${paired.url}; pincer node run is not running`, 'pincer node run')];
    const state = `${paired.url}: ${stateText(running.connection)}`;
    const isConnected = running.connection.state === 'connected';
    return [...found, ...(isConnected ? ok(state) : warn(state, 'check the address and the gateway'))];
  },
};

/** A key that other users can read is not used. */
function keyFindings({ stateDir }: DoctorContext): readonly Finding[] {
  const { current, next } = nodeKeyFiles(stateDir);
  return [join(stateDir, 'identity.json'), current, next].flatMap((file): readonly Finding[] => {
    const found = readSecret(file);
    if (found === undefined || 'bytes' in found) return [];
    const fix = quoteCommand(['chmod', '600', file]);
    return [
      { status: 'fail', message: `${file} is not used: ${found.problem}`, fix, repair: () => setMode(file, 0o600) },
    ];
  });
}
