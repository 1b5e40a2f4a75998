import { totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { execSettings } from '../../src/config/exec-settings.ts';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import { bytesOf } from '../../src/config/schema/sizes.ts';
import { checkValue } from '../../src/config/load/read.ts';
import { tighten } from '../../src/config/tighten/tighten.ts';

function sandboxOf(config: ConfigFile, agent = 'main') {
  return execSettings({ config, sources: [], warnings: [] }, agent, '/home/me').sandbox;
}

describe('the sandbox settings', () => {
  it('default to off, bubblewrap, one sandbox per agent and a writable workspace', () => {
    expect(sandboxOf({})).toEqual({
      mode: 'off',
      backend: 'bubblewrap',
      scope: 'agent',
      workspaceAccess: 'rw',
      limits: {
        memoryBytes: Math.max(2 ** 31, Math.floor(totalmem() / 2)),
        pids: 2048,
        fileBytes: 2 ** 32,
        byDefault: ['memoryBytes', 'pids', 'fileBytes'],
        tmpBytes: 256 * 2 ** 20,
      },
      networkAllow: [],
      binds: [],
      env: {},
      container: {
        image: undefined,
        socket: undefined,
        runtime: undefined,
        setupCommand: undefined,
        user: undefined,
      },
      onObeyed: 'alert',
      pruneAfterMs: 24 * 3_600_000,
    });
  });

  it('accept sizes as strings or numbers, expand ~, and convert hours to milliseconds', () => {
    const config: ConfigFile = {
      sandbox: {
        mode: 'all',
        limits: { memory: '512m', pids: 200, cpus: 1.5, fileSize: 1000, tmpSize: '1g' },
        network: { allow: ['api.example.com'] },
        binds: [{ source: '~/data' }, { source: '/srv/models/', target: '/models', access: 'rw' }],
        env: { CI: '1' },
        docker: { image: 'x', socket: '~/run/docker.sock' },
        prune: { idleHours: 0.5 },
      },
    };
    expect(sandboxOf(config)).toMatchObject({
      mode: 'all',
      limits: { memoryBytes: 512 * 2 ** 20, pids: 200, cpus: 1.5, fileBytes: 1000, byDefault: [], tmpBytes: 2 ** 30 },
      networkAllow: ['api.example.com'],
      binds: [
        { source: '/home/me/data', target: '/home/me/data', access: 'ro' },
        { source: '/srv/models', target: '/models', access: 'rw' },
      ],
      env: { CI: '1' },
      container: { image: 'x', socket: '/home/me/run/docker.sock' },
      pruneAfterMs: 1_800_000,
    });
  });

  it('of an agent are merged over those of all', () => {
    const config: ConfigFile = {
      sandbox: { mode: 'all', limits: { pids: 100, memory: '1g' } },
      agents: { list: [{ id: 'trusted', sandbox: { mode: 'off', limits: { pids: 199 } } }] },
    };
    expect([sandboxOf(config), sandboxOf(config, 'trusted')]).toMatchObject([
      { mode: 'all', limits: { pids: 100, memoryBytes: 2 ** 30 } },
      { mode: 'off', limits: { pids: 199, memoryBytes: 2 ** 30 } },
    ]);
  });
});

describe('an invalid setting', () => {
  const problems = (sandbox: unknown) => checkValue({ sandbox }).diagnostics.map(({ at, message }) => [at, message]);
  const network = 'a name such as api.example.com, *.example.org or api.example.com:8443';

  it.each<[sandbox: unknown, at: string, message: string]>([
    [{ binds: [{ target: '/x' }] }, 'sandbox.binds[0]', 'must be an object with a source'],
    [
      { binds: [{ source: 'data' }] },
      'sandbox.binds[0].source',
      'must be an absolute path or a path that begins with ~/, not "data"',
    ],
    [
      { binds: [{ source: '/data', target: 'data' }] },
      'sandbox.binds[0].target',
      'must be an absolute path, not "data"',
    ],
    [{ network: { allow: ['a.example', '*'] } }, 'sandbox.network.allow[1]', `must be ${network}, not "*"`],
    [
      { network: { allow: ['https://a.example/'] } },
      'sandbox.network.allow[0]',
      `must be ${network}, not "https://a.example/"`,
    ],
    ...['127.0.0.1:5432', '10.0.0.5', '[::1]:8080', '169.254.169.254', 'localhost:3000', '*.localhost'].map(
      (name): [object, string, string] => [
        { network: { allow: [name] } },
        'sandbox.network.allow[0]',
        `must be public, because a sandbox has no access to private addresses (start the server inside the sandbox, or run the command with tools.exec.host gateway), not "${name}"`,
      ],
    ),
    [{ docker: { user: 'root;id' } }, 'sandbox.docker.user', 'must be a user, as uid or uid:gid, not "root;id"'],
    [
      { docker: { socket: 'docker.sock' } },
      'sandbox.docker.socket',
      'must be an absolute path or a path that begins with ~/, not "docker.sock"',
    ],
  ])('%j is reported with its path', (sandbox, at, message) => {
    expect(problems(sandbox)).toEqual([[at, `${at} ${message}`]]);
  });

  it.each(['A=B', '1A', '', 'PINCER_SESSION', 'Ä'])('refuses a variable named %j', (name) => {
    expect(problems({ env: { [name]: 'x' } })).toEqual([
      ['sandbox.env', expect.stringMatching(/^sandbox\.env must be an object of strings; names consist of letters/u)],
    ]);
  });
});

describe('a size', () => {
  it.each([
    [1, 1],
    ['1', 1],
    ['1k', 1024],
    ['1.5M', 1_572_864],
    ['2gb', 2 ** 31],
    ['1T', 2 ** 40],
    [0, undefined],
    [1.5, undefined],
    [-1, undefined],
    ['', undefined],
    ['m', undefined],
    ['512 m', undefined],
    ['0.1', undefined],
    ['1e9', undefined],
    ['999999999999t', undefined],
    [null, undefined],
  ])('%j is %j bytes', (size, bytes) => {
    expect(bytesOf(size)).toBe(bytes);
  });
});

describe("a project's file about sandboxes", () => {
  const operator: ConfigFile = {
    sandbox: {
      mode: 'all',
      scope: 'session',
      workspaceAccess: 'ro',
      limits: { memory: '512m', cpus: 1 },
      network: { allow: ['a.example', 'b.example'] },
    },
    agents: { list: [{ id: 'main', sandbox: { limits: { memory: '256m' } } }] },
  };

  it('cannot loosen the settings of the operator', () => {
    const refused: string[] = [];
    const project: ConfigFile = {
      sandbox: {
        mode: 'off',
        scope: 'agent',
        workspaceAccess: 'rw',
        limits: { memory: '1g', cpus: 2, tmpSize: '1g', pids: 65 },
        network: { allow: ['a.example', 'evil.example'] },
      },
      agents: { list: [{ id: 'main', sandbox: { mode: 'non-main', limits: { memory: '300m', cpus: 0.5 } } }] },
    };
    expect(tighten(operator, project, (at) => refused.push(at))).toEqual({
      sandbox: { limits: { pids: 65 }, network: { allow: ['a.example'] } },
      agents: { list: [{ id: 'main', sandbox: { limits: { cpus: 0.5 } } }] },
    });
    expect(refused.sort()).toEqual([
      'agents.list[0].sandbox.limits.memory',
      'agents.list[0].sandbox.mode',
      'sandbox.limits.cpus',
      'sandbox.limits.memory',
      'sandbox.limits.tmpSize',
      'sandbox.mode',
      'sandbox.network.allow',
      'sandbox.scope',
      'sandbox.workspaceAccess',
    ]);
  });

  it('cannot set the backend, the binds, the environment and the idle time', () => {
    const refused: string[] = [];
    const project: ConfigFile = {
      sandbox: {
        backend: 'docker',
        binds: [{ source: '/', target: '/host', access: 'rw' }],
        env: { LD_PRELOAD: '/workspace/x.so' },
        docker: { image: 'evil', socket: '/workspace/s', runtime: 'none', setupCommand: 'id', user: '0' },
        prune: { idleHours: 8000 },
      },
    };
    expect(tighten({}, project, (at) => refused.push(at))).toEqual({ sandbox: {} });
    expect(refused).toEqual(['backend', 'binds', 'env', 'docker', 'prune'].map((name) => `sandbox.${name}`));
  });

  it.each([
    ['off', {}, ['gateway', 'gateway']],
    ['all', {}, [undefined, undefined]],
    ['non-main', {}, [undefined, undefined]],
    ['all', { mode: 'off' }, [undefined, 'gateway']],
    ['off', { mode: 'all' }, ['gateway', undefined]],
  ] as const)('with the mode %s for all and %j for one cannot send commands out of it', (mode, own, hosts) => {
    const gateway = { exec: { host: 'gateway' } } as const;
    const said: ConfigFile = { sandbox: { mode }, agents: { list: [{ id: 'main', sandbox: own }] } };
    const project: ConfigFile = { tools: gateway, agents: { list: [{ id: 'main', tools: gateway }] } };
    const { tools, agents } = tighten(said, project, () => {});
    expect([tools?.exec?.host, agents?.list?.[0]?.tools?.exec?.host]).toEqual(hosts);
  });
});
