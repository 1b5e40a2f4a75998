import { afterEach, describe, expect, it, vi } from 'vitest';
import { toolboxOptions, WORKSPACE_FLAGS, WORKSPACE_OPTIONS } from '../../../src/apps/cli/operator.ts';
import { readWords } from '../../../src/apps/cli/words.ts';
import { faultOf } from '../../support/fault.ts';

const SHAPE = { command: 'call', words: [], flags: WORKSPACE_FLAGS, options: WORKSPACE_OPTIONS };
const options = (...argv: readonly string[]) => toolboxOptions(SHAPE, readWords(SHAPE, argv));

afterEach(() => vi.unstubAllEnvs());

describe('what the operator says', () => {
  it('is the careful choice where nothing is said', () => {
    vi.stubEnv('PINCER_AGENT', '');
    expect(options()).toEqual({
      workspace: process.cwd(),
      workspaceOnly: true,
      applyPatch: { workspaceOnly: true },
      agent: 'main',
      allowUndo: false,
      showSecrets: false,
      hardLinks: 'refuse',
      staleCheck: 'off',
    });
  });

  it('reaches the toolbox word by word', () => {
    const said = ['--workspace=/a/../b', '--no-workspace-only', '--agent', 'ada', '--conversation', 'c1'];
    const more = ['--model-context', '8000', '--hard-links=in-place', '--protect=none', '--stale-check=refuse'];
    expect(options(...said, ...more, '--show-secrets', '--allow-undo')).toEqual({
      workspace: '/b',
      workspaceOnly: false,
      applyPatch: { workspaceOnly: false },
      agent: 'ada',
      conversation: 'c1',
      modelContextWindowTokens: 8000,
      allowUndo: true,
      showSecrets: true,
      hardLinks: 'in-place',
      protect: 'none',
      staleCheck: 'refuse',
    });
  });

  it('is asked for its agent before the environment is', () => {
    vi.stubEnv('PINCER_AGENT', 'env');
    expect([options().agent, options('--agent', 'line').agent]).toEqual(['env', 'line']);
  });

  it.each([
    ['--hard-links=maybe', 'call: --hard-links is refuse or in-place, not "maybe"'],
    ['--stale-check=on', 'call: --stale-check is off or advise or refuse, not "on"'],
    ['--protect=all', 'call: --protect is none, not "all"'],
    ['--model-context=-5', 'call: --model-context is a whole number above 0, not "-5"'],
    ['--workspace=', 'call: --workspace needs a value'],
  ])('is refused as %s', (arg, message) => {
    expect(faultOf(() => options(arg))).toMatchObject({ code: 'USAGE_ARGUMENTS', message });
  });
});
