import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { execSettings, toolsConfigOf } from '../../src/config/exec-settings.ts';
import { loadConfig } from '../../src/config/load/load.ts';
import { configProblems } from '../../src/config/problems.ts';
import { makeFolder } from '../support/folder.ts';

interface Files {
  readonly user?: string;
  readonly project?: string;
}

/** A home and a project with these files, and the configuration that holds in a folder below the project. */
async function configured({ user, project }: Files) {
  const root = mkdtempSync(join(tmpdir(), 'pincer-config-'));
  const folder = join(root, 'project', 'deep', 'down');
  mkdirSync(join(root, 'xdg', 'pincer'), { recursive: true });
  mkdirSync(folder, { recursive: true });
  const places = { user: join(root, 'xdg', 'pincer', 'pincer.jsonc'), project: join(root, 'project', 'pincer.jsonc') };
  if (user !== undefined) writeFileSync(places.user, user);
  if (project !== undefined) writeFileSync(places.project, project);
  const loaded = await loadConfig({ folder, env: { XDG_CONFIG_HOME: join(root, 'xdg'), HOME: root } });
  return { ...loaded, places };
}

describe('the configuration files', () => {
  it('accept the example of the specification', async () => {
    const user = `{
  tools: {
    exec: {
      pathPrepend: ["~/bin", "/opt/oss/bin"],
    },
  },
}`;
    const loaded = await configured({ user });
    expect(execSettings(loaded, 'main', '/home/a').pathPrepend).toEqual(['/home/a/bin', '/opt/oss/bin']);
  });

  it('have the defaults of the specification', async () => {
    const { pathPrepend, safeBins, ...settings } = execSettings(await configured({}), 'main', '/home/a');
    expect(settings).toMatchObject({
      host: undefined,
      security: undefined,
      ask: undefined,
      node: undefined,
      backgroundMs: 10_000,
      timeoutSec: 1_800,
      notifyOnExit: true,
      approvalRunningNoticeMs: 10_000,
      execAllowed: true,
      headless: false,
    });
    expect({ pathPrepend, safeBins }).toEqual({
      pathPrepend: [],
      safeBins: ['cut', 'uniq', 'head', 'tail', 'tr', 'wc'],
    });
  });

  it('merge the entry of an agent over the settings for all', async () => {
    const user = `{ tools: { exec: { node: "all", ask: "always" } }, agents: { list: [{ id: "a", tools: { exec: { node: "mine" } } }] } }`;
    const loaded = await configured({ user });
    const of = (agent: string) => {
      const { node, ask } = execSettings(loaded, agent, '/');
      return { node, ask };
    };
    expect({ a: of('a'), b: of('b') }).toEqual({
      a: { node: 'mine', ask: 'always' },
      b: { node: 'all', ask: 'always' },
    });
  });

  it('combine the denied tools of an agent and of all', async () => {
    const user = `{ tools: { deny: ["exec"] }, agents: { list: [{ id: "a", tools: { deny: ["read"] } }] } }`;
    expect(toolsConfigOf(await configured({ user }), 'a').deny).toEqual(['exec', 'read']);
  });

  const BROKEN = [
    ['{ tools: ', 'CONFIG_SYNTAX'],
    ['{ tools: { exec: { security: "fulll" } } }', 'CONFIG_INVALID'],
    ['[]', 'CONFIG_INVALID'],
    ['{ tools: { exec: { timeoutSec: "5" } } }', 'CONFIG_INVALID'],
  ] as const;
  it.each(BROKEN)('are refused when broken: %s', async (user, code) => {
    await expect(configured({ user })).rejects.toMatchObject({ code });
  });

  it('report the position of a syntax error', async () => {
    await expect(configured({ user: '{\n  tools: }' })).rejects.toMatchObject({ details: { line: 2, column: 10 } });
  });

  it('warn about unknown members', async () => {
    const { warnings, places } = await configured({ user: '{ tools: { exce: {} } }' });
    expect(warnings).toEqual([`${places.user}: unknown setting tools.exce; did you mean tools.exec`]);
  });
});

