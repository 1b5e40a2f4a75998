import { afterAll } from 'vitest';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import type { SandboxTechnology } from '../../src/hosts/gateway/sandbox-host.ts';
import { connectInside } from '../../src/hosts/sandbox/link/link.ts';
import { engineBackend } from '../support/engines/backend.ts';
import { startEngine } from '../support/engines/engine.ts';
import { makeFolder } from '../support/folder.ts';
import { type TestGateway, testGateway } from '../support/gateway.ts';
import { invitedNode } from '../apps/node/invited-node.ts';
import { natsCluster, whyNoNats } from '../support/nats-cluster.ts';
import { memoryNodes } from '../support/nodes.ts';
import { bubblewrapTechnology, whyNoBubblewrap } from '../support/sandbox.ts';
import { hostLaws } from './host-laws.ts';

/** With two settings merged member by member, as files of configuration are. */
function withConfig(base: ConfigFile, more: ConfigFile): ConfigFile {
  return { ...base, ...more, tools: { ...base.tools, ...more.tools } };
}

async function boxed(technology: SandboxTechnology, more: ConfigFile, root: string): Promise<TestGateway> {
  return testGateway(withConfig({ sandbox: { mode: 'all' } }, more), { sandboxes: technology }, root);
}

hostLaws(
  'this machine, with every command allowed',
  (more = {}) => testGateway(withConfig({ tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } }, more)),
  { session: { host: 'gateway' } },
);

const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };

hostLaws(
  'a node, which allows every command',
  async (more = {}) => {
    const memory = memoryNodes();
    const host = await testGateway(withConfig(ON_NODE, more), { nodes: memory.nodes });
    const node = await memory.add({}, undefined, host.folder);
    node.connect();
    return host;
  },
  { session: { host: 'node' } },
);

hostLaws(
  'a node over WebSocket and TLS',
  async (more = {}) => {
    const host = await testGateway(withConfig(ON_NODE, more));
    await host.gateway.listenForNodes({ host: '127.0.0.1', port: 0, tls: 'own' });
    await invitedNode(host, { workspace: host.folder });
    return host;
  },
  { session: { host: 'node' } },
);

hostLaws(
  'a node over NATS',
  async (more = {}) => {
    const { servers, files } = await natsCluster();
    const host = await testGateway(withConfig(ON_NODE, more));
    await host.gateway.connectNats({ servers: servers.split(','), creds: files.creds });
    await invitedNode(host, { workspace: host.folder });
    return host;
  },
  { trouble: whyNoNats(), session: { host: 'node' } },
);

hostLaws(
  'a sandbox of bubblewrap',
  async (more = {}) => {
    const root = makeFolder();
    return boxed(await bubblewrapTechnology(root), more, root);
  },
  { trouble: await whyNoBubblewrap(), session: { host: 'sandbox', sandbox: true } },
);

for (const name of ['docker', 'podman'] as const) {
  const engine = await startEngine(name);
  afterAll(() => engine.stop(), 60_000);
  hostLaws(
    `a sandbox of ${name}`,
    async (more = {}) => {
      if (engine.trouble !== undefined) throw new Error(engine.trouble);
      const { backend, clean } = engineBackend(engine);
      afterAll(clean);
      return boxed({ backendFor: async () => backend, connect: connectInside }, more, makeFolder());
    },
    { trouble: engine.trouble, session: { host: 'sandbox', sandbox: true } },
  );
}
