import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { makeFolder } from '../../support/folder.ts';
import { output, testGateway } from '../../support/gateway.ts';
import { bubblewrapTechnology, whyNoBubblewrap } from '../../support/sandbox.ts';

const missing = await whyNoBubblewrap();

test.skipIf(missing !== undefined)(
  'C8: keeps connections in the audit log, those that were made and those that were refused',
  async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const egress = { resolve: async () => ['127.0.0.1'], permitted: (address: string) => address === '127.0.0.1' };
    const allow = [`api.example.com:${port}`];
    const root = makeFolder();
    const config: ConfigFile = { sandbox: { mode: 'all', network: { allow } } };
    const gateway = await testGateway(config, { sandboxes: await bubblewrapTechnology(root, { egress }) }, root);
    const asking = (place: string) =>
      `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT ${place} HTTP/1.1\\r\\nHost: ${place}\\r\\n\\r\\n' >&3; head -1 <&3`;
    const outcome = await gateway.exec({
      command: [asking('evil.example:443'), asking(`api.example.com:${port}`)]
        .map((script) => `bash -c ${JSON.stringify(script).replaceAll('$', '\\$')}; `)
        .join('')
        .concat('echo $https_proxy'),
    });
    expect(output(outcome)).toContain('http://127.0.0.1:3128');
    const audit = await gateway.gateway.call('audit.list', {});
    expect(audit.filter(({ event }) => event === 'egress')).toMatchObject([
      { agent: 'main', conversation: 'c', details: { refused: 'evil.example:443', owner: 'main' } },
      { agent: 'main', conversation: 'c', details: { allowed: allow[0], address: '127.0.0.1', owner: 'main' } },
    ]);
  },
);