describe("a project's file", () => {
  const TIGHTER = [
    ['security', '{ tools: { exec: { security: "deny" } } }', 'deny'],
    ['ask', '{ tools: { exec: { ask: "always" } } }', 'always'],
    ['host', '{ tools: { exec: { host: "gateway" } } }', 'gateway'],
    ['strictInlineEval', '{ tools: { exec: { strictInlineEval: true } } }', true],
    ['safeBins', '{ tools: { exec: { safeBins: ["wc"] } } }', ['wc']],
    ['execAllowed', '{ tools: { deny: ["exec"] } }', false],
    ['timeoutSec', '{ tools: { exec: { timeoutSec: 5 } } }', 5],
  ] as const;
  it.each(TIGHTER)('may make %s stricter', async (name, project, value) => {
    const loaded = await configured({ project });
    expect(loaded.warnings).toEqual([]);
    expect(execSettings(loaded, 'main', '/')[name]).toEqual(value);
  });

  const LOOSER = [
    '{ tools: { exec: { security: "full" } } }',
    '{ tools: { exec: { ask: "off" } } }',
    '{ tools: { exec: { host: "node" } } }',
    '{ tools: { exec: { node: "theirs" } } }',
    '{ tools: { exec: { pathPrepend: ["./bin"] } } }',
    '{ tools: { exec: { safeBins: ["wc", "sort"] } } }',
    '{ tools: { exec: { safeBinTrustedDirs: ["/tmp"] } } }',
    '{ tools: { exec: { safeBinProfiles: { wc: {} } } } }',
    '{ tools: { elevated: { enabled: true } } }',
    '{ tools: { fs: { workspaceOnly: false } } }',
    '{ approvals: { headless: true } }',
    '{ commands: { useAccessGroups: false } }',
    '{ commands: { allowFrom: ["them"] } }',
    '{ agents: { defaults: { elevatedDefault: "full" } } }',
    '{ agents: { list: [{ id: "main", tools: { exec: { security: "full" } } }] } }',
  ];
  it.each(LOOSER)('loosens nothing: %s', async (project) => {
    const loose = await configured({ project });
    const { sources: _, warnings, ...settings } = execSettings(loose, 'main', '/');
    const { sources: __, warnings: ___, ...before } = execSettings(await configured({}), 'main', '/');
    expect(warnings).toHaveLength(1);
    expect({ ...settings, safeBins: [] }).toEqual({ ...before, safeBins: [] });
    expect(settings.safeBins).not.toContain('sort');
  });

  it('cannot loosen what the user made strict', async () => {
    const user = '{ tools: { exec: { security: "deny", ask: "always", strictInlineEval: true } } }';
    const project = '{ tools: { exec: { security: "allowlist", ask: "on-miss", strictInlineEval: false } } }';
    const loaded = await configured({ user, project });
    expect(loaded.warnings).toHaveLength(3);
    expect(execSettings(loaded, 'main', '/')).toMatchObject({
      security: 'deny',
      ask: 'always',
      strictInlineEval: true,
    });
  });

  it('may be a symlink within its folder, and discloses no file elsewhere', async () => {
    const home = makeFolder({ 'secret.json': '{ "auths": { "token": "x" } }' });
    const folder = makeFolder({ 'real.jsonc': '{ "tools": { "exec": { "ask": "always" } } }' });
    const env = { HOME: home };
    symlinkSync('real.jsonc', join(folder, 'pincer.jsonc'));
    expect((await loadConfig({ folder, env })).config.tools?.exec?.ask).toBe('always');
    rmSync(join(folder, 'pincer.jsonc'));
    symlinkSync(join(home, 'secret.json'), join(folder, 'pincer.jsonc'));
    await expect(loadConfig({ folder, env })).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: `${join(folder, 'pincer.jsonc')} is a symlink to a file outside its folder`,
    });
    expect(JSON.stringify(await configProblems(folder, env))).not.toContain('auths');
  });

  it('is read again after each change, and not without one', async () => {
    const { places } = await configured({ user: '{}', project: '{ tools: { exec: { timeoutSec: 7 } } }' });
    const folder = dirname(places.project);
    const env = { XDG_CONFIG_HOME: dirname(dirname(places.user)), HOME: '/' };
    const timeout = async () => toolsConfigOf(await loadConfig({ folder, env }), 'main').exec?.timeoutSec;
    for (let value = 1; value <= 9; value++) {
      writeFileSync(places.project, `{ tools: { exec: { timeoutSec: ${value} } } }`); // always of the same size
      expect(await timeout()).toBe(value);
    }
    // A file that was just written may change again with the same times.
    const load = () => loadConfig({ folder, env });
    await expect.poll(async () => Object.is(await load(), await load())).toBe(true);
    writeFileSync(places.project, '{ tools: { exec: { timeoutSec: 5 } } }');
    expect(await timeout()).toBe(5);
    rmSync(places.project);
    expect(await timeout()).toBeUndefined();
  });

  it('is searched upward, and is never the user’s own file', async () => {
    const { sources } = await configured({ user: '{}', project: '{}' });
    expect(sources.map(({ layer }) => layer)).toEqual(['user', 'project']);
  });
});
