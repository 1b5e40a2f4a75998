import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NodeTerms } from '../../../src/apps/node/guest.ts';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { readToolResult } from '../../../src/hosts/tool-calls/untrusted-result.ts';
import type { NodeMethods } from '../../../src/wire/nodes/methods.ts';
import type { ToolResult } from '../../../src/wire/tool.ts';
import { FILE_TOOLS, TOOL_NAMES } from '../../../src/wire/tool-names.ts';
import { makeFolder } from '../../support/folder.ts';
import { GATEWAY, type GatewayEnd, linkedNode, type LinkedNode } from './linked-node.ts';

type Params = NodeMethods['tool.call']['params'];

interface Ground extends LinkedNode {
  readonly end: GatewayEnd;
  readonly call: (tool: string, args: unknown, more?: Partial<Params>) => Promise<ToolResult>;
}

async function ground(terms: Partial<NodeTerms> = {}, userConfig: object = {}): Promise<Ground> {
  const home = makeFolder();
  mkdirSync(join(home, 'pincer'));
  writeFileSync(join(home, 'pincer', 'pincer.jsonc'), JSON.stringify(userConfig));
  vi.stubEnv('XDG_CONFIG_HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const node = await linkedNode(undefined, { terms } as never);
  const end = node.connect();
  const call: Ground['call'] = async (tool, args, more = {}) => {
    const params = { tool, args, caller: { agent: 'main' }, ...more } as Params;
    return readToolResult(Buffer.from(await end.call('tool.call', params)));
  };
  return { ...node, end, call };
}

const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** End Patch\n';

describe('file tools of a gateway', () => {
  it('write, edit, patch and read in the workspace of the node, and its record has their author', async () => {
    const { call, folder, stateDir } = await ground();
    await call('write', { path: 'a.txt', content: 'one\n' });
    await call(
      'edit',
      { path: 'a.txt', oldText: 'one', newText: 'two' },
      { caller: { agent: 'main', client: 'codex' } },
    );
    await call('apply_patch', { input: PATCH });
    expect(await call('read', { path: 'a.txt' })).toMatchObject({ content: [{ type: 'text', text: 'three\n' }] });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('three\n');
    const files = localFiles({ cwd: folder, stateDir, author: { agent: 'x', client: 'you' } });
    const changes = (await files.changes({ toWrite: false })).list();
    expect(changes.map(({ agent, client, tool }) => [agent, client, tool])).toEqual([
      [`${GATEWAY}/main`, 'gateway', 'apply_patch'],
      [`${GATEWAY}/main`, 'gateway/codex', 'edit'],
      [`${GATEWAY}/main`, 'gateway', 'write'],
    ]);
  });

  it('resolve and set a place by its address, and every other byte stays', async () => {
    const { call, folder } = await ground();
    const before = '{\r\n  // kept\r\n  "id": 12345678901234567890, "v": 1.10 }\r\n';
    writeFileSync(join(folder, 'c.jsonc'), before);
    const found = await call('path', { verb: 'resolve', path: 'oc://c.jsonc/id' });
    expect(found.content).toMatchObject([{ text: expect.stringContaining('12345678901234567890') as string }]);
    await call('path', { verb: 'set', path: 'oc://c.jsonc/v', value: '1.20' });
    expect(readFileSync(join(folder, 'c.jsonc'), 'utf8')).toBe(before.replace('1.10', '1.20'));
  });

  it.each([
    ['a path with ..', '../secret'],
    ['an absolute path', '/etc/hostname'],
    ['a symlink that leaves the workspace', 'out/secret'],
    ['the home folder', '~/.profile'],
  ])('refuse %s', async (_, path) => {
    const { call, folder } = await ground();
    writeFileSync(join(folder, '..', 'secret'), 'secret');
    symlinkSync('..', join(folder, 'out'));
    for (const [tool, args] of [
      ['read', { path }],
      ['write', { path, content: 'x' }],
    ] as const) {
      const result = await call(tool, args, { settings: { workspaceOnly: false } as never });
      expect([result.isError, result.details['code']]).toEqual([true, 'FS_OUTSIDE_WORKSPACE']);
    }
    expect(readFileSync(join(folder, '..', 'secret'), 'utf8')).toBe('secret');
  });

  it('offer nothing where node.files is none', async () => {
    const { end } = await ground({ files: 'none' });
    const params = { tool: 'read', args: { path: 'a.txt' }, caller: { agent: 'main' } } as const;
    await expect(end.call('tool.call', params)).rejects.toMatchObject({
      code: 'NODE_CANNOT',
      message: expect.stringContaining('node.files is none') as string,
    });
  });

  it.each([
    ['read', { path: 'c.json' }, true],
    ['path', { verb: 'resolve', path: 'oc://c.json/a' }, true],
    ['path', { verb: 'find', path: 'oc://c.json/*' }, true],
    ['path', { verb: 'set', path: 'oc://c.json/a', value: '2' }, false],
    ['path', { verb: 'delete', path: 'oc://c.json/a' }, false],
    ['changes', { action: 'list' }, true],
    ['changes', { action: 'undo' }, false],
    ['write', { path: 'c.json', content: 'x' }, false],
    ['edit', { path: 'c.json', oldText: 'a', newText: 'b' }, false],
    ['apply_patch', { input: PATCH }, false],
  ])('with node.files ro, %s %j is allowed: %s', async (tool, args, isAllowed) => {
    const { call, folder } = await ground({ files: 'ro' });
    writeFileSync(join(folder, 'c.json'), '{"a": 1}\n');
    const result = await call(tool, args);
    expect([result.isError, result.details['code']]).toEqual(
      isAllowed ? [undefined, undefined] : [true, 'NODE_CANNOT'],
    );
    expect(readFileSync(join(folder, 'c.json'), 'utf8')).toBe('{"a": 1}\n');
  });

  it.each([
    [{ tools: { deny: ['write'] } }, 'TOOL_NOT_OFFERED'],
    [{ tools: { allow: ['read'] } }, 'TOOL_NOT_OFFERED'],
    [{ agents: { list: [{ id: `${GATEWAY}/main`, tools: { deny: ['write'] } }] } }, 'TOOL_NOT_OFFERED'],
    [{ sandbox: { mode: 'all', workspaceAccess: 'none' } }, 'NODE_CANNOT'],
  ])('obey the configuration of the node: %j', async (config, code) => {
    const { end } = await ground({}, config);
    const params = { tool: 'write', args: { path: 'a', content: '' }, caller: { agent: 'main' } } as const;
    await expect(end.call('tool.call', params)).rejects.toMatchObject({ code });
  });

  it('only read where agents of the node read the workspace from a sandbox', async () => {
    const { call, folder } = await ground({}, { sandbox: { mode: 'all', workspaceAccess: 'ro' } });
    writeFileSync(join(folder, 'a.txt'), 'a');
    expect((await call('read', { path: 'a.txt' })).isError).toBeUndefined();
    expect((await call('write', { path: 'a.txt', content: 'b' })).details['code']).toBe('NODE_CANNOT');
  });

  it('only read where commands of the gateway read the workspace from a sandbox', async () => {
    const { call, folder } = await ground({ sandbox: true }, { sandbox: { workspaceAccess: 'ro' } });
    writeFileSync(join(folder, 'a.txt'), 'a');
    expect((await call('read', { path: 'a.txt' })).isError).toBeUndefined();
    expect((await call('write', { path: 'a.txt', content: 'b' })).details['code']).toBe('NODE_CANNOT');
  });

  it('hide what the node hides and what the gateway hides, and refuse protected files', async () => {
    const { call, folder } = await ground({}, { tools: { fs: { secrets: { hide: ['*.own'] } } } });
    for (const name of ['a.own', 'a.theirs', '.env']) writeFileSync(join(folder, name), 'KEY=hunter2hunter2\n');
    mkdirSync(join(folder, '.git'));
    const settings = { hide: ['*.theirs'], showSecrets: true, protect: 'none' } as never;
    for (const path of ['a.own', 'a.theirs', '.env'])
      expect(JSON.stringify(await call('read', { path }, { settings }))).not.toContain('hunter2');
    const result = await call('write', { path: '.git/config', content: 'x' }, { settings });
    expect(result.details['code']).toBe('FS_PROTECTED');
  });

  it('undo: an agent its own changes, the operator of the gateway those of all its agents, and no others', async () => {
    const { call, folder, stateDir } = await ground();
    const own = localFiles({ cwd: folder, stateDir, author: { agent: 'local', client: 'you' } });
    await call('write', { path: 'guest.txt', content: 'guest' });
    await call('changes', { action: 'list' });
    const other = { caller: { agent: 'other' } };
    expect((await call('changes', { action: 'undo' }, other)).details['code']).toBe('CHANGE_REFUSED');
    expect((await call('changes', { action: 'undo' })).isError).toBeUndefined();
    expect((await call('changes', { action: 'redo' })).isError).toBeUndefined();
    const { changesTool } = await import('../../../src/tools/changes.ts');
    const { writeTool } = await import('../../../src/tools/write.ts');
    const { callTool } = await import('../../../src/tools/call.ts');
    await callTool([writeTool, changesTool], 'write', { path: 'local.txt', content: 'local' }, { files: own });
    const operator = { caller: { agent: 'other', operator: true } } as const;
    const [local] = (await own.changes({ toWrite: false })).list();
    const refused = await call('changes', { action: 'undo', id: local!.id }, operator);
    expect(refused.details['code']).toBe('CHANGE_NOT_YOURS');
    const undone = await call('changes', { action: 'undo' }, operator);
    expect(undone.details).toMatchObject({ files: ['guest.txt'] });
    expect(readFileSync(join(folder, 'local.txt'), 'utf8')).toBe('local');
  });

  it('are a closed list', async () => {
    const { end } = await ground();
    const others = Object.keys(TOOL_NAMES).filter((name) => !FILE_TOOLS.some((one) => one === name));
    for (const tool of [...others, 'sandboxed_read', 'constructor', ''])
      await expect(end.channel.call('tool.call', { tool, args: {}, caller: { agent: 'main' } })).rejects.toMatchObject({
        code: 'GATEWAY_BAD_REQUEST',
      });
  });

  it.each<[string, object, string]>([
    ['deep arguments', { args: nested(62) }, 'GATEWAY_BAD_REQUEST'],
    ['many arguments', { args: Array.from({ length: 100_001 }, () => 0) }, 'GATEWAY_BAD_REQUEST'],
    ['an agent without a name', { caller: { agent: '' } }, 'EXEC_AGENT_INVALID'],
    ['every agent', { caller: { agent: '*' } }, 'EXEC_AGENT_INVALID'],
    ['a caller that is no object', { caller: 'main' }, 'GATEWAY_BAD_REQUEST'],
    ['many patterns', { settings: { hide: Array.from({ length: 1_001 }, () => 'x') } }, 'GATEWAY_BAD_REQUEST'],
  ])('refuse %s, and keep the link', async (_, more, code) => {
    const { end } = await ground();
    const call = { tool: 'read', args: { path: 'a' }, caller: { agent: 'main' }, ...more };
    await expect(end.channel.call('tool.call', call)).rejects.toMatchObject({ code });
    await end.call('node.describe', {});
  });

  it.each([null, [], 7, 'x', { path: 7 }, { path: 'a', __proto__: { x: 1 } }])(
    'answer %j instead of parameters with an error',
    async (args) => {
      const { call } = await ground();
      expect(await call('read', args)).toMatchObject({ isError: true });
    },
  );

  it('record a hostile client name as a client of the gateway', async () => {
    const { call, folder, stateDir } = await ground();
    for (const [i, client] of ['you', 'pincer', '\u0000../you', ''].entries())
      await call('write', { path: `${i}.txt`, content: 'x' }, { caller: { agent: 'main', client } });
    const files = localFiles({ cwd: folder, stateDir, author: { agent: 'x', client: 'you' } });
    const clients = (await files.changes({ toWrite: false })).list().map(({ client }) => client);
    expect(clients.every((client) => client === 'gateway' || client?.startsWith('gateway/') === true)).toBe(true);
  });

  it('carry long texts in both directions', async () => {
    const { call, folder } = await ground();
    const value = 'é'.repeat(600_000);
    const content = `${JSON.stringify({ value })}\n${'x'.repeat(10 << 20)}`.slice(0, 12 << 20);
    expect((await call('write', { path: 'long.txt', content })).isError).toBeUndefined();
    expect(readFileSync(join(folder, 'long.txt'), 'utf8') === content).toBe(true);
    writeFileSync(join(folder, 'long.json'), JSON.stringify({ value }));
    const { content: parts } = await call('path', { verb: 'resolve', path: 'oc://long.json/value' });
    expect(JSON.stringify(parts).includes(value)).toBe(true);
  });

  it('carry images', async () => {
    const { call, folder } = await ground();
    const raw = { width: 300, height: 200, channels: 3 } as const;
    writeFileSync(join(folder, 'a.png'), await sharp(Buffer.alloc(180_000, 7), { raw }).png().toBuffer());
    expect(await call('read', { path: 'a.png' })).toMatchObject({
      content: expect.arrayContaining([
        { type: 'image', mimeType: 'image/png', data: expect.any(String) as string },
      ]) as unknown,
    });
  });

  it('work in the folder that has the path of the workspace now', async () => {
    const { call, folder } = await ground();
    await call('write', { path: 'a.txt', content: 'first' });
    renameSync(folder, `${folder}-old`);
    await expect(call('read', { path: 'a.txt' })).rejects.toMatchObject({ code: 'FS_NOT_FOUND' });
    mkdirSync(folder);
    await call('write', { path: 'a.txt', content: 'second' });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('second');
    expect(readFileSync(join(`${folder}-old`, 'a.txt'), 'utf8')).toBe('first');
  });

  it('follow the operator to another workspace', async () => {
    const folders = [realpathSync(makeFolder()), realpathSync(makeFolder())] as const;
    let workspace: string = folders[0];
    const { call } = await ground({
      get workspace() {
        return workspace;
      },
    });
    await call('write', { path: 'a.txt', content: 'first' });
    workspace = folders[1];
    await call('write', { path: 'a.txt', content: 'second' });
    expect(folders.map((folder) => readFileSync(join(folder, 'a.txt'), 'utf8'))).toEqual(['first', 'second']);
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 0 : [nested(depth - 1)];
}
