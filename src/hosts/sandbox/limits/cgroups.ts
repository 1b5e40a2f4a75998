/** Cgroups for limits: version 2 below a delegated cgroup, version 1 below the gateway's own cgroup of each controller. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../process/is-alive.ts';
import { isInside } from '../../../base/inside.ts';
import { relativeInside } from '../../relative-inside.ts';
import { attempt, succeeds } from '../../process/attempt.ts';

export interface CgroupLimits {
  readonly memoryBytes?: number;
  readonly pids?: number;
  readonly cpus?: number;
}

export interface Cgroup {
  readonly folder: string;
  /** Removes it as soon as the kernel reports it empty. */
  remove(): Promise<void>;
}

/** Creates the cgroups for these limits; undefined where that is not possible. */
export type CgroupMaker = (id: string, asked: CgroupLimits) => readonly Cgroup[] | undefined;

const PREFIX = 'pincer-sandbox-';
const PERIOD_US = 100_000;
/** How long the kernel may take to report an empty cgroup. */
const REMOVE_MS = 5000;

/** In order of preference. */
export function cgroupMakers(): readonly CgroupMaker[] {
  const mounts = readMounts();
  return [(id, asked) => makeV2(mounts, id, asked), (id, asked) => makeV1(mounts, id, asked)];
}

interface CgroupMount {
  readonly folder: string;
  /** The cgroup at the root of the mount. */
  readonly top: string;
  readonly version: 1 | 2;
  readonly options: readonly string[];
}

const CONTROLLERS = { memoryBytes: 'memory', pids: 'pids', cpus: 'cpu' } as const;

function controllersOf(asked: CgroupLimits): readonly ('memory' | 'pids' | 'cpu')[] {
  return (Object.keys(asked) as (keyof CgroupLimits)[]).map((name) => CONTROLLERS[name]);
}

function readMounts(): CgroupMount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type, , options = ''] = after.split(' ');
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    const [, , , top = '', folder = ''] = before.split(' ');
    return [{ folder, top, version: type === 'cgroup2' ? 2 : 1, options: options.split(',') }] as CgroupMount[];
  });
}

/** The cgroup of a process (default: this one): `0::/path` for version 2, `4:memory:/path` for a controller of version 1. */
function groupOf(controller: string, pid: number | 'self' = 'self'): string | undefined {
  for (const line of readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n')) {
    const [, names = '', ...path] = line.split(':');
    if (names.split(',').includes(controller)) return path.join(':');
  }
  return undefined;
}

/** The folder of a cgroup; undefined when it is not below the mount. */
function folderOf({ folder, top }: CgroupMount, group: string): string | undefined {
  const path = relativeInside(top, group);
  return path === undefined ? undefined : join(folder, path);
}

/** The number of OOM kills in the cgroup of a process; undefined where the kernel does not report it. */
export function oomKillCount(pid: number): number | undefined {
  for (const mount of readMounts()) {
    const isOld = mount.version === 1;
    if (isOld && !mount.options.includes('memory')) continue;
    const count = attempt(() => {
      const folder = folderOf(mount, groupOf(isOld ? 'memory' : '', pid) ?? '/');
      const events = readFileSync(join(folder ?? '', isOld ? 'memory.oom_control' : 'memory.events'), 'utf8');
      return /^oom_kill (\d+)$/mu.exec(events)?.[1];
    });
    if (count !== undefined) return Number(count);
  }
  return undefined;
}

/** In version 2, a cgroup with processes cannot have children with limits, so the new one is a sibling of the gateway's or further up. */
function makeV2(mounts: readonly CgroupMount[], id: string, asked: CgroupLimits): readonly Cgroup[] | undefined {
  const wanted = controllersOf(asked);
  for (const mount of mounts.filter(({ version }) => version === 2)) {
    const own = folderOf(mount, groupOf('') ?? '/');
    for (let parent = own; parent !== undefined && isInside(parent, mount.folder); parent = dirname(parent)) {
      const available =
        attempt(() =>
          readFileSync(join(parent ?? '', 'cgroup.subtree_control'), 'utf8')
            .trim()
            .split(' '),
        ) ?? [];
      if (!wanted.every((controller) => available.includes(controller))) continue;
      const group = makeGroup(parent, id, [
        ...(asked.memoryBytes === undefined ? [] : [['memory.max', `${asked.memoryBytes}`] as const]),
        ...(asked.pids === undefined ? [] : [['pids.max', `${asked.pids}`] as const]),
        ...(asked.cpus === undefined ? [] : [['cpu.max', `${quota(asked.cpus)} ${PERIOD_US}`] as const]),
      ]);
      if (group === undefined) continue;
      attempt(() => writeFileSync(join(group.folder, 'memory.swap.max'), '0')); // absent without swap
      return [group];
    }
  }
  return undefined;
}

function makeV1(mounts: readonly CgroupMount[], id: string, asked: CgroupLimits): readonly Cgroup[] | undefined {
  const groups: Cgroup[] = [];
  const settings = {
    memory: [['memory.limit_in_bytes', `${asked.memoryBytes}`]],
    pids: [['pids.max', `${asked.pids}`]],
    cpu: [
      ['cpu.cfs_period_us', `${PERIOD_US}`],
      ['cpu.cfs_quota_us', `${quota(asked.cpus ?? 1)}`],
    ],
  } as const;
  for (const controller of controllersOf(asked)) {
    const mount = mounts.find(({ version, options }) => version === 1 && options.includes(controller));
    const own = mount === undefined ? undefined : folderOf(mount, groupOf(controller) ?? '/');
    const group = own === undefined ? undefined : makeGroup(own, id, settings[controller]);
    if (group === undefined) {
      for (const made of groups) attempt(() => rmdirSync(made.folder));
      return undefined;
    }
    if (controller === 'memory')
      attempt(() => writeFileSync(join(group.folder, 'memory.memsw.limit_in_bytes'), `${asked.memoryBytes}`)); // absent without swap
    groups.push(group);
  }
  return groups;
}

function quota(cpus: number): number {
  return Math.max(1000, Math.round(cpus * PERIOD_US));
}

function makeGroup(parent: string, id: string, settings: readonly (readonly [string, string])[]): Cgroup | undefined {
  sweep(parent);
  const folder = join(parent, `${PREFIX}${process.pid}-${id}`);
  if (!succeeds(() => mkdirSync(folder))) return undefined;
  for (const [file, value] of settings) {
    if (succeeds(() => writeFileSync(join(folder, file), value))) continue;
    attempt(() => rmdirSync(folder));
    return undefined;
  }
  return { folder, remove: () => removeGroup(folder) };
}

async function removeGroup(folder: string): Promise<void> {
  const end = performance.now() + REMOVE_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, 100)) {
    try {
      return rmdirSync(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || performance.now() > end) throw error;
    }
    await sleep(wait);
  }
}

/** Removes the empty cgroups of gateways that have ended. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^pincer-sandbox-(\d+)-/u.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) attempt(() => rmdirSync(join(parent, name)));
  }
}
