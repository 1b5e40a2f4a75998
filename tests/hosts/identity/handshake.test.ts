import { expect, it } from 'vitest';
import { acceptNode, greetGateway } from '../../../src/hosts/identity/handshake.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { openLink } from '../../../src/hosts/channel/link.ts';
import { NODE_METHODS } from '../../../src/wire/node.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';
const hello = {
  version: '1',
  name: 'mac',
  platform: 'linux',
  offer: { exec: 'judged', files: 'none', pty: true },
  instance: 'instance-1',
} as const;
it('works', async () => {
  const [a, b] = memoryCarriers();
  const g = newIdentity();
  const [acc, gre] = await Promise.all([
    acceptNode(b, g, async () => ({ answer: 'welcome', epoch: 'epoch-12345' }), { version: '1' }),
    greetGateway(a, newIdentity(), hello, { expected: g.id }),
  ]);
  expect(acc.peer.code).toBe(gre.code);
  const node = openLink(a, {
    epoch: await gre.epoch,
    side: 'opener',
    methods: NODE_METHODS,
    serve: async (c) => ({
      path: '/bin',
      workspace: '/',
      store: 's',
      platform: 'linux',
      version: JSON.stringify(c.params),
    }),
  });
  const gw = openLink(b, { epoch: 'epoch-12345', side: 'acceptor', methods: NODE_METHODS });
  expect(await gw.channel.call('node.describe', {})).toEqual({
    path: '/bin',
    workspace: '/',
    store: 's',
    platform: 'linux',
    version: '{}',
  });
  await expect(gw.channel.call('bad', {})).rejects.toMatchObject({ code: 'NODE_METHOD_REFUSED' });
  await expect(gw.channel.call('exec.lookup', {})).rejects.toMatchObject({ code: 'GATEWAY_BAD_REQUEST' });
  gw.close('bye');
  expect([await gw.down, await node.down]).toEqual(['bye', 'bye']);
});
