/** A gateway and a node in this process, with links, gateways and nodes that fail on request. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { MIGRATIONS } from '../../../src/hosts/approvals/schema.ts';
import { type Link, openLink } from '../../../src/hosts/channel/link.ts';
import { openDatabase } from '../../../src/hosts/database/open-database.ts';
import { nodeRequestsIn } from '../../../src/hosts/nodes/node-requests.ts';
import type { Nodes } from '../../../src/hosts/nodes/shape.ts';
import { NODE_METHODS } from '../../../src/wire/nodes/methods.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { makeFolder } from '../../support/folder.ts';
import { type TestGateway, testGateway } from '../../support/gateway.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';
import { GATEWAY, linkedNode, type LinkedNode, OPEN } from './linked-node.ts';

const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };
const INFO: NodeInfo = {
  id: 'n'.repeat(32),
  name: 'mac-1',
  platform: 'linux',
  version: 'test',
  state: 'paired',
  connected: false,
  offer: { exec: 'judged', files: 'none', pty: true },
};

export interface FaultyPair {
  readonly host: TestGateway;
  readonly node: LinkedNode;
  connect(): void;
  cut(): void;
  /** The next message gets lost. */
  swallow(): void;
  /** The next message comes twice. */
  repeat(): void;
  /** A message of an earlier link comes before the next one. */
  replay(): void;
  /** Changes what is on the way over the current link, from the gateway (0) or the node (1). */
  onTheWay(change: (message: Uint8Array, from: 0 | 1) => readonly Uint8Array[]): void;
  /** The gateway dies as with SIGKILL: another one starts with what is on disk now. */
  crash(): Promise<void>;
  /** The gateway stops, and another one starts. */
  restart(): Promise<void>;
  /** The node stops, which ends its commands, and starts again. */
  restartNode(): Promise<void>;
  /** The machine of the node dies: another one starts with what is on disk now. */
  rebootNode(boot: string): Promise<void>;
  /** How many requests have no reported end, by what is on disk. */
  openRequests(): Promise<number>;
  close(): Promise<void>;
}

let epochs = 0;

export async function faultyPair(): Promise<FaultyPair> {
  const gateways: TestGateway[] = [];
  let root = makeFolder();
  let nodeRoot = makeFolder();
  let node = await linkedNode(OPEN, { root: nodeRoot });
  let listeners: ((node: NodeInfo, link: Link) => void)[] = [];
  let link: Link | undefined;
  let cut: () => void = () => {};
  let onTheWay: (message: Uint8Array, from: 0 | 1) => readonly Uint8Array[] = (message) => [message];
  /** The last message of the current link and of the one before, by sender. */
  const earlier: (Uint8Array | undefined)[] = [undefined, undefined];
  const latest: (Uint8Array | undefined)[] = [undefined, undefined];

  /** Changes the next message only. */
  function changeNext(change: (message: Uint8Array, from: 0 | 1) => readonly Uint8Array[]): void {
    let isDone = false;
    onTheWay = (message, from) => {
      if (isDone) return [message];
      isDone = true;
      return change(message, from);
    };
  }

  async function gateway(): Promise<TestGateway> {
    listeners = [];
    link = undefined;
    const own = listeners;
    const current = (): Link | undefined => (own === listeners && link?.channel.lost === undefined ? link : undefined);
    const nodes: Nodes = {
      list: () => [{ ...INFO, connected: current() !== undefined }],
      link: current,
      isShared: () => false,
      onLink: (listener) => void own.push(listener),
      onRemoved: () => {},
      close: async () => {},
    };
    const nodeWaits = { reconnectMs: 300, retryMs: 5 };
    const made = await testGateway(ON_NODE, { nodes, nodeWaits }, root);
    gateways.push(made);
    return made;
  }

  let host = await gateway();
  const pair = {
    get host() {
      return host;
    },
    get node() {
      return node;
    },
    connect() {
      cut();
      for (const from of [0, 1] as const) earlier[from] = latest[from];
      onTheWay = (message) => [message];
      const [near, far] = memoryCarriers({
        onTheWay: (message, from) => {
          latest[from] = message;
          return onTheWay(message, from);
        },
      });
      cut = () => near.close('cut');
      const epoch = `epoch-${++epochs}`;
      openLink(far, { epoch, side: 'opener', serve: node.calls.serve(GATEWAY), methods: NODE_METHODS });
      const opened = openLink(near, { epoch, side: 'acceptor', methods: NODE_METHODS });
      link = opened;
      for (const listener of listeners) listener(INFO, opened);
    },
    cut: () => cut(),
    swallow: () => changeNext(() => []),
    repeat: () => changeNext((message) => [message, message]),
    replay: () => changeNext((message, from) => [earlier[from] ?? message, message]),
    onTheWay(change: typeof onTheWay) {
      onTheWay = change;
    },
    async crash() {
      root = copyOf(root);
      cut();
      host = await gateway();
    },
    async restart() {
      cut();
      await host.gateway.close();
      host = await gateway();
    },
    async restartNode() {
      cut();
      await node.gateway.close();
      node.store.close();
      node = await linkedNode(OPEN, { root: nodeRoot });
    },
    async rebootNode(boot: string) {
      nodeRoot = copyOf(nodeRoot);
      cut();
      node = await linkedNode(OPEN, { root: nodeRoot, boot });
    },
    async openRequests() {
      // A copy: the gateway may have an open transaction in this thread.
      const copy = makeFolder();
      for (const name of ['gateway.db', 'gateway.db-wal']) cpSync(join(root, 'state', name), join(copy, name));
      const { database } = await openDatabase(join(copy, 'gateway.db'), { migrations: MIGRATIONS, checked: [] });
      try {
        return nodeRequestsIn(database, () => {}).list().length;
      } finally {
        database.close();
      }
    },
    async close() {
      cut();
      for (const { gateway: one } of [...gateways, node]) await one.close().catch(() => undefined);
    },
  };
  return pair;
}

/** All that a process has written is in the files; what it has not written is lost. */
function copyOf(root: string): string {
  const copy = makeFolder();
  cpSync(join(root, 'state'), join(copy, 'state'), { recursive: true, filter: (path) => !path.endsWith('-shm') });
  return copy;
}

/** How often a command ran that writes a line to this file of its node. */
export function timesRun(node: LinkedNode, mark: string): number {
  const file = join(node.folder, mark);
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
}
