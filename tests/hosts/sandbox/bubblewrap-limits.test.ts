import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planLimits, type LimitRequest } from '../../../src/hosts/sandbox/limits.ts';
import { cgroupMakers } from '../../../src/hosts/sandbox/limits/cgroups.ts';
import { scopeCommand } from '../../../src/hosts/sandbox/limits.ts';
import { withoutPrivilege } from '../../support/privilege.ts';

const ask = (limits: object, more: Partial<LimitRequest> = {}): LimitRequest => ({
  id: 'limits',
  limits: { tmpBytes: 1, ...limits },
  isRoot: false,
  programs: { prlimit: '/usr/bin/prlimit', systemdRun: undefined },
  ...more,
});

const canMakeGroups = process.geteuid?.() === 0 && existsSync('/sys/fs/cgroup');

describe('the limits of a sandbox', () => {
  it('always keep core files away', () => {
    expect(planLimits(ask({}))).toMatchObject({ groups: [], outside: ['/usr/bin/prlimit', '--core=1'], inside: [] });
  });

  it('limit the size of files for every process', () => {
    expect(planLimits(ask({ fileBytes: 5 })).outside).toEqual(['/usr/bin/prlimit', '--core=1', '--fsize=5']);
  });

  it('count processes inside where cgroups cannot be created', () => {
    expect(withoutPrivilege(() => planLimits(ask({ pids: 7 })))).toMatchObject({
      groups: [],
      inside: ['/usr/bin/prlimit', '--nproc=7'],
    });
  });

  it.each([
    ['memory', { memoryBytes: 1e8 }, {}],
    ['cpus', { cpus: 1 }, {}],
    ['memory', { pids: 5, memoryBytes: 1e8 }, {}],
    ['pids', { pids: 5 }, { isRoot: true }],
    ['fileSize', { fileBytes: 5 }, { programs: { prlimit: undefined, systemdRun: undefined } }],
  ])('are refused when %s cannot be enforced', (name, limits, more) => {
    expect(() => withoutPrivilege(() => planLimits(ask(limits, more)))).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_LIMIT_UNENFORCEABLE',
        details: { limit: `sandbox.limits.${name}` },
      }),
    );
  });

  it.skipIf(!canMakeGroups)('are groups of this machine, which are removed afterwards', async () => {
    const plan = planLimits(ask({ memoryBytes: 100 * 4096, pids: 9, cpus: 0.5 }));
    const folders = plan.groups.map(({ folder }) => folder);
    expect(folders.length).toBeGreaterThan(0);
    const read = (file: string): string | undefined =>
      folders
        .map((folder) => join(folder, file))
        .filter((path) => existsSync(path))
        .map((path) => readFileSync(path, 'utf8').trim())[0];
    expect(read('memory.max') ?? read('memory.limit_in_bytes')).toBe('409600');
    expect(read('pids.max')).toBe('9');
    expect(read('cpu.max') ?? read('cpu.cfs_quota_us')).toMatch(/^50000(?: 100000)?$/u);
    await plan.remove();
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });

  it.skipIf(!canMakeGroups)('remove the cgroups of gateways that have ended', async () => {
    const first = planLimits(ask({ pids: 9 }));
    const left = join(dirname(first.groups[0]!.folder), 'pincer-sandbox-4194999-dead');
    mkdirSync(left);
    try {
      const second = planLimits(ask({ pids: 9 }, { id: 'limits-2' }));
      expect(existsSync(left)).toBe(false);
      await second.remove();
    } finally {
      if (existsSync(left)) rmdirSync(left);
      await first.remove();
    }
  });

  it('can be a scope of systemd', () => {
    expect(scopeCommand('/usr/bin/systemd-run', { memoryBytes: 100, pids: 5, cpus: 1.5 }, true)).toEqual([
      '/usr/bin/systemd-run',
      '--user',
      '--scope',
      '--quiet',
      '--collect',
      '--slice=pincer-sandbox.slice',
      '--property',
      'MemoryMax=100',
      '--property',
      'MemorySwapMax=0',
      '--property',
      'TasksMax=5',
      '--property',
      'CPUQuota=150%',
      '--',
    ]);
  });

  it('remove all cgroups if one of them cannot be created', () => {
    const made = withoutPrivilege(() => cgroupMakers().map((make) => make('none', { memoryBytes: 1, pids: 1 })));
    expect(made).toEqual([undefined, undefined]);
  });
});
