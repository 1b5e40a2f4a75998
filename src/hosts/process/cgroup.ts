/**
 * Control groups, where this system lets us make them: nothing that a process does takes it out of its group, so even
 * one that wiped its environment is found. They are never needed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, succeeds } from './attempt.ts';

const MOUNTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];

/** Where groups can be made: below the group that this process is in. Undefined where there is no such place. */
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

/** The processes of a group and of the groups below it. */
export function membersOf(folder: string): number[] {
  const own = attempt(() => readFileSync(join(folder, 'cgroup.procs'), 'latin1')) ?? '';
  const below =
    attempt(() => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) ?? [];
  return [
    ...own.split('\n').filter(Boolean).map(Number),
    ...below.flatMap(({ name }) => membersOf(join(folder, name))),
  ];
}

/** KILL to all in a group at once. */
export function killGroup(folder: string): void {
  attempt(() => writeFileSync(join(folder, 'cgroup.kill'), '1'));
}

/** Removes an empty group, also one that is gone already. False when something still runs in it. */
export function removeCgroup(folder: string): boolean {
  return succeeds(() => rmdirSync(folder)) || !existsSync(folder);
}

/** Removes the empty groups whose names begin like this, which a program that was killed left behind. */
export function sweepCgroups(root: string, prefix: string): void {
  for (const name of attempt(() => readdirSync(root)) ?? [])
    if (name.startsWith(prefix)) removeCgroup(join(root, name));
}
