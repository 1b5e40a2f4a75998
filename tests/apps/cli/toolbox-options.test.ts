import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call } from '../../../src/apps/cli/call/definition.ts';
import { shapeOf } from '../../../src/apps/cli/definition.ts';
import { toolboxOptions } from '../../../src/apps/cli/toolbox-options.ts';
import { readArguments } from '../../../src/apps/cli/arguments.ts';
import { makeFolder } from '../../support/folder.ts';

const SHAPE = shapeOf(call);
const options = async (...argv: readonly string[]) => toolboxOptions(SHAPE, readArguments(SHAPE, argv));

beforeEach(() => vi.stubEnv('XDG_CONFIG_HOME', makeFolder()));
afterEach(() => vi.unstubAllEnvs());

describe('what the operator says', () => {
  it('is the careful choice where nothing is said', async () => {
    vi.stubEnv('PINCER_AGENT', '');
    expect(await options()).toEqual({
      workspace: process.cwd(),
      heavyCalls: 'here',
      operator: true,
      tools: {},
      disabled: {},
      workspaceOnly: true,
      applyPatch: { byName: true, workspaceOnly: true },
      agent: 'main',
      allowUndo: false,
      showSecrets: false,
      sandboxed: false,
      hardLinks: 'refuse',
    });
  });

  it('reaches the toolbox word by word', async () => {
    const said = ['--workspace=/a/../b', '--no-workspace-only', '--agent', 'ada', '--conversation', 'c1'];
    const more = [
      '--model-context',
      '8000',
      '--hard-links=in-place',
      '--protect=none',
      '--stale-check=refuse',
      '--model=gpt-5.2',
    ];
    expect(await options(...said, ...more, '--show-secrets', '--allow-undo')).toEqual({
      workspace: '/b',
      heavyCalls: 'here',
      operator: true,
      tools: {},
      disabled: {},
      workspaceOnly: false,
      applyPatch: { workspaceOnly: false },
      agent: 'ada',
      conversation: 'c1',
      model: 'gpt-5.2',
      modelContextWindowTokens: 8000,
      allowUndo: true,
      showSecrets: true,
      sandboxed: false,
      hardLinks: 'in-place',
      protect: 'none',
      staleCheck: 'refuse',
    });
  });

  it('is asked for its agent before the environment is', async () => {
    vi.stubEnv('PINCER_AGENT', 'env');
    expect([(await options()).agent, (await options('--agent', 'line')).agent]).toEqual(['env', 'line']);
  });

  it.each([
    ['--hard-links=maybe', 'call: --hard-links must be refuse or in-place, not "maybe"'],
    ['--stale-check=on', 'call: --stale-check must be off or advise or refuse, not "on"'],
    ['--protect=all', 'call: --protect must be none, not "all"'],
    ['--model-context=-5', 'call: --model-context must be a whole number of at least 1, not "-5"'],
    ['--workspace=', 'call: --workspace needs a value'],
  ])('is refused as %s', async (arg, message) => {
    await expect(options(arg)).rejects.toMatchObject({ code: 'USAGE_ARGUMENTS', message });
  });
});

describe('what the files of configuration say', () => {
  /** The options in a folder where the operator said this. */
  function configured(config: object, ...argv: readonly string[]) {
    const folder = makeFolder({ 'config/pincer/pincer.jsonc': JSON.stringify(config), 'ws/.keep': '' });
    vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'));
    return options('--workspace', join(folder, 'ws'), ...argv);
  }

  it('decides which tools there are, for all agents and for one', async () => {
    const config = {
      tools: { deny: ['write'] },
      agents: { list: [{ id: 'ada', tools: { deny: ['exec'], allow: ['read'] } }] },
    };
    expect((await configured(config)).tools).toEqual({ deny: ['write'] });
    expect((await configured(config, '--agent', 'ada')).tools).toEqual({ allow: ['read'], deny: ['write', 'exec'] });
  });

  it('opens the workspace, but not for patches, unless it says so', async () => {
    const free = await configured({ tools: { fs: { workspaceOnly: false } } });
    expect([free.workspaceOnly, free.applyPatch]).toEqual([false, { byName: true, workspaceOnly: true }]);
    const patches = await configured({ tools: { exec: { applyPatch: { workspaceOnly: false } } } });
    expect([patches.workspaceOnly, patches.applyPatch]).toEqual([true, { byName: true, workspaceOnly: false }]);
  });

  it('asks for apply_patch by name, unless a model is named', async () => {
    const config = { tools: { exec: { applyPatch: { enabled: true, allowModels: ['gpt-5.2'] } } } };
    expect((await configured(config)).applyPatch).toEqual({
      enabled: true,
      allowModels: ['gpt-5.2'],
      byName: true,
      workspaceOnly: true,
    });
    expect(await configured(config, '--model', 'other')).toMatchObject({
      model: 'other',
      applyPatch: { enabled: true, allowModels: ['gpt-5.2'], workspaceOnly: true },
    });
  });

  it('is refused where it makes no sense', async () => {
    await expect(configured({ tools: { deny: 'exec' } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
