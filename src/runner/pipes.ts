/**
 * Pipes for the streams of programs, and between the stages of a pipeline. Node makes only socket pairs: programs cannot open them
 * again by `/dev/stdout`, two streams cannot share one, and a writer without a reader gets ECONNRESET instead of SIGPIPE. So named
 * pipes are made, many at a time, and unlinked when they are opened.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_PIPES } from '../hosts/process/runner-messages.ts';
import { makeFolder } from './folders.ts';
import { endOwn } from './killing.ts';

/** Both ends of a pipe, which the receiver closes. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** The first ones are needed soon; later mkfifo runs rarely, and in advance. */
const AT_FIRST = 8;
const AT_ONCE = 256;
const FEW = 64;
const REFILL_MS = 30;
/** Opened in advance. */
const READY = 2;
const MOST_TRIES = 20;
/** For mkfifo, which takes a few milliseconds unless a command has stopped it. */
const MAKING_MS = 5000;
const PROGRAMS = ['/usr/bin/mkfifo', '/bin/mkfifo'];

export class PipePool {
  readonly #folders: readonly string[];
  /** Every command takes some. */
  readonly #isBusy: boolean;
  #folder: string | undefined;
  readonly #ready: Pipe[] = [];
  #names: string[] = [];
  #made = 0;
  /** How many are requested and not available. */
  #wanted = 0;
  #filling: Promise<void> | undefined;
  #refill: NodeJS.Timeout | undefined;
  #opening: NodeJS.Immediate | undefined;

  /** Makes pipes in the first of these folders that is writable. `for-all`: in advance, because every command needs some. */
  constructor(folders: readonly string[], use: 'for-all' | 'for-pipelines') {
    this.#folders = folders;
    this.#isBusy = use === 'for-all';
  }

  /** Uses the pipes that the gateway made before any command could run; makes some where there are none. */
  begin(): void {
    const folder = join(this.#folders[0] ?? '', FIRST_PIPES);
    if (existsSync(folder)) {
      this.#folder = folder;
      this.#names = readdirSync(folder).map((name) => join(folder, name));
      this.#made = this.#names.length;
    }
    if (this.#names.length === 0) this.#prepare();
  }

  /** Throws the error of the system where there can be none. */
  async take(count: number): Promise<readonly Pipe[]> {
    this.#wanted += count;
    try {
      return await this.#takeSoon(count);
    } finally {
      this.#wanted -= count;
    }
  }

  async #takeSoon(count: number): Promise<readonly Pipe[]> {
    // Other callers take some as well, and a command may remove their names.
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const now = this.takeNow(count);
      if (now !== undefined) return now;
      await this.#fill();
    }
    throw new Error('no pipes left: other calls took them all');
  }

  /** The same, from pipes that exist already. */
  takeNow(count: number): readonly Pipe[] | undefined {
    if (!this.#openUntil(count)) return undefined;
    if (this.#isBusy) {
      // Later: the command starts first, and meanwhile the next pipes are opened.
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
    if (this.#names.length < FEW) void this.#fill().catch(() => {}); // `take` throws it
  }

  /** Whether there are `count` open pipes now. */
  #openUntil(count: number): boolean {
    try {
      while (this.#ready.length < count && this.#names.length > 0) this.#ready.push(openPipe(this.#names.pop() ?? ''));
    } catch {
      this.#names = []; // a command removed them
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
    if (program === undefined) throw new Error('this system has no mkfifo, which pipelines need');
    this.#folder ??= this.#makeFolder();
    const folder = this.#folder;
    const count = Math.max(this.#wanted, this.#isBusy && this.#made > 0 ? AT_ONCE : AT_FIRST);
    const names = Array.from({ length: count }, () => join(folder, `${this.#made++}`));
    await ended(spawn(program, ['-m', '600', ...names], { env: {}, stdio: 'ignore' }));
    this.#names.push(...names);
    if (this.#isBusy) return;
    this.#openUntil(this.#ready.length + count);
    this.#removeFolder(); // so a killed process leaves nothing behind
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

  /** Removes unused pipes, also those that are being made. */
  async close(): Promise<void> {
    clearTimeout(this.#refill);
    clearImmediate(this.#opening);
    await this.#filling?.catch(() => {}); // they are not needed any more
    for (const { read, write } of this.#ready.splice(0)) {
      closeSync(read);
      closeSync(write);
    }
    this.#removeFolder();
  }
}

/** Opening one end blocks until the other one is open. A descriptor for both prevents that. */
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
    if (pid !== undefined) endOwn(pid).catch(() => {}); // it hangs in the kernel
  }, MAKING_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo exited with code ${code}`))));
    });
  } finally {
    clearTimeout(timer);
  }
}
