/** This machine as a gateway of nodes, and as a node. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { Fault } from '../../../../base/fault.ts';
import { messageOf } from '../../../../base/message-of.ts';
import { loadConfig } from '../../../../config/load/load.ts';
import { natsSettings, nodeListenSettings } from '../../../../config/server-settings.ts';
import { readSecret } from '../../../../hosts/files/secret-file.ts';
import { nodeKeyFiles } from '../../../../hosts/identity/node-keys.ts';
import { readNatsCredentials } from '../../../../hosts/nodes/fleet/credentials.ts';
import type { NodeListenOptions } from '../../../../hosts/nodes/listener.ts';
import type { NodeDetails } from '../../../../wire/nodes/administration.ts';
import { connectGateway } from '../../../client/connect.ts';
import { readPointer } from '../../../daemon/pointer.ts';
import { openNodeStore } from '../../../node/node-store.ts';
import { readNodeState } from '../../../node/state-file.ts';
import { isLoopback } from '../../../serve/gate.ts';
import { stateText } from '../../node/state-text.ts';
import { quoteCommand } from '../../exec/quote-command.ts';
import { type Check, type DoctorContext, fail, type Finding, ok, skip, warn } from '../check.ts';
import { setMode } from './own-file.ts';
import { version } from '../../../../../package.json';

export const gateway: Check = {
  id: 'gateway',
  async run({ stateDir, folder, env, program }) {
    const config = await loadConfig({ folder, env, includeEnvironment: true });
    const [listen, nats] = [nodeListenSettings(config), natsSettings(config)];
    if (listen === undefined && nats === undefined) return skip('neither nodes.listen nor gateway.cluster.nats is set');
    return [
      ...(listen === undefined ? [] : listenFindings(listen)),
      ...(nats === undefined ? [] : credentials(nats.creds)),
      ...(await listening(stateDir, program)),
    ];
  },
};

function listenFindings({ host, port, tls }: NodeListenOptions): readonly Finding[] {
  const exposed: readonly Finding[] = isLoopback(host)
    ? []
    : ok(
        `nodes.listen is ${host}:${port}: other machines reach the port, which accepts only paired nodes and requests`,
      );
  return [...(tls === 'own' ? [] : certificate(tls)), ...exposed];
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

async function listening(stateDir: string, program: string): Promise<readonly Finding[]> {
  if (readPointer(stateDir) === undefined) return warn('pincer gateway is not running', 'pincer gateway');
  const client = await connectGateway({ stateDir, program, start: false });
  try {
    const { nodes } = await client.call('daemon.status', {});
    if (nodes === undefined) return warn('pincer gateway is not running: the daemon does not listen', 'pincer gateway');
    const paired = (await client.call('node.list', {})).filter(({ state }) => state === 'paired');
    const details = await Promise.all(paired.map(({ id }) => client.call('node.show', { node: id })));
    return [
      ...ok(`listens at ${nodes.url}; ${nodes.connected} of ${nodes.paired} nodes are connected`),
      ...(nodes.nats?.connected === false
        ? warn(`not connected to NATS: ${nodes.nats.reason}`, 'check that nats-server runs')
        : []),
      ...details.flatMap(nodeFindings),
    ];
  } finally {
    client.close();
  }
}

function nodeFindings(node: NodeDetails): readonly Finding[] {
  const { name, id, clonedAt, connected, version: its } = node;
  if (clonedAt !== undefined)
    return fail(`node ${name} is refused: two processes use its key`, `stop the copy, then pincer nodes approve ${id}`);
  if (connected && its !== version)
    return warn(`node ${name} has version ${its}, this program ${version}`, 'update one');
  return [];
}

export const ownNode: Check = {
  id: 'own-node',
  async run(context) {
    const { stateDir } = context;
    const keys = keyFindings(context);
    if (!existsSync(join(stateDir, 'node.db'))) return keys.length > 0 ? keys : skip('this machine is no node');
    const store = await openNodeStore(stateDir);
    try {
      const paired = store.paired();
      const running = readNodeState(stateDir);
      if (paired === undefined) return [...keys, ...skip('this machine is no node')];
      if (running === undefined)
        return [...keys, ...warn(`paired with ${paired.url}; pincer node run is not running`, 'pincer node run')];
      const state = `${paired.url}: ${stateText(running.connection)}`;
      const isConnected = running.connection.state === 'connected';
      return [...keys, ...(isConnected ? ok(state) : warn(state, 'check the address and the gateway'))];
    } finally {
      store.close();
    }
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
