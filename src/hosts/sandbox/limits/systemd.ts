/** Limits by systemd: a scope of its own for each sandbox. */
import { existsSync } from 'node:fs';
import type { Limited } from './groups.ts';

/** Whether systemd runs this machine. */
export function isSystemdBooted(): boolean {
  return existsSync('/run/systemd/system');
}

/** Whether the manager that would make a scope for this user has its socket. */
export function isSystemdAnswering(uid = process.geteuid?.() ?? 0): boolean {
  return existsSync(uid === 0 ? '/run/systemd/private' : `/run/user/${uid}/systemd/private`);
}

/** The command that goes on in a scope with these limits; the user's own manager unless the gateway is root. */
export function scopeCommand(
  systemdRun: string,
  { memoryBytes, pids, cpus }: Limited,
  isUser = process.geteuid?.() !== 0,
) {
  const properties = [
    ...(memoryBytes === undefined ? [] : [`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0']),
    ...(pids === undefined ? [] : [`TasksMax=${pids}`]),
    ...(cpus === undefined ? [] : [`CPUQuota=${Math.max(1, Math.round(cpus * 100))}%`]),
  ];
  return [
    systemdRun,
    ...(isUser ? ['--user'] : []),
    '--scope',
    '--quiet',
    '--collect',
    '--slice=pincer-sandbox.slice',
    ...properties.flatMap((property) => ['--property', property]),
    '--',
  ];
}
