/**
 * Pipes for the streams of programs. Node makes only socket pairs, which cannot be opened again by `/dev/stdout`, and of
 * which two streams cannot share one; so pipes are made by name, many at a time, and lose their names when they are used.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_PIPES } from '../hosts/sandbox/link/messages.ts';
import { makeFolder } from './folders.ts';
import { endOwn } from './killing.ts';

/** Both ends of a pipe; whoever takes it closes both. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** The first ones are wanted soon; later the program that makes them is started rarely, and in time. */
const AT_FIRST = 8;
const AT_ONCE = 256;
const FEW = 64;
const REFILL_MS = 30;
/** Opened in advance. */
const READY = 2;
const MOST_TRIES = 20;
/** For a program that takes a few milliseconds, unless a command has stopped it. */
const MAKING_MS = 5000;
const PROGRAMS = ['/usr/bin/mkfifo', '/bin/mkfifo'];

export class PipeShelf {
  readonly #folders: readonly string[];
  #folder: string | undefined;
  readonly #ready: Pipe[] = [];
  #names: string[] = [];
  #made = 0;
  #filling: Promise<void> | undefined;
  #refill: NodeJS.Timeout | undefined;
  #opening: NodeJS.Immediate | undefined;

  /** Pipes stand in the first of these folders that can be written. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Takes the pipes that stand there before anybody could have put others there; makes some where there are none. */
  begin(): void {
    const folder = join(this.#folders[0] ?? '', FIRST_PIPES);
    if (existsSync(folder)) {
      this.#folder = folder;
      this.#names = readdirSync(folder).map((name) => join(folder, name));
      this.#made = this.#names.length;
    }
    if (this.#names.length === 0) this.prepare();
  }

  /** Makes pipes in advance. */
  prepare(): void {
    if (this.#names.length < FEW) void this.#fill().catch(() => {}); // whoever takes one hears of it
  }

  /** So many pipes; undefined where there can be none. */
  async take(count: number): Promise<readonly Pipe[] | undefined> {
    // Others take some of them as well, and a command may take their names away.
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const now = this.takeNow(count);
      if (now !== undefined) return now;
      try {
        await this.#fill();
      } catch {
        return undefined; // no program that makes them, or no folder for them
      }
    }
    return undefined;
  }

  /** The same from what there is already. */
  takeNow(count: number): readonly Pipe[] | undefined {
    if (!this.#openUntil(count)) return undefined;
    // Not now: the command starts first, and the next pipes are opened while it does.
    this.#opening ??= setImmediate(() => {
      this.#opening = undefined;
      this.#openUntil(READY);
    });
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined;
      this.prepare();
    }, REFILL_MS).unref();
    return this.#ready.splice(0, count);
  }

  /** Whether so many are open now. */
  #openUntil(count: number): boolean {
    try {
      while (this.#ready.length < count && this.#names.length > 0) this.#ready.push(openPipe(this.#names.pop() ?? ''));
    } catch {
      this.#names = []; // somebody took them away
    }
    return this.#ready.length >= count;
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#make().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #make(): Promise<void> {
    const program = PROGRAMS.find((path) => existsSync(path));
    if (program === undefined) throw new Error('there is no mkfifo here');
    this.#folder ??= this.#makeFolder();
    const folder = this.#folder;
    const count = this.#made === 0 ? AT_FIRST : AT_ONCE;
    const names = Array.from({ length: count }, () => join(folder, `${this.#made++}`));
    await ended(spawn(program, ['-m', '600', ...names], { env: {}, stdio: 'ignore' }));
    this.#names.push(...names);
  }

  #makeFolder(): string {
    let problem: unknown;
    for (const parent of this.#folders) {
      try {
        makeFolder(parent);
        return mkdtempSync(join(parent, '.pipes-'));
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  /** Takes the names away that were not used, also those that are being made. */
  async close(): Promise<void> {
    clearTimeout(this.#refill);
    clearImmediate(this.#opening);
    await this.#filling?.catch(() => {}); // nobody needs them any more
    for (const { read, write } of this.#ready.splice(0)) {
      closeSync(read);
      closeSync(write);
    }
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** An end can only be opened at once while the other one is; one that is both makes the start. */
function openPipe(name: string): Pipe {
  const both = openSync(name, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return { read: openSync(name, constants.O_RDONLY), write: openSync(name, constants.O_WRONLY) };
  } finally {
    closeSync(both);
    unlinkSync(name);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const { pid } = child;
  const timer = setTimeout(() => {
    if (pid !== undefined) endOwn(pid).catch(() => {}); // then it hangs in the kernel, and nobody can end it
  }, MAKING_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
    });
  } finally {
    clearTimeout(timer);
  }
}
