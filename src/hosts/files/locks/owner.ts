import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from '../faults.ts';

/** A process, with what distinguishes it from a later one with the same pid. */
export interface Owner {
  readonly pid: number;
  /** Boot id and start time where the system has them, else empty. */
  readonly start: string;
}

let self: Owner | undefined;

export function thisProcess(): Owner {
  self ??= { pid: process.pid, start: statusOf(process.pid)?.start ?? '' };
  return self;
}

/** Whether the process still runs; true if that is unknown. */
export function isAlive(owner: Owner): boolean {
  if (owner.pid <= 0) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
  }
  const status = statusOf(owner.pid);
  if (status === undefined) return true;
  if (status.ended) return false;
  return owner.start === '' || status.start === owner.start;
}

/** A string that no other call in this or another process returns. */
export function uniqueName(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 12).padEnd(10, '0');
}

let namespace: string | undefined;

/** Identifies the pid namespace: equal for processes whose pids mean the same. */
export function pidNamespace(): string {
  namespace ??= namespaceName();
  return namespace;
}

function namespaceName(): string {
  try {
    const boot = bootId().replaceAll(/[^0-9a-f]/gu, '');
    return `${Number(/\d+/u.exec(readlinkSync('/proc/self/ns/pid'))?.[0]).toString(36)}${boot}`;
  } catch {
    return '0'; // not Linux: there are no pid namespaces
  }
}

interface Status {
  readonly start: string;
  /** A zombie is listed until its parent has waited for it; it holds no lock any more. */
  readonly ended: boolean;
}

function statusOf(pid: number): Status | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, which may itself have blanks and parentheses.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    return { start: `${bootId()}-${fields[19] ?? ''}`, ended: state === 'Z' || state === 'X' };
  } catch {
    return undefined; // not Linux, or it has just exited: the caller has already sent signal 0
  }
}

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
let boot: string | undefined;

function bootId(): string {
  boot ??= existsSync(BOOT_ID_FILE) ? readFileSync(BOOT_ID_FILE, 'latin1').slice(0, 8) : 'boot';
  return boot;
}
