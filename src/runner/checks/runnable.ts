/**
 * Whether the kernel would start a file as it is. What it does not know, the C library hands to `sh`, so that a text which
 * nobody judged as a script would run as one; and in a terminal a start that fails looks like a program that ended.
 */
import { accessSync, type BigIntStats, closeSync, constants, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Launch, LaunchStage } from '../../hosts/process/launch.ts';
import { isSame, lookAtProgram } from './identity.ts';

/** What the kernel reads of a script to find its interpreter. */
const LONGEST_LINE = 256;
/** An interpreter may be a script itself, so often at most. */
const MOST_INTERPRETERS = 5;
/** ELF, and the forms of Mach-O. */
const PROGRAMS = new Set(['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', 'cafebabf']);

/** Why one of the programs cannot be started, in words; undefined when nothing speaks against it. */
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
    return undefined; // what is missing, closed to us or changed is refused by the start itself, which tells more
  }
  const start = startOf(file);
  if (!isProgram(start)) return whyNot(start, cwd, MOST_INTERPRETERS);
  if (runnable.size === MOST_REMEMBERED) runnable.clear();
  runnable.set(file, seen.stat);
  return undefined;
}

/** Programs that need no interpreter, as they were when that was seen. */
const runnable = new Map<string, BigIntStats>();
const MOST_REMEMBERED = 100;

function isProgram(start: Buffer | undefined): boolean {
  return start !== undefined && PROGRAMS.has(start.toString('hex', 0, 4));
}

function whyNot(start: Buffer | undefined, cwd: string, left: number): string | undefined {
  if (start === undefined || isProgram(start)) return undefined; // it may be run without being read
  if (start.toString('latin1', 0, 2) !== '#!')
    return 'it is no program that this system can run, and names no interpreter in a first line that begins with #!';
  const [, name = ''] = /^#![ \t]*([^ \t\n]*)/u.exec(start.toString('utf8')) ?? [];
  if (name === '' || left === 0) return 'its first line names no interpreter that could run it';
  const interpreter = resolve(cwd, name);
  try {
    accessSync(interpreter, constants.X_OK);
  } catch {
    return `its first line names the interpreter ${name}, which is not there or may not be executed`;
  }
  const why = whyNot(startOf(interpreter), cwd, left - 1);
  return why === undefined ? undefined : `its interpreter ${name} cannot be started: ${why}`;
}

function startOf(file: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe that nobody writes to must not hold us up
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
