import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { assembleTools, type Toolbox, type ToolboxOptions } from '../../src/apps/assemble.ts';
import { configuredToolbox } from '../../src/apps/configured-toolbox.ts';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import { makeFolder } from '../support/folder.ts';
import { type TestGateway, testGateway } from '../support/gateway.ts';
import { bubblewrapTechnology, whyNoBubblewrap } from '../support/sandbox.ts';

const missing = await whyNoBubblewrap();

interface Ground extends TestGateway {
  readonly toolbox: Toolbox;
}

async function ground(config: ConfigFile, options: Partial<ToolboxOptions> = {}): Promise<Ground> {
  const root = makeFolder();
  const gateway = await testGateway(config, { sandboxes: await bubblewrapTechnology(root) }, root);
  const toolbox = assembleTools({
    workspace: gateway.folder,
    stateDir: gateway.stateDir,
    gateway: async () => gateway.gateway,
    environment: { HOME: root, PATH: '/usr/bin:/bin' },
    sandboxed: true,
    durable: false,
    ...options,
  });
  return { ...gateway, toolbox };
}

const ALL: ConfigFile = { sandbox: { mode: 'all' } };

describe.skipIf(missing !== undefined)('the toolbox of a sandboxed agent', () => {
  it.each(['read', 'sandboxed_read', 'host_workspace_read'])('reads inside by the name %s', async (name) => {
    const { toolbox, folder } = await ground(ALL);
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    expect(await toolbox.call(name, { path: 'a.txt' })).toMatchObject({
      content: [{ type: 'text', text: 'one\n' }],
      details: { path: 'a.txt', sandbox: true },
    });
  });

  it('does not reach this machine where paths may leave the workspace', async () => {
    const { toolbox, stateDir } = await ground(ALL, { workspaceOnly: false });
    writeFileSync(join(stateDir, 'secret'), 'secret');
    expect(await toolbox.call('read', { path: join(stateDir, 'secret') })).toMatchObject({ isError: true });
  });

  it('asks for the address of a value and changes it inside', async () => {
    const { toolbox, folder } = await ground(ALL);
    writeFileSync(join(folder, 'c.json'), '{"a": 1}\n');
    const result = await toolbox.call('path', { verb: 'set', path: 'oc://c.json/a', value: '2' });
    expect([result.isError, result.details['sandbox']]).toEqual([undefined, true]);
    expect(readFileSync(join(folder, 'c.json'), 'utf8')).toBe('{"a": 2}\n');
  });

  it('is refused a write where the workspace may only be read', async () => {
    const { toolbox, folder } = await ground({ sandbox: { mode: 'all', workspaceAccess: 'ro' } });
    expect(await toolbox.call('write', { path: 'a.txt', content: 'x' })).toMatchObject({
      isError: true,
      details: { sandbox: true },
    });
    expect(() => readFileSync(join(folder, 'a.txt'))).toThrow('ENOENT');
  });

  it('returns as much of a long file as fits the context window', async () => {
    const { toolbox, folder } = await ground(ALL, { modelContextWindowTokens: 16_000 });
    writeFileSync(join(folder, 'long.log'), 'a line of a log\n'.repeat(300_000));
    const { content } = await toolbox.call('read', { path: 'long.log' });
    const text = content[0]?.type === 'text' ? content[0].text : '';
    expect(text.length).toBeLessThan(40_000);
    expect(text).toMatch(/Use offset=\d+ to continue\.\]$/u);
  });

  it('leads through a long file by its hints, and loses nothing', async () => {
    const { toolbox, folder } = await ground(ALL, { modelContextWindowTokens: 200_000 });
    const lines = Array.from({ length: 90_000 }, (_, i) => `line ${i} of a log that is longer than any model holds\n`);
    const whole = lines.join('');
    expect(whole.length).toBeGreaterThan(5_000_000);
    writeFileSync(join(folder, 'long.log'), whole);
    let told = '';
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { content } = await toolbox.call('sandboxed_read', { path: 'long.log', offset });
      const text: string = content[0]?.type === 'text' ? content[0].text : '';
      const hint = /\n\n?\[Showing lines [^\]]*Use offset=(\d+) to continue\.\]$/u.exec(text);
      told += hint === null ? text : `${text.slice(0, hint.index)}\n`;
      offset = hint === null ? undefined : Number(hint[1]);
    }
    expect(told === whole).toBe(true);
  });

  it('shows pictures within their limits', async () => {
    const { toolbox, folder } = await ground(ALL, { imageLimits: { maxDimensionPx: 100 } });
    const picture = sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } });
    writeFileSync(join(folder, 'picture.txt'), await picture.jpeg().toBuffer());
    expect(await toolbox.call('sandboxed_read', { path: 'picture.txt' })).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', mimeType: 'image/jpeg' }],
      details: { mimeType: 'image/jpeg', width: 100, height: 50, original: { width: 400 }, sandbox: true },
    });
  });

  it('lists and takes back what it changed there, and nothing of this machine', async () => {
    const { toolbox, folder, stateDir } = await ground(ALL, { allowUndo: true });
    const outside = assembleTools({ workspace: folder, stateDir, durable: false, allowUndo: true });
    await outside.call('write', { path: 'outside.txt', content: 'kept\n' });
    expect(await toolbox.call('changes', { action: 'undo' })).toMatchObject({
      isError: true,
      details: { sandbox: true },
    });
    await toolbox.call('write', { path: 'inside.txt', content: 'x\n' });
    const { details } = await toolbox.call('changes', { action: 'list' });
    expect(details).toMatchObject({ changes: [{ files: [{ path: 'inside.txt' }] }], sandbox: true });
    await toolbox.call('changes', { action: 'undo' });
    expect(readFileSync(join(folder, 'outside.txt'), 'utf8')).toBe('kept\n');
    expect(() => readFileSync(join(folder, 'inside.txt'))).toThrow('ENOENT');
  });

  it('ends a call that is aborted', async () => {
    const { toolbox } = await ground(ALL);
    expect(await toolbox.call('read', { path: 'a' }, { signal: AbortSignal.abort() })).toMatchObject({
      isError: true,
      details: { code: 'TOOL_ABORTED' },
    });
  });

  it('fails if sandboxing is off in the gateway', async () => {
    const { toolbox } = await ground({});
    expect(await toolbox.call('read', { path: 'a' })).toMatchObject({
      isError: true,
      details: { code: 'SANDBOX_OFF' },
    });
  });
});

