import { describe, expect, it } from 'vitest';
import type { SandboxSpec } from '../../../../src/hosts/sandbox/backend.ts';
import {
  containerRequest,
  specificationHash,
  tmpBytes,
  type ContainerPlan,
} from '../../../../src/hosts/sandbox/container/request.ts';

const MIB = 1024 * 1024;
const SPEC: SandboxSpec = {
  id: 'one',
  workspace: '/w',
  workspaceAccess: 'rw',
  limits: { tmpBytes: 64 * MIB, memoryBytes: 512 * MIB, pids: 50, cpus: 1.5, fileBytes: 1000 },
  egress: false,
  binds: [],
  env: { A: 'b' },
};
const PLAN: ContainerPlan = {
  spec: SPEC,
  engine: 'docker',
  image: 'sha256:1',
  user: '5:6',
  command: ['/opt/pincer/lib/ld', '/opt/pincer/runner/runner.cjs', '--inside', '--stdio'],
  mounts: [
    { source: '/w', target: '/workspace', access: 'rw' },
    { source: '/w/.git', target: '/workspace/.git', access: 'ro' },
  ],
  hidden: ['/workspace/state'],
  volumes: ['/data'],
  labels: { 'pincer.sandbox': 'one' },
  facts: { swap: true, rootless: false },
  seccomp: '{}',
  ceiling: { files: 20_000, processes: 96_000 },
  token: 'only-this-one',
};

