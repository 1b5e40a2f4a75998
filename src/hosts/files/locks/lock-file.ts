/**
 * A lock is a hard link to the ticket of a process, a file that identifies it. `link` is atomic: only one process can
 * create the lock, and it is never seen half-written.
 *
 * The lock of a dead process is removed only by the process that holds the lock `break-<nonce of the dead one>`, and only
 * while the lock still has that nonce. So two processes that find the same dead lock cannot remove it twice and with it
 * a live one; and if the breaker dies, its own lock is broken in the same way.
 */
import { closeSync, fstatSync, linkSync, lstatSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { errnoOf, writeFault } from '../faults.ts';
import { uniqueName, isAlive, type Owner, thisProcess } from './owner.ts';
import { sleep } from './sleep.ts';
import { makeFolder } from '../state-folder.ts';

export interface LockFile {
  /** Whether this call removed the lock of a dead process. */
  readonly broke: boolean;
  release(): void;
}

export interface LockRequest {
  readonly folder: string;
  readonly tickets: string;
  readonly name: string;
  /** What the lock protects, for the message. */
  readonly subject: string;
  readonly wait: LockWait;
}

export interface LockWait {
  /** How long to wait for one holder; starts again when another process gets the lock. */
  readonly holderMs: number;
  /** When to give up in any case, in `Date.now()` time. */
  readonly deadline: number;
}

/** The longest wait in a queue that moves, as a multiple of the wait for one holder. */
const LONGEST_QUEUE = 10;

/** The wait that starts now, for one lock or several. */
export function lockWait(holderMs: number): LockWait {
  return { holderMs, deadline: Date.now() + holderMs * LONGEST_QUEUE };
}

interface Holder extends Owner {
  readonly nonce: string;
  /** ctime of the ticket, which each link and unlink changes: when its process last took or released any lock. */
  readonly changed: bigint;
}

const LONGEST_PAUSE_MS = 16;

/** Takes a lock. Waits for a live holder and breaks the lock of a dead one. */
export function takeLock(request: LockRequest): LockFile {
  const path = join(request.folder, `${request.name}.lock`);
  let broke = false;
  let previous: Holder | undefined;
  let hasMoved = false;
  let deadline = 0;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (linkOnce(request, path)) return { broke, release: () => removeIfThere(path) };
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      if (breakDead(request, path, holder)) broke = true;
      continue;
    }
    if (holder.nonce !== previous?.nonce || holder.changed !== previous.changed) {
      hasMoved = previous !== undefined;
      previous = holder;
      deadline = Math.min(Date.now() + request.wait.holderMs, request.wait.deadline);
    }
    if (Date.now() >= deadline) throw locked(request, holder, hasMoved);
    sleep(pause * (0.5 + Math.random()));
  }
}

function breakDead(request: LockRequest, path: string, dead: Holder): boolean {
  const breakLock = takeLock({ ...request, name: `break-${dead.nonce}` });
  try {
    if (holderOf(path)?.nonce !== dead.nonce) return false;
    unlinkSync(path);
    return true;
  } finally {
    breakLock.release();
  }
}

export function sweepLocks(folder: string, tickets: string, names: readonly string[], wait: LockWait): void {
  for (const name of names) {
    if (name.endsWith('.ticket')) {
      const pid = Number(name.split('.').at(-3));
      if (!isAlive({ pid, start: '' })) removeIfThere(join(tickets, name));
    } else if (name.endsWith('.lock')) {
      const holder = holderOf(join(folder, name));
      if (holder === undefined || isAlive(holder)) continue;
      takeLock({ folder, tickets, name: name.slice(0, -'.lock'.length), subject: name, wait }).release();
    }
  }
}

function linkOnce(request: LockRequest, path: string): boolean {
  const { tickets } = request;
  for (let tries = 0; ; tries++) {
    const ticket = ticketIn(tickets);
    try {
      linkSync(ticket, path);
      return true;
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'EEXIST') return false;
      if ((code === 'ENOENT' || code === 'EMLINK') && tries === 0) {
        forgetTicket(tickets); // the state folder was cleared, or the ticket has the most links that the file system allows
        for (const gone of [request.folder, tickets]) makeFolder(gone);
        continue;
      }
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw writeFault(error, path);
      throw new Fault(
        'FS_STATE_UNUSABLE',
        `locks need hard links, and the file system of ${path} does not support them`,
        {
          hint: 'set PINCER_STATE_DIR to a folder on another file system',
          cause: error,
        },
      );
    }
  }
}

/** The process that holds a lock; it may be dead. Undefined if the lock is free. */
export function lockHolder(folder: string, name: string): Owner | undefined {
  return holderOf(join(folder, `${name}.lock`));
}

function holderOf(path: string): Holder | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { ino, ctimeNs: changed } = fstatSync(fd, { bigint: true });
    const ticket = parseTicket(readFileSync(fd, 'utf8'));
    // Only a crash of the machine leaves an empty lock, and no process survived that.
    return { ...(ticket ?? { pid: 0, start: '', nonce: `damaged-${ino}` }), changed };
  } finally {
    closeSync(fd);
  }
}

function parseTicket(text: string): Omit<Holder, 'changed'> | undefined {
  try {
    const { pid, start, nonce } = JSON.parse(text) as Partial<Holder>;
    if (typeof pid !== 'number' || typeof start !== 'string' || typeof nonce !== 'string') return undefined;
    return /^[\w-]+$/u.test(nonce) ? { pid, start, nonce } : undefined;
  } catch {
    return undefined;
  }
}

/** `queueMoved`: other processes got the lock meanwhile, so that waiting again may help. */
function locked(request: LockRequest, holder: Holder, queueMoved: boolean): Fault {
  return new Fault('FS_LOCKED', `${request.subject} is being written by process ${holder.pid}`, {
    hint: `wait until process ${holder.pid} has ended, or end it, and run the command again`,
    details: { path: request.subject, holderPid: holder.pid, ...(queueMoved ? { queueMoved } : {}) },
  });
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error, path)) throw error;
  }
}

/** Whether nothing has this name; a read-only file system reports EROFS without looking. */
export function isMissing(error: unknown, path: string): boolean {
  const code = errnoOf(error);
  return code === 'ENOENT' || (code === 'EROFS' && lstatSync(path, { throwIfNoEntry: false }) === undefined);
}

// The ticket of this process: a small file that identifies it. Each of its locks is a hard link to that file.

const ownTickets = new Map<string, string>();

/** The path of this process's ticket in a folder; the first call writes it. */
function ticketIn(folder: string): string {
  const known = ownTickets.get(folder);
  if (known !== undefined) return known;
  const nonce = uniqueName();
  const { pid, start } = thisProcess();
  const ticket = join(folder, `${pid}.${nonce}.ticket`);
  try {
    writeFileSync(ticket, JSON.stringify({ pid, start, nonce }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    discard(ticket);
    throw writeFault(error, ticket);
  }
  if (ownTickets.size === 0) process.once('exit', discardAll);
  ownTickets.set(folder, ticket);
  return ticket;
}

function forgetTicket(folder: string): void {
  ownTickets.delete(folder);
}

function discardAll(): void {
  for (const ticket of ownTickets.values()) discard(ticket);
  ownTickets.clear();
}

function discard(ticket: string): void {
  try {
    unlinkSync(ticket);
  } catch {
    // A later sweep removes the ticket after this process has exited.
  }
}
