/** A gateway and real nodes in this process, each with a state folder of its own, connected in memory. */
import { onTestFinished } from 'vitest';
import type { NodeTerms } from '../../../src/apps/node/guest.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { type Link, openLink } from '../../../src/hosts/channel/link.ts';
import type { IncomingCall } from '../../../src/hosts/channel/serving.ts';
import type { GatewayOptions } from '../../../src/hosts/gateway/gateway.ts';
import { loadIdentity } from '../../../src/hosts/identity/keys.ts';
import type { Nodes } from '../../../src/hosts/nodes/shape.ts';
import { NODE_METHODS } from '../../../src/wire/nodes/methods.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { makeFolder } from '../../support/folder.ts';
import { type TestGateway, testGateway } from '../../support/gateway.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';
import { linkedNode, type LinkedNode } from './linked-node.ts';

export const ASKING: ConfigFile = { tools: { exec: { host: 'gateway' } } };
const ON_NODE: ConfigFile = { tools: { exec: { host: 'node' } } };

export interface JoinedNode {
  readonly info: NodeInfo;
  readonly machine: LinkedNode;
  /** Called before each call is served; may throw, or cut the link. */
  before: (call: IncomingCall) => Promise<void> | void;
  /** Its result is sent instead of that of the node: a hostile one. */
  instead: (call: IncomingCall) => unknown;
  /** Called after each call was served, before the gateway hears the result. */
  after: (call: IncomingCall) => Promise<void> | void;
  connect(): Link;
  cut(): void;
  readonly isConnected: boolean;
}

export interface Joined {
  host: TestGateway;
  readonly nodes: readonly JoinedNode[];
  readonly node: JoinedNode;
  /** The operator removes the first node. */
  remove(): void;
  /** Closes the gateway and opens another on the same state folder, to which all nodes connect. */
  restart(): Promise<void>;
}

interface Setting {
  readonly config?: ConfigFile;
  readonly nodeConfig?: ConfigFile;
  readonly names?: readonly string[];
  readonly terms?: Partial<NodeTerms>;
  readonly more?: Partial<GatewayOptions>;
}

let epochs = 0;

export async function joined(setting: Setting = {}): Promise<Joined> {
  const { config = ON_NODE, nodeConfig = ASKING, names = ['mac'], terms, more } = setting;
  const root = makeFolder();
  const entries: { info: NodeInfo; link: Link | undefined }[] = [];
  let listeners: ((node: NodeInfo, link: Link) => void)[] = [];
  let removed: ((node: NodeInfo) => void)[] = [];
  const linkOf = (entry: (typeof entries)[number] | undefined): Link | undefined =>
    entry?.link?.channel.lost === undefined ? entry?.link : undefined;
  const registry: Nodes = {
    list: () => entries.map((entry) => ({ ...entry.info, connected: linkOf(entry) !== undefined })),
    link: (id) => linkOf(entries.find(({ info }) => info.id === id)),
    isShared: () => false,
    onLink: (listener) => void listeners.push(listener),
    onRemoved: (listener) => void removed.push(listener),
    close: async () => {},
  };
  const open = (): Promise<TestGateway> => testGateway(config, { nodes: registry, ...more }, root);
  // The entries exist before the gateway, as paired nodes do after a restart.
  const machines = await Promise.all(
    names.map(() => linkedNode(nodeConfig, (terms === undefined ? {} : { terms }) as never)),
  );
  let host = await open();
  const { id: gatewayId } = loadIdentity(host.stateDir);
  const nodes = machines.map((machine, index): JoinedNode => {
    const info: NodeInfo = {
      id: `${'abcdefgh'[index]}`.repeat(32),
      name: names[index]!,
      platform: 'linux',
      version: 'test',
      state: 'paired',
      connected: false,
      offer: { exec: 'judged', files: 'none', pty: true },
    };
    const entry: (typeof entries)[number] = { info, link: undefined };
    entries.push(entry);
    let cut: () => void = () => {};
    const serve = machine.calls.serve(gatewayId);
    const node: JoinedNode = {
      info,
      machine,
      before: () => {},
      instead: () => undefined,
      after: () => {},
      connect() {
        const [near, far] = memoryCarriers();
        cut = () => near.close('cut');
        onTestFinished(cut);
        const epoch = `joined-${++epochs}`;
        openLink(far, {
          epoch,
          side: 'opener',
          methods: NODE_METHODS,
          serve: async (call) => {
            await node.before(call);
            const result = node.instead(call) ?? (await serve(call));
            await node.after(call);
            return result;
          },
        });
        const link = openLink(near, { epoch, side: 'acceptor', methods: NODE_METHODS });
        entry.link = link;
        for (const listener of listeners) listener(info, link);
        return link;
      },
      cut: () => cut(),
      get isConnected() {
        return linkOf(entry) !== undefined;
      },
    };
    node.connect();
    return node;
  });
  const result: Joined = {
    host,
    nodes,
    node: nodes[0]!,
    remove() {
      const [entry] = entries;
      entry!.info = { ...entry!.info, state: 'revoked' };
      nodes[0]!.cut();
      for (const listener of removed) listener(entry!.info);
    },
    async restart() {
      await host.gateway.close();
      for (const node of nodes) node.cut();
      [listeners, removed] = [[], []];
      host = await open();
      result.host = host;
      for (const node of nodes) node.connect();
    },
  };
  return result;
}
