/** A node in this process, and what a gateway sees of it through a channel. */
import { randomUUID } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createGatewayCalls, type GatewayCalls, type GatewayCallsParts } from '../../../src/apps/node/gateway-calls.ts';
import { createGuestFiles } from '../../../src/apps/node/guest-files.ts';
import type { NodeTerms } from '../../../src/apps/node/guest.ts';
import { type NodeStore, openNodeStore } from '../../../src/apps/node/node-store.ts';
import { execSettings } from '../../../src/config/exec-settings.ts';
import { applyRestrictions } from '../../../src/config/load/load.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { type Channel, openChannel } from '../../../src/hosts/channel/channel.ts';
import type { GatewayOptions } from '../../../src/hosts/gateway/gateway.ts';
import type { OutgoingCall } from '../../../src/hosts/channel/requests.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { NODE_METHODS, type NodeMethod, type NodeMethods } from '../../../src/wire/nodes/methods.ts';
import { check, type Schema } from '../../../src/wire/schema.ts';
import { builtScript } from '../../support/built.ts';
import { testGateway, type TestGateway } from '../../support/gateway.ts';

export const GATEWAY = 'g'.repeat(32);

export interface LinkedNode extends TestGateway {
  readonly calls: GatewayCalls;
  readonly store: NodeStore;
  connect(gateway?: string): GatewayEnd;
}

export interface GatewayEnd {
  readonly channel: Channel;
  /** The result, checked as a gateway does. */
  call<M extends NodeMethod>(
    method: M,
    params: NodeMethods[M]['params'],
    options?: OutgoingCall,
  ): Promise<NodeMethods[M]['result']>;
  exec(command: string, more?: Partial<NodeMethods['exec.start']['params']>): Exec;
  cut(): void;
}

export interface Exec {
  readonly key: string;
  readonly output: () => string;
  readonly events: readonly NodeMethods['exec.start']['event'][];
  readonly result: Promise<NodeMethods['exec.start']['result']>;
  readonly cancel: () => void;
}

interface LinkedNodeOptions {
  readonly terms?: Partial<NodeTerms>;
  readonly root?: string;
  /** Identifies the start of the machine (default: the one of this machine). */
  readonly boot?: string;
}

/** Commands run without questions. */
export const OPEN: ConfigFile = { tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } };

export async function linkedNode(
  config: ConfigFile = OPEN,
  more: Partial<GatewayCallsParts> & LinkedNodeOptions = {},
): Promise<LinkedNode> {
  const { terms, root, boot, ...parts } = more as Omit<Partial<GatewayCallsParts>, 'terms'> & LinkedNodeOptions;
  const loaded = { config, sources: [], warnings: [] };
  const settingsFor: GatewayOptions['settingsFor'] = async (_, agent, restrictions) =>
    execSettings(restrictions === undefined ? loaded : applyRestrictions(loaded, restrictions), agent, '/');
  const node = await testGateway(config, { settingsFor }, ...(root === undefined ? [] : [root]));
  const store = await openNodeStore(node.stateDir, boot === undefined ? {} : { boot });
  const own = (): NodeTerms => ({
    exec: 'judged',
    sandbox: false,
    files: 'rw',
    answers: 'once',
    workspace: node.folder,
    workspaceFrom: 'config',
    environment: { HOME: node.folder, PATH: '/usr/bin:/bin' },
    path: '/usr/bin:/bin',
    pathPrefixes: [],
    platform: 'linux',
    confirmed: true,
    ...terms,
  });
  const files = createGuestFiles({
    terms: async () => own(),
    stateDir: node.stateDir,
    runner: builtScript('runner'),
    umask: 0o022,
  });
  const calls = createGatewayCalls({
    local: node.gateway,
    files,
    store,
    terms: async () => own(),
    version: '1',
    key: newIdentity,
    log: () => {},
    ...parts,
  });
  onTestFinished(async () => {
    await calls.close();
    await node.gateway.close().catch(() => undefined);
    store.close();
  });
  return { ...node, calls, store, connect: (gateway = GATEWAY) => connected(calls, gateway) };
}

function connected(calls: GatewayCalls, gateway: string): GatewayEnd {
  const [left, right] = duplexPair();
  left.on('close', () => right.destroy()).on('error', () => {});
  right.on('close', () => left.destroy()).on('error', () => {});
  const lost = (reason: string): Error => new Error(`lost: ${reason}`);
  openChannel(left, { trust: 'paired', side: 'opener', serve: calls.serve(gateway), methods: NODE_METHODS, lost });
  const channel = openChannel(right, { trust: 'paired', side: 'acceptor', lost });
  const cut = (): void => void left.destroy();
  onTestFinished(cut);
  const call: GatewayEnd['call'] = async (method, params, options) => {
    const { result } = NODE_METHODS[method] as { readonly result: Schema<never> };
    return check(result, await channel.call(method, params, options), method);
  };
  return {
    channel,
    cut,
    call,
    exec(command, { key = randomUUID(), request, ...more } = {}) {
      const events: NodeMethods['exec.start']['event'][] = [];
      const parts: Buffer[] = [];
      const stop = new AbortController();
      const params = { key, caller: { agent: 'main' }, request: { ...request, command }, ...more };
      const result = call('exec.start', params, {
        signal: stop.signal,
        event: (event) => events.push(check(NODE_METHODS['exec.start'].event, event, 'event')),
        log: ({ bytes }) => parts.push(Buffer.from(bytes)),
      });
      result.catch(() => undefined);
      return { key, events, result, output: () => Buffer.concat(parts).toString(), cancel: () => stop.abort() };
    },
  };
}