describe('the toolbox of an agent without a sandbox', () => {
  it('is reported in results of sandboxed_ tools only', async () => {
    const folder = makeFolder({ 'a.txt': 'one\n' });
    const toolbox = assembleTools({ workspace: folder, stateDir: makeFolder(), durable: false });
    expect((await toolbox.call('sandboxed_read', { path: 'a.txt' })).details).toMatchObject({ sandbox: false });
    expect((await toolbox.call('read', { path: 'a.txt' })).details).not.toHaveProperty('sandbox');
  });
});

describe('the environment of a caller', () => {
  const configured = async (mode: string, variable: string) => {
    const home = makeFolder();
    mkdirSync(join(home, 'pincer'));
    writeFileSync(join(home, 'pincer', 'pincer.jsonc'), JSON.stringify({ sandbox: { mode } }));
    vi.stubEnv('XDG_CONFIG_HOME', home);
    vi.stubEnv('PINCER_SANDBOX_MODE', variable);
    onTestFinished(() => void vi.unstubAllEnvs());
    return configuredToolbox({ workspace: makeFolder(), agent: 'main', asks: 'agent' });
  };

  it.each([
    ['all', 'off', true],
    ['all', 'non-main', true],
    ['non-main', 'all', true],
    ['off', 'all', true],
    ['off', 'non-main', false],
  ])('over the mode %s, %s keeps the agent in a sandbox: %s', async (mode, variable, isIn) => {
    expect((await configured(mode, variable)).sandboxed).toBe(isIn);
  });
});

describe('the configuration files', () => {
  it.each([
    [{}, 'main', undefined, false],
    [{ sandbox: { mode: 'all' } }, 'main', undefined, true],
    [{ sandbox: { mode: 'non-main' } }, 'main', undefined, false],
    [{ sandbox: { mode: 'non-main' } }, 'main', 'group', true],
    [
      { sandbox: { mode: 'all' }, agents: { list: [{ id: 'free', sandbox: { mode: 'off' } }] } },
      'free',
      undefined,
      false,
    ],
  ])('%j keeps the agent %s in the conversation %s in a sandbox: %s', async (config, agent, conversation, isIn) => {
    const home = makeFolder();
    mkdirSync(join(home, 'pincer'));
    writeFileSync(join(home, 'pincer', 'pincer.jsonc'), JSON.stringify(config));
    const before = process.env['XDG_CONFIG_HOME'];
    process.env['XDG_CONFIG_HOME'] = home;
    onTestFinished(() => {
      if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
      else process.env['XDG_CONFIG_HOME'] = before;
    });
    const said = { workspace: makeFolder(), agent, asks: 'agent' as const };
    const options = await configuredToolbox({ ...said, ...(conversation === undefined ? {} : { conversation }) });
    expect(options.sandboxed).toBe(isIn);
  });
});
