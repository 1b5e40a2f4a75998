/**
 * Pipes between the stages of a pipeline. Node makes only socket pairs, on which a writer whose reader has left hears of
 * a broken connection instead of SIGPIPE; so pipes are made by name, several at a time, opened, and their names removed.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Both ends of a pipe; whoever takes it closes both. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export interface Pipes {
  /** So many pipes; throws what the system says when they cannot be had. */
  take(count: number): Promise<Pipe[]>;
}

const AT_ONCE = 8;
const PROGRAMS = ['/usr/bin/mkfifo', '/bin/mkfifo'];

/** Pipes made in this folder, which has to be closed to others. */
export function createPipes(folder: string): Pipes {
  const ready: Pipe[] = [];
  let filling: Promise<void> | undefined;
  let made = 0;

  const fill = async (count: number) => {
    const program = PROGRAMS.find((path) => existsSync(path));
    if (program === undefined) throw new Error('there is no mkfifo on this system, which pipelines need');
    const names = Array.from({ length: count }, () => join(folder, `${process.pid}-${made++}.p`));
    try {
      await promisify(execFile)(program, ['-m', '600', ...names], { env: {} });
      for (const name of names) ready.push(openBoth(name));
    } finally {
      for (const name of names) rmSync(name, { force: true });
    }
  };

  return {
    async take(count) {
      while (ready.length < count) {
        filling ??= fill(Math.max(AT_ONCE, count)).finally(() => {
          filling = undefined;
        });
        await filling;
      }
      return ready.splice(0, count);
    },
  };
}

/** An end can only be opened at once while the other one is; one that is both makes the start. */
function openBoth(name: string): Pipe {
  const both = openSync(name, constants.O_RDWR);
  try {
    return { read: openSync(name, constants.O_RDONLY), write: openSync(name, constants.O_WRONLY) };
  } finally {
    closeSync(both);
  }
}
