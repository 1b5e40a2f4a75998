import { describe, expect, it } from 'vitest';
import { requireLimits, enginePromises, readFacts } from '../../../../src/hosts/sandbox/container/facts.ts';
import { promisesOf } from '../../../../src/hosts/sandbox/probe/promises.ts';
import { faultOf } from '../../../support/fault.ts';

/** What docker 20.10 says on a machine with cgroup v1. */
const DOCKER = {
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
  CgroupVersion: '1',
  CgroupDriver: 'cgroupfs',
  SecurityOptions: ['name=seccomp,profile=default'],
  Runtimes: { runc: {}, runsc: {} },
};
const ALL = ['cpu', 'memory', 'pids'];

describe('the facts of an engine', () => {
  it('is read', () => {
    expect(readFacts(DOCKER, 'docker', undefined)).toEqual({
      rootless: false,
      memory: true,
      swap: true,
      pids: true,
      cpus: true,
      fileSize: true,
      seccomp: true,
      runtimes: ['runc', 'runsc'],
      groups: 'cgroup v1, driver cgroupfs',
    });
  });

  it.each([
    ['podman as root', { ...DOCKER, Rootless: false }, ALL, { memory: true, pids: true, cpus: true, fileSize: true }],
    [
      'rootless podman on cgroup v1, which only pretends',
      { ...DOCKER, Rootless: true },
      ALL,
      { memory: false, pids: false, cpus: false, fileSize: false },
    ],
    [
      'rootless podman with some controllers',
      { ...DOCKER, CgroupVersion: '2', Rootless: true },
      ['memory', 'pids'],
      { memory: true, pids: true, cpus: false, fileSize: false },
    ],
    [
      'rootless docker without control groups',
      { ...DOCKER, CgroupVersion: '2', CgroupDriver: 'none', SecurityOptions: ['name=rootless'] },
      undefined,
      { memory: false, pids: false, cpus: false, fileSize: true },
    ],
    ['an engine that says nothing', {}, undefined, { memory: false, pids: false, cpus: false }],
  ])('report which limits are enforced: %s', (_, info, controllers, expected) => {
    expect(readFacts(info, controllers === undefined ? 'docker' : 'podman', controllers)).toMatchObject(expected);
  });

  it.each([
    [{ memoryBytes: 1e8 }, 'sandbox.limits.memory'],
    [{ pids: 10 }, 'sandbox.limits.pids'],
    [{ cpus: 0.5 }, 'sandbox.limits.cpus'],
    [{ fileBytes: 10 }, 'sandbox.limits.fileSize'],
  ])('refuses %j where it would only pretend', (limits, setting) => {
    const facts = readFacts({ ...DOCKER, Rootless: true }, 'podman', ALL);
    expect(faultOf(() => requireLimits({ tmpBytes: 1, ...limits }, facts, 'podman'))).toEqual({
      code: 'SANDBOX_LIMIT_UNENFORCEABLE',
      message: `${setting} cannot be enforced by this podman (cgroup v1, driver cgroupfs, rootless)`,
      hint: expect.stringMatching(`^run podman as root.*; or remove ${setting}$`),
    });
    expect(() => requireLimits({ tmpBytes: 1 }, facts, 'podman')).not.toThrow();
  });

  it('promise less where limits are not enforced', () => {
    const facts = readFacts({ ...DOCKER, Rootless: true }, 'podman', ALL);
    const lacking = enginePromises(facts, 'podman').filter(({ holds }) => !holds);
    expect(lacking.map(({ id }) => id)).toEqual(['fork-bomb', 'memory-bomb', 'file-size']);
    for (const runtime of [undefined, 'runc', '/usr/bin/crun'])
      expect(enginePromises(readFacts(DOCKER, 'docker', undefined), 'docker', runtime)).toEqual(promisesOf());
  });
});
