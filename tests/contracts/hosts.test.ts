import { afterAll } from 'vitest';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import type { SandboxTechnology } from '../../src/hosts/gateway/sandbox-host.ts';
import { connectInside } from '../../src/hosts/sandbox/link/link.ts';
import { engineBackend } from '../support/engines/backend.ts';
import { startEngine } from '../support/engines/engine.ts';
import { makeFolder } from '../support/folder.ts';
import { type TestGateway, testGateway } from '../support/gateway.ts';
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

hostLaws(
  'a node, which allows every command',
  async (more = {}) => {
    const memory = memoryNodes();
    const host = await testGateway(
      withConfig({ tools: { exec: { host: 'node', security: 'full', ask: 'off' } } }, more),
      { nodes: memory.nodes },
    );
    const node = await memory.add({}, undefined, host.folder);
    node.connect();
    return host;
  },
  { session: { host: 'node' } },
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
