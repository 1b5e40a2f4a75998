/**
 * Pipes for the streams of programs, and between the stages of a pipeline. Node makes only socket pairs: they cannot be
 * opened again by `/dev/stdout`, two streams cannot share one, and a writer whose reader has left hears of a broken
 * connection instead of SIGPIPE. So pipes are made by name, many at a time, and lose their names when they are opened.
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

export class PipePool {
  readonly #folders: readonly string[];
  /** Whether every command takes some. */
  readonly #isBusy: boolean;
  #folder: string | undefined;
  readonly #ready: Pipe[] = [];
  #names: string[] = [];
  #made = 0;
  /** How many are waited for. */
  #wanted = 0;
  #filling: Promise<void> | undefined;
  #refill: NodeJS.Timeout | undefined;
  #opening: NodeJS.Immediate | undefined;

  /** Pipes are made in the first of these folders that can be written; in advance where all commands need some. */
  constructor(folders: readonly string[], use: 'for-all' | 'for-pipelines') {
    this.#folders = folders;
    this.#isBusy = use === 'for-all';
  }

  /** Takes the pipes that are there before anybody could have put others there; makes some where there are none. */
  begin(): void {
    const folder = join(this.#folders[0] ?? '', FIRST_PIPES);
    if (existsSync(folder)) {
      this.#folder = folder;
      this.#names = readdirSync(folder).map((name) => join(folder, name));
      this.#made = this.#names.length;
    }
    if (this.#names.length === 0) this.#prepare();
  }

  /** So many pipes; throws what the system says where there can be none. */
  async take(count: number): Promise<readonly Pipe[]> {
    this.#wanted += count;
    try {
      return await this.#takeSoon(count);
    } finally {
      this.#wanted -= count;
    }
  }

  async #takeSoon(count: number): Promise<readonly Pipe[]> {
    // Others take some of them as well, and a command may take their names away.
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const now = this.takeNow(count);
      if (now !== undefined) return now;
      await this.#fill();
    }
    throw new Error('others take them as soon as they are made');
  }

  /** The same from what there is already. */
  takeNow(count: number): readonly Pipe[] | undefined {
    if (!this.#openUntil(count)) return undefined;
    if (this.#isBusy) {
      // Not now: the command starts first, and the next pipes are opened while it does.
      this.#opening ??= setImmediate(() => {
        this.#opening = undefined;
        this.#openUntil(READY);
      });
      this.#refill ??= setTimeout(() => {
        this.#refill = undefined;
        this.#prepare();
      }, REFILL_MS).unref();
    }
    return this.#ready.splice(0, count);
  }

  #prepare(): void {
    if (this.#names.length < FEW) void this.#fill().catch(() => {}); // who takes one hears of it
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
    if (program === undefined) throw new Error('there is no mkfifo on this system, which pipelines need');
    this.#folder ??= this.#makeFolder();
    const folder = this.#folder;
    const count = Math.max(this.#wanted, this.#isBusy && this.#made > 0 ? AT_ONCE : AT_FIRST);
    const names = Array.from({ length: count }, () => join(folder, `${this.#made++}`));
    await ended(spawn(program, ['-m', '600', ...names], { env: {}, stdio: 'ignore' }));
    this.#names.push(...names);
    if (this.#isBusy) return;
    this.#openUntil(this.#ready.length + count);
    this.#removeFolder(); // a process that is killed leaves nothing behind
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

  #removeFolder(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
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
    this.#removeFolder();
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
