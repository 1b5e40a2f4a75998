/**
 * One lock: a name for the process's ticket, a file that says who it is. Linking is one step, so that a lock is never
 * seen half-written and only one process can make it.
 *
 * A lock whose holder is dead is removed only by the process that holds the lock `break-<nonce of the dead one>`,
 * and only when the lock still carries that nonce. So two processes that find the same dead lock cannot remove
 * it twice and take a living one with it; and when the breaker dies too, its own lock is broken in the same way.
 */
import { closeSync, fstatSync, linkSync, lstatSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { errnoOf, writeFault } from '../faults.ts';
import { freshName, isAlive, type Owner, thisProcess } from './owner.ts';
import { sleep } from './sleep.ts';
import { makeFolder } from '../state-folder.ts';

export interface LockFile {
  /** Whether a dead holder's lock was removed by this very call. */
  readonly broke: boolean;
  release(): void;
}

export interface LockRequest {
  readonly folder: string;
  /** Where the tickets are. */
  readonly tickets: string;
  readonly name: string;
  /** What is being protected, for the message. */
  readonly subject: string;
  readonly wait: LockWait;
}

export interface LockWait {
  /** How long to wait for one holder. A lock that changes hands starts this time anew. */
  readonly holderMs: number;
  /** When to give up however often the lock changes hands, in `Date.now()` time. */
  readonly deadline: number;
}

/** In a queue that moves, this many times the wait for one holder. */
const LONGEST_QUEUE = 10;

/** How long to wait from now on, for one lock or for several. */
export function lockWait(holderMs: number): LockWait {
  return { holderMs, deadline: Date.now() + holderMs * LONGEST_QUEUE };
}

interface Holder extends Owner {
  readonly nonce: string;
  /** When the holder's process last took or released any lock: each link changes the inode of its ticket. */
  readonly changed: bigint;
}

const LONGEST_PAUSE_MS = 16;

/** Takes a lock. Waits for living holders and breaks the lock of a dead one. */
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
  const right = takeLock({ ...request, name: `break-${dead.nonce}` });
  try {
    if (holderOf(path)?.nonce !== dead.nonce) return false;
    unlinkSync(path);
    return true;
  } finally {
    right.release();
  }
}

/** Removes tickets and locks that dead processes left. */
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
        forgetTicket(tickets); // somebody cleared the state folder, or so many locks were left that the file is full
        for (const gone of [request.folder, tickets]) makeFolder(gone);
        continue;
      }
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw writeFault(error, path);
      throw new Fault('FS_STATE_UNUSABLE', `the file system of ${path} has no hard links, which locks need`, {
        hint: 'name a folder on another file system in PINCER_STATE_DIR',
        cause: error,
      });
    }
  }
}

/** The process that a lock names; it may be dead. Undefined when nobody has the lock. */
export function lockHolder(folder: string, name: string): Owner | undefined {
  return holderOf(join(folder, `${name}.lock`));
}

/** Who holds the lock now; undefined when nobody does. */
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
    // Only a crash of the whole machine leaves a lock without its content; nobody of that time lives any more.
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

/** `queueMoved` says that others got the lock meanwhile, so that waiting again may help. */
function locked(request: LockRequest, holder: Holder, queueMoved: boolean): Fault {
  return new Fault('FS_LOCKED', `${request.subject} is being written by process ${holder.pid}`, {
    hint: `wait until process ${holder.pid} has ended, or end it, and run the command again`,
    details: { path: request.subject, holderPid: holder.pid, ...(queueMoved ? { queueMoved } : {}) },
  });
}

/** Removes a file of ours; that it is gone already is as good. */
export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error, path)) throw error;
  }
}

/** Whether removing failed because nothing has this name; a read-only file system does not look that far by itself. */
export function isMissing(error: unknown, path: string): boolean {
  const code = errnoOf(error);
  return code === 'ENOENT' || (code === 'EROFS' && lstatSync(path, { throwIfNoEntry: false }) === undefined);
}

// The ticket of this process: a small file that says who it is. Each of its locks is another name of that file.

const ownTickets = new Map<string, string>();

/** The path of this process's ticket in a folder, written when it is needed for the first time. */
function ticketIn(folder: string): string {
  const known = ownTickets.get(folder);
  if (known !== undefined) return known;
  const nonce = freshName();
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

/** Has the next one write a ticket anew. */
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
    // A ticket that stays is harmless: it is swept when its process is gone.
  }
}