describe('the request for a container', () => {
  it('sets every isolation option explicitly', () => {
    const { HostConfig, ...rest } = containerRequest(PLAN) as { HostConfig: Record<string, unknown> };
    expect(rest).toEqual({
      Image: 'sha256:1',
      Entrypoint: ['/opt/pincer/lib/ld'],
      Cmd: ['/opt/pincer/runner/runner.cjs', '--inside', '--stdio'],
      User: '5:6',
      WorkingDir: '/workspace',
      Hostname: 'sandbox',
      Domainname: '',
      Env: [
        'HOME=/tmp/home',
        'TMPDIR=/tmp',
        'LANG=C.UTF-8',
        'A=b',
        'NODE_OPTIONS=',
        'LD_PRELOAD=',
        'PINCER_CONTAINER=only-this-one',
      ],
      Labels: { 'pincer.sandbox': 'one' },
      Tty: false,
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      NetworkDisabled: true,
      Healthcheck: { Test: ['NONE'] },
    });
    const { MaskedPaths, ReadonlyPaths, ...host } = HostConfig;
    expect(MaskedPaths).toEqual(expect.arrayContaining(['/sys', '/proc/kcore', '/proc/keys']));
    expect(ReadonlyPaths).toEqual(expect.arrayContaining(['/proc/sys', '/proc/sysrq-trigger']));
    const writable = (size: number, exec = 'exec') => `rw,nosuid,nodev,${exec},size=${size},mode=1777`;
    expect(host).toEqual({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapAdd: [],
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', 'seccomp={}'],
      PidMode: '',
      IpcMode: 'private',
      UTSMode: '',
      CgroupnsMode: 'private',
      Init: true,
      AutoRemove: true,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none', Config: {} },
      OomKillDisable: false,
      Memory: 512 * MIB,
      MemorySwap: 512 * MIB,
      PidsLimit: 50,
      NanoCpus: 1_500_000_000,
      Ulimits: [
        { Name: 'nofile', Soft: 20_000, Hard: 20_000 },
        { Name: 'nproc', Soft: 32_768, Hard: 32_768 },
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'fsize', Soft: 1000, Hard: 1000 },
      ],
      ShmSize: 64 * MIB,
      Tmpfs: {
        '/data': writable(16 * MIB),
        '/tmp': writable(44 * MIB),
        '/tmp/home': writable(16 * MIB),
        '/var/tmp': writable(4 * MIB),
        '/run': writable(MIB, 'noexec'),
        '/run/pincer': writable(8 * MIB, 'noexec'),
        '/workspace/state': 'ro,nosuid,nodev,noexec,size=4096,mode=0755',
      },
      Mounts: [
        {
          Type: 'bind',
          Source: '/w',
          Target: '/workspace',
          ReadOnly: false,
          BindOptions: { Propagation: 'rprivate', NonRecursive: false },
        },
        {
          Type: 'bind',
          Source: '/w/.git',
          Target: '/workspace/.git',
          ReadOnly: true,
          BindOptions: { Propagation: 'rprivate', NonRecursive: true },
        },
      ],
    });
  });

  it('differs for podman where needed', () => {
    const { HostConfig } = containerRequest({ ...PLAN, engine: 'podman' }) as { HostConfig: Record<string, unknown> };
    expect(HostConfig).not.toHaveProperty('MaskedPaths');
    expect(HostConfig['SecurityOpt']).toEqual([
      'no-new-privileges',
      'seccomp={}',
      expect.stringMatching(/^mask=\/sys:/u),
    ]);
    for (const options of Object.values(HostConfig['Tmpfs'] as object)) expect(options).toMatch(/,notmpcopyup$/u);
  });

  it('runs a setup command in front of the agent, as data and never as part of a script', () => {
    const spec = { ...SPEC, setupCommand: 'echo "a"; $(b)' };
    const { Entrypoint, Cmd, Env } = containerRequest({ ...PLAN, spec }) as Record<string, string[]>;
    expect(Entrypoint).toEqual(['/bin/sh']);
    expect(Cmd).toEqual(['-c', expect.not.stringContaining('echo "a"'), 'setup', ...PLAN.command]);
    expect(Env).toContain('PINCER_SETUP=echo "a"; $(b)');
  });

  it('leaves out what was not asked for, and the swap that an engine cannot count', () => {
    const spec = { ...SPEC, limits: { tmpBytes: MIB }, runtime: 'runsc' };
    const bare = (containerRequest({ ...PLAN, spec, seccomp: undefined }) as { HostConfig: Record<string, unknown> })
      .HostConfig;
    for (const name of ['Memory', 'MemorySwap', 'PidsLimit', 'NanoCpus']) expect(bare).not.toHaveProperty(name);
    expect([bare['SecurityOpt'], bare['Runtime']]).toEqual([['no-new-privileges'], 'runsc']);
    const { HostConfig } = containerRequest({ ...PLAN, facts: { swap: false, rootless: false } }) as {
      HostConfig: object;
    };
    expect(HostConfig).not.toHaveProperty('MemorySwap');
  });

  it.each([
    [{ tmpBytes: 64 * MIB }, 64 * MIB],
    [{ tmpBytes: 64 * MIB, memoryBytes: 512 * MIB }, 64 * MIB],
    [{ tmpBytes: 256 * MIB, memoryBytes: 256 * MIB }, 128 * MIB],
  ])('keeps /tmp below the memory: %j', (limits, bytes) => {
    expect(tmpBytes({ limits })).toBe(bytes);
  });
});

describe('the name of a specification', () => {
  it('is the same for the same one, in whatever order it is written, and for every sandbox', () => {
    const { env, ...rest } = SPEC;
    expect(specificationHash({ ...rest, id: 'two', env: { ...env } }, 'i')).toBe(specificationHash(SPEC, 'i'));
  });

  it.each<[string, Partial<SandboxSpec>]>([
    ['limits', { limits: { tmpBytes: 1 } }],
    ['environment', { env: {} }],
    ['access', { workspaceAccess: 'ro' }],
    ['binds', { binds: [{ source: '/a', target: '/b', access: 'ro' }] }],
    ['setup command', { setupCommand: 'x' }],
  ])('differs with another %s', (_, change) => {
    expect(specificationHash({ ...SPEC, ...change }, 'i')).not.toBe(specificationHash(SPEC, 'i'));
  });

  it('differs with another image', () => {
    expect(specificationHash(SPEC, 'i')).not.toBe(specificationHash(SPEC, 'j'));
  });
});
