/**
 * Whether the kernel can execute a file. The C library passes unknown formats to `sh`, which would run a text that was not judged
 * as a script. And in a terminal a failed start looks like a program that exited.
 */
import { accessSync, type BigIntStats, closeSync, constants, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Launch, LaunchStage } from '../../hosts/process/launch.ts';
import { isSame, lookAtProgram } from './identity.ts';

/** How much of a script the kernel reads to find its interpreter. */
const LONGEST_LINE = 256;
/** An interpreter may be a script itself. */
const MOST_INTERPRETERS = 5;
/** Magic numbers of ELF and Mach-O. */
const PROGRAMS = new Set(['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', 'cafebabf']);

/** Why one of the programs cannot be started; undefined when all can. */
export function whyNotRunnable({ stages, cwd }: Launch): string | undefined {
  for (const stage of stages) {
    const why = whyNotStage(stage, cwd);
    if (why !== undefined) return `${stage.file} could not be started: ${why}`;
  }
  return undefined;
}

function whyNotStage(stage: LaunchStage, cwd: string): string | undefined {
  const { file } = stage;
  let seen: ReturnType<typeof lookAtProgram>;
  try {
    seen = lookAtProgram(stage);
    const before = runnable.get(file);
    if (typeof seen === 'string' || (before !== undefined && isSame(before, seen.stat))) return undefined;
    accessSync(file, constants.X_OK);
  } catch {
    return undefined; // missing, not accessible or changed: the start itself fails with a better reason
  }
  const start = startOf(file);
  if (!isProgram(start)) return whyNot(start, cwd, MOST_INTERPRETERS);
  if (runnable.size === MOST_CACHED) runnable.clear();
  runnable.set(file, seen.stat);
  return undefined;
}

/** Cache of programs that need no interpreter. */
const runnable = new Map<string, BigIntStats>();
const MOST_CACHED = 100;

function isProgram(start: Buffer | undefined): boolean {
  return start !== undefined && PROGRAMS.has(start.toString('hex', 0, 4));
}

function whyNot(start: Buffer | undefined, cwd: string, left: number): string | undefined {
  if (start === undefined || isProgram(start)) return undefined; // an unreadable file may be executable
  if (start.toString('latin1', 0, 2) !== '#!')
    return 'it is not a program that this system can run, and has no first line with #! and an interpreter';
  const [, name = ''] = /^#![ \t]*([^ \t\n]*)/u.exec(start.toString('utf8')) ?? [];
  if (name === '' || left === 0) return 'its first line names no interpreter that can run it';
  const interpreter = resolve(cwd, name);
  try {
    accessSync(interpreter, constants.X_OK);
  } catch {
    return `its first line names the interpreter ${name}, which does not exist or is not executable`;
  }
  const why = whyNot(startOf(interpreter), cwd, left - 1);
  return why === undefined ? undefined : `its interpreter ${name} cannot be started: ${why}`;
}

function startOf(file: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK); // do not block on a named pipe without a writer
  } catch {
    return undefined;
  }
  try {
    const buffer = Buffer.alloc(LONGEST_LINE);
    return buffer.subarray(0, readSync(fd, buffer, 0, LONGEST_LINE, 0));
  } catch {
    return undefined; // a folder
  } finally {
    closeSync(fd);
  }
}
