/**
 * Control groups, where this process may create them. A process cannot leave its group, so even one that cleared its environment
 * is found. They are optional.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, succeeds } from './attempt.ts';

const MOUNTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];

/** The folder in which groups can be created: that of this process's own group. Undefined where that is not possible. */
export function findCgroupRoot(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const own = /^0::(.*)$/mu.exec(attempt(() => readFileSync('/proc/self/cgroup', 'utf8')) ?? '')?.[1];
  if (own === undefined) return undefined;
  for (const mount of MOUNTS) {
    const folder = join(mount, own);
    if (attempt(() => readFileSync(join(folder, 'cgroup.procs'), 'latin1')) === undefined) continue;
    const probe = join(folder, `pincer-probe-${process.pid}`);
    if (!succeeds(() => mkdirSync(probe))) continue;
    const able = attempt(() => readdirSync(probe).includes('cgroup.kill')) ?? false;
    removeCgroup(probe);
    if (able) return folder;
  }
  return undefined;
}

/** The pids of a group and of the groups below it. */
export function membersOf(folder: string): number[] {
  const own = attempt(() => readFileSync(join(folder, 'cgroup.procs'), 'latin1')) ?? '';
  const below =
    attempt(() => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) ?? [];
  return [
    ...own.split('\n').filter(Boolean).map(Number),
    ...below.flatMap(({ name }) => membersOf(join(folder, name))),
  ];
}

export function killGroup(folder: string): void {
  attempt(() => writeFileSync(join(folder, 'cgroup.kill'), '1'));
}

/** Removes an empty group. False when a process is still in it. */
export function removeCgroup(folder: string): boolean {
  return succeeds(() => rmdirSync(folder)) || !existsSync(folder);
}

/** Removes empty groups with this prefix, which a killed program left behind. */
export function sweepCgroups(root: string, prefix: string): void {
  for (const name of attempt(() => readdirSync(root)) ?? [])
    if (name.startsWith(prefix)) removeCgroup(join(root, name));
}
