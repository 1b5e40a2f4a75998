import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from '../faults.ts';

/** A process that cannot be mistaken for a later one with the same number. */
export interface Owner {
  readonly pid: number;
  /** Boot and start time where the system tells them, else empty. */
  readonly start: string;
}

let self: Owner | undefined;

export function thisProcess(): Owner {
  self ??= { pid: process.pid, start: statusOf(process.pid)?.start ?? '' };
  return self;
}

/** Whether the process still runs; when that cannot be known, it does. */
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

/** A word that no other call gives, in this process or another. */
export function freshName(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 12).padEnd(10, '0');
}

let space: string | undefined;

/** What the numbers of processes are counted in: the same word for processes that know each other's numbers. */
export function processSpace(): string {
  space ??= spaceName();
  return space;
}

function spaceName(): string {
  try {
    const boot = bootName().replaceAll(/[^0-9a-f]/gu, '');
    return `${Number(/\d+/u.exec(readlinkSync('/proc/self/ns/pid'))?.[0]).toString(36)}${boot}`;
  } catch {
    return '0'; // not Linux: there is one space
  }
}

interface Status {
  readonly start: string;
  /** A killed process stays listed until its parent has looked; it holds nothing any more. */
  readonly ended: boolean;
}

function statusOf(pid: number): Status | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    return { start: `${bootName()}-${fields[19] ?? ''}`, ended: state === 'Z' || state === 'X' };
  } catch {
    return undefined; // not Linux, or gone in this moment: the caller has asked the kernel by signal already
  }
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
let boot: string | undefined;

function bootName(): string {
  boot ??= existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'latin1').slice(0, 8) : 'boot';
  return boot;
}
