import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../src/config/load/environment.ts';
import { loadConfig } from '../../src/config/load/load.ts';
import { makeFolder } from '../support/folder.ts';

describe('the environment', () => {
  const SETTINGS = [
    ['PINCER_TOOLS_EXEC_HOST', 'gateway', { tools: { exec: { host: 'gateway' } } }],
    ['PINCER_TOOLS_EXEC_PATH_PREPEND', '~/bin,/opt/bin', { tools: { exec: { pathPrepend: ['~/bin', '/opt/bin'] } } }],
    ['PINCER_TOOLS_EXEC_PATH_PREPEND', '["a,b"]', { tools: { exec: { pathPrepend: ['a,b'] } } }],
    ['PINCER_TOOLS_FS_WORKSPACE_ONLY', 'false', { tools: { fs: { workspaceOnly: false } } }],
    ['PINCER_TOOLS_EXEC_TIMEOUT_SEC', '5', { tools: { exec: { timeoutSec: 5 } } }],
    [
      'PINCER_TOOLS_EXEC_APPLY_PATCH_ALLOW_MODELS',
      'gpt-5.2',
      { tools: { exec: { applyPatch: { allowModels: ['gpt-5.2'] } } } },
    ],
    ['PINCER_AGENTS_LIST', '[{id: "a"}]', { agents: { list: [{ id: 'a' }] } }],
    [
      'PINCER_PLUGINS_ENTRIES',
      '{"oc-path": {enabled: false}}',
      { plugins: { entries: { 'oc-path': { enabled: false } } } },
    ],
    ['PINCER_MCP_SESSIONS_ON_CLOSE', 'end', { mcp: { sessionsOnClose: 'end' } }],
    ['PINCER_SERVE_PORT', '0', { serve: { port: 0 } }],
  ] as const;
  it.each(SETTINGS)('%s=%s is a setting', async (name, value, values) => {
    expect(await readEnvironment({ [name]: value })).toEqual({ values, diagnostics: [] });
  });

  it('combines several variables', async () => {
    const env = { PINCER_TOOLS_EXEC_HOST: 'node', PINCER_TOOLS_EXEC_NODE: 'a', PINCER_TOOLS_DENY: 'read' };
    expect((await readEnvironment(env))?.values).toEqual({
      tools: { deny: ['read'], exec: { host: 'node', node: 'a' } },
    });
  });

  const SILENT = [{}, { PINCER_TOOLS_EXEC_HOST: '' }, { PINCER_STATE_DIR: '/s', PINCER_AGENT: 'a', PINCER_TOKEN: 't' }];
  it.each(SILENT)('sets nothing: %j', async (env) => {
    expect(await readEnvironment(env)).toBeUndefined();
  });

  const UNKNOWN = [
    ['PINCER_TOOLS_EXEC_HOSTS', 'unknown setting PINCER_TOOLS_EXEC_HOSTS; did you mean PINCER_TOOLS_EXEC_HOST'],
    ['PINCER_TOOL_DENY', 'unknown setting PINCER_TOOL_DENY; did you mean PINCER_TOOLS_DENY'],
    ['PINCER_SERVE_COLOUR_OF_THE_SEA', expect.stringContaining('unknown setting PINCER_SERVE')],
  ] as const;
  it.each(UNKNOWN)('warns about %s and continues', async (name, message) => {
    expect(await readEnvironment({ [name]: 'x' })).toEqual({
      values: {},
      diagnostics: [{ severity: 'warning', at: '', message }],
    });
  });

  it('refuses invalid values', async () => {
    await expect(readEnvironment({ PINCER_TOOLS_EXEC_SECURITY: 'fulll' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'PINCER_TOOLS_EXEC_SECURITY must be one of deny, allowlist, full, not "fulll"',
    });
  });

  it('is ignored unless includeEnvironment is set', async () => {
    const folder = makeFolder();
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, PINCER_TOOLS_EXEC_SECURITY: 'full' };
    const { config: heard } = await loadConfig({ folder, env, includeEnvironment: true });
    const { config: unheard } = await loadConfig({ folder, env });
    expect({ heard, unheard }).toEqual({ heard: { tools: { exec: { security: 'full' } } }, unheard: {} });
  });
});
