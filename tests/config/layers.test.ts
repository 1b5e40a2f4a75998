import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { effectiveSettings, valueAt, withDefaults } from '../../src/config/load/effective.ts';
import { combineLayers, loadLayers } from '../../src/config/load/load.ts';
import { agentSettings, mcpSettings, serveSettings } from '../../src/config/server-settings.ts';
import { isPluginEnabled } from '../../src/config/plugins.ts';
import { parseSettingPath } from '../../src/config/schema/setting-path.ts';
import { makeFolder } from '../support/folder.ts';

interface Said {
  readonly user?: string;
  readonly project?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function layersOf({ user, project, env = {} }: Said) {
  const root = makeFolder({
    'project/deep/.keep': '',
    ...(user === undefined ? {} : { 'xdg/pincer/pincer.jsonc': user }),
    ...(project === undefined ? {} : { 'project/pincer.jsonc': project }),
  });
  const layers = await loadLayers({
    folder: join(root, 'project', 'deep'),
    env: { HOME: root, XDG_CONFIG_HOME: join(root, 'xdg'), ...env },
    includeEnvironment: true,
  });
  return { root, layers, loaded: combineLayers(layers) };
}

describe('the layers', () => {
  const user = '{ tools: { exec: { host: "gateway", timeoutSec: 1 } } }';
  const project = '{ tools: { exec: { timeoutSec: 2 } } }';
  const env = { PINCER_TOOLS_EXEC_TIMEOUT_SEC: '3' };
  const ORDER: readonly (readonly [Said, unknown, string])[] = [
    [{}, 1_800, 'default'],
    [{ user }, 1, 'user'],
    [{ user, project }, 2, 'project'],
    [{ project }, 2, 'project'],
    [{ user, project, env }, 3, 'environment'],
    [{ env }, 3, 'environment'],
  ];
  it.each(ORDER)('override each other in order: %j', async (said, value, layer) => {
    const { layers, loaded } = await layersOf(said);
    const steps = parseSettingPath('tools.exec.timeoutSec');
    const all = withDefaults(loaded.config);
    const [held] = await effectiveSettings(layers, all, steps);
    expect([valueAt(all, steps), held?.value, held?.origin.layer]).toEqual([value, value, layer]);
  });

  it('report the origin of each value', async () => {
    const { root, layers, loaded } = await layersOf({
      user: '{\n  exec: { node: "a" },\n  agents: { list: [\n    { id: "x" },\n    { id: "y", tools: { exec: { node: "b" } } },\n  ] },\n}',
      project: '{ agents: { list: [{ id: "y", tools: { deny: ["exec"] } }] } }',
      env: { PINCER_SERVE_PORT: '1' },
    });
    const all = withDefaults(loaded.config);
    const held = async (typed: string) =>
      (await effectiveSettings(layers, all, parseSettingPath(typed))).map((one) => one.origin);
    const userFile = join(root, 'xdg/pincer/pincer.jsonc');
    expect({
      alias: await held('tools.exec.node'),
      agent: await held('agents.list[1]'),
      port: await held('serve.port'),
      ask: await held('tools.exec.ask'),
    }).toEqual({
      alias: [{ layer: 'user', file: userFile, line: 2, ocPath: 'oc://pincer.jsonc/exec/node' }],
      agent: [
        {
          layer: 'project',
          file: join(root, 'project/pincer.jsonc'),
          line: 1,
          ocPath: 'oc://pincer.jsonc/agents.list/0/id',
        },
        { layer: 'user', file: userFile, line: 5, ocPath: 'oc://pincer.jsonc/agents.list.1.tools/exec/node' },
        {
          layer: 'project',
          file: join(root, 'project/pincer.jsonc'),
          line: 1,
          ocPath: 'oc://pincer.jsonc/agents.list.0/tools/deny',
        },
      ],
      port: [{ layer: 'environment', variable: 'PINCER_SERVE_PORT' }],
      ask: [{ layer: 'default' }],
    });
  });

  it('provide the settings of the servers', async () => {
    const { loaded } = await layersOf({
      user: '{ mcp: { preset: "codex", sessionsOnClose: "end" }, serve: { port: 1 }, agents: { list: [{ id: "a", name: "A", model: "m" }] } }',
    });
    expect([
      mcpSettings(loaded),
      serveSettings(loaded),
      agentSettings(loaded, 'a'),
      agentSettings(loaded, 'b'),
    ]).toEqual([
      { preset: 'codex', sessionsOnClose: 'end' },
      { host: '127.0.0.1', port: 1 },
      { name: 'A', model: 'm' },
      {},
    ]);
  });
});

describe("a project's file", () => {
  const LOOSER = [
    ['{ serve: { host: "0.0.0.0" } }', '{}', ['serve']],
    ['{ mcp: { sessionsOnClose: "keep" } }', '{ mcp: { sessionsOnClose: "end" } }', ['mcp.sessionsOnClose']],
    [
      '{ plugins: { entries: { "oc-path": { enabled: true } } } }',
      '{ plugins: { entries: { "oc-path": { enabled: false } } } }',
      ['plugins.entries.oc-path.enabled'],
    ],
    [
      '{ agents: { list: [{ id: "main", model: "gpt-5.2", name: "You" }] } }',
      '{}',
      ['agents.list[0].name', 'agents.list[0].model'],
    ],
    ['{ exec: { security: "full" } }', '{}', ['tools.exec.security']],
    ['{ exec: { pathPrepend: ["./bin"] } }', '{}', ['tools.exec.pathPrepend']],
  ] as const;
  it.each(LOOSER)('may not set %s', async (project, user, refused) => {
    const { layers, loaded } = await layersOf({ user, project });
    const { loaded: without } = await layersOf({ user });
    expect(
      layers
        .find(({ layer }) => layer === 'project')
        ?.diagnostics.map(({ at }) => at)
        .sort(),
    ).toEqual([...refused].sort());
    const { agents: _, ...said } = withDefaults(loaded.config);
    const { agents: __, ...before } = withDefaults(without.config);
    expect(said).toEqual(before);
    expect(agentSettings(loaded, 'main')).toEqual({});
  });

  it('may disable a plugin, end sessions and choose a preset', async () => {
    const { loaded } = await layersOf({
      project:
        '{ plugins: { entries: { "oc-path": { enabled: false } } }, mcp: { sessionsOnClose: "end", preset: "claude" } }',
    });
    expect(loaded.warnings).toEqual([]);
    expect([isPluginEnabled(loaded, 'oc-path'), mcpSettings(loaded)]).toEqual([
      false,
      { sessionsOnClose: 'end', preset: 'claude' },
    ]);
  });

  it('cannot pollute prototypes', async () => {
    const project = '{ plugins: { entries: { "__proto__": { enabled: false } } } }';
    await expect(layersOf({ project })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect({}).not.toHaveProperty('enabled');
  });

  it('with many unknown settings produces few warnings', async () => {
    const project = `{ ${Array.from({ length: 30_000 }, (_, i) => `w${i}: 1`).join(', ')} }`;
    const { loaded } = await layersOf({ project });
    expect(loaded.warnings).toHaveLength(11);
    expect(loaded.warnings.at(-1)).toMatch(/: 41 more warnings; run pincer config validate$/u);
  });

  it('over the size limit is refused', async () => {
    const project = `// ${'x'.repeat(1024 * 1024)}\n{}`;
    await expect(layersOf({ project })).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
  });
});
