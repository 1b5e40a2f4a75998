import { expect, it } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { joined } from '../../apps/node/joined-machines.ts';
import { until } from '../../support/patience.ts';

const config: ConfigFile = {
  tools: { exec: { host: 'node', node: 'mac' } },
  agents: { list: [{ id: 'builder', tools: { exec: { node: 'gone' } } }] },
};

it('says where commands run now, with the words of the choice itself', async () => {
  const { host, node } = await joined({ config });
  const choice = (agent?: string) =>
    host.gateway.call('node.choice', { folder: host.folder, ...(agent === undefined ? {} : { agent }) });
  expect(await choice()).toEqual({
    host: 'node',
    ok: true,
    isOpen: false,
    sentence: 'commands run on node mac (tools.exec.node)',
    node: { id: node.info.id, name: 'mac', from: 'global' },
  });
  expect(await choice('builder')).toMatchObject({
    ok: false,
    sentence: 'commands fail, none goes elsewhere: there is no paired node "gone"',
    fault: { code: 'NODE_UNKNOWN' },
  });
  node.cut();
  await until(() => !node.isConnected, 'the end of the link');
  const offline = await choice();
  expect(offline.sentence).toMatch(
    /^commands fail, none goes elsewhere: node mac is not connected.*; nothing was sent$/u,
  );
  await expect(host.exec({ command: 'true' })).rejects.toThrow(offline.fault?.message);
});

it('says that a setting without host=node has an effect only for calls that ask for a node', async () => {
  const { host } = await joined({ config: { tools: { exec: { host: 'gateway', node: 'mac' } } } });
  expect(await host.gateway.call('node.choice', { folder: host.folder })).toMatchObject({
    host: 'gateway',
    ok: true,
    isOpen: false,
    sentence: 'commands run on this machine; a command with host=node runs on node mac (tools.exec.node)',
  });
});

it('says that commands are not judged where host=sandbox is this machine', async () => {
  const { host } = await joined({ config: { tools: { exec: { host: 'sandbox', node: 'mac' } } } });
  expect(await host.gateway.call('node.choice', { folder: host.folder })).toMatchObject({
    host: 'sandbox',
    isOpen: true,
    sentence: 'commands run on this machine, not judged; a command with host=node runs on node mac (tools.exec.node)',
  });
});
