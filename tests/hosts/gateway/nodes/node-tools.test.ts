import { describe, expect, it } from 'vitest';
import type { ConfigFile } from '../../../../src/config/schema/schema.ts';
import type { NodeInfo } from '../../../../src/wire/nodes/node.ts';
import { testGateway } from '../../../support/gateway.ts';
import { memoryNodes } from '../../../support/nodes.ts';

const OFFER = { exec: 'judged', files: 'rw', pty: true, workspace: '/home/me/work' } as const;

async function ground(config: ConfigFile = {}, info: Partial<NodeInfo> = {}) {
  const memory = memoryNodes();
  const { gateway, folder } = await testGateway(config, { nodes: memory.nodes });
  const node = await memory.add({ name: 'mac', offer: OFFER, ...info });
  const caller = { agent: 'main' };
  const call = (more: object = {}) =>
    gateway.call('node.tool', { caller, folder, node: 'mac', tool: 'read', args: { path: 'a' }, ...more });
  const posture = async () => (await gateway.call('policy.posture', { caller, folder })).posture.filesNode;
  return { node, call, posture };
}

describe('node.tool', () => {
  it.each<[string, ConfigFile, Partial<NodeInfo>, object, string]>([
    ['a node that is not in tools.fs.nodes', { tools: { fs: { nodes: ['other'] } } }, {}, {}, 'NODE_NOT_ALLOWED'],
    ['a node that offers no files', {}, { offer: { ...OFFER, files: 'none' } }, {}, 'NODE_CANNOT'],
    ['a node that was removed', {}, { state: 'revoked' }, {}, 'NODE_REVOKED'],
    ['an unknown node', {}, {}, { node: 'linux' }, 'NODE_UNKNOWN'],
    ['a tool that works on no files', {}, {}, { tool: 'exec' }, 'TOOL_UNKNOWN'],
    ['an alias of a tool', {}, {}, { tool: 'sandboxed_read' }, 'TOOL_UNKNOWN'],
  ])('refuses %s, and sends nothing', async (_, config, info, more, code) => {
    const { node, call } = await ground(config, info);
    node.connect();
    await expect(call(more)).rejects.toMatchObject({ code });
    expect(node.calls).toEqual([]);
  });

  it('allows a node of tools.fs.nodes whatever tools.exec.nodes has, and sends no settings that could loosen', async () => {
    const { node, call } = await ground({ tools: { fs: { nodes: ['mac'] }, exec: { nodes: [] } } });
    node.connect();
    const context = {
      workspaceOnly: false,
      showSecrets: true,
      protect: 'none',
      hardLinks: 'in-place',
      umask: 0,
      staleCheck: 'refuse',
      secrets: { hide: ['*.x'], show: ['.env'] },
    };
    await expect(call({ context })).rejects.toMatchObject({ code: 'NODE_CANNOT' }); // an old node has no tool.call
    expect(node.calls.filter(({ method }) => method === 'tool.call')).toEqual([
      {
        method: 'tool.call',
        params: {
          tool: 'read',
          args: { path: 'a' },
          caller: { agent: 'main' },
          settings: { staleCheck: 'refuse', hide: ['*.x'] },
        },
      },
    ]);
  });

  it('fails while the node is off', async () => {
    const { call } = await ground();
    await expect(call()).rejects.toMatchObject({ code: 'NODE_OFFLINE' });
  });
});

describe('the posture of file tools', () => {
  it('is that of the node which a call would choose', async () => {
    const config = { tools: { fs: { node: 'mac' } } };
    const { node, posture } = await ground(config, { offer: { ...OFFER, files: 'ro' } });
    expect(await posture()).toMatchObject({
      name: 'mac',
      unavailable: expect.stringContaining('not connected') as string,
    });
    node.connect();
    expect(await posture()).toEqual({ name: 'mac', access: 'ro', workspace: '/home/me/work' });
    expect(await (await ground()).posture()).toBeUndefined();
  });

  it('is that of the agent, whose own setting wins', async () => {
    const list = [{ id: 'main', tools: { fs: { node: 'linux' } } }];
    const { posture } = await ground({ tools: { fs: { node: 'mac' } }, agents: { list } });
    expect(await posture()).toMatchObject({ name: 'linux' });
  });
});
