/**
 * Another process of this program that does one thing for this one: a terminal, or the file tools, which are synchronous and
 * would keep all commands waiting.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { FrameTaker } from '../hosts/channel/frames.ts';
import { type RunnerProcess, startRunner } from '../hosts/process/runner-process.ts';
import type { Welcome } from '../hosts/sandbox/link/messages.ts';

export type HelperProcess = RunnerProcess;

export function startHelper(role: '--terminal' | '--tools', welcome: Welcome, take: FrameTaker): HelperProcess {
  return startRunner(ownCommand(), role, welcome, take);
}

/** How this very program was started: what runs Node, with a loader in front where there is one, its options, and the script. */
function ownCommand(): readonly [string, ...string[]] {
  if (process.platform !== 'linux') return [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
  const words = readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(0, -1);
  const [program = '', ...rest] = words.slice(0, words.length - process.argv.slice(2).length);
  return [isAbsolute(program) ? program : process.execPath, ...rest];
}
