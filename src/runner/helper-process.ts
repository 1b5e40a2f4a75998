/**
 * Another process of this program that does one thing for this one: a terminal, or the file tools, which are synchronous and
 * would keep all commands waiting.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunnerProcess, startRunner } from '../hosts/process/runner-process.ts';
import type { Welcome } from '../hosts/process/runner-messages.ts';
import { endOwn } from './killing.ts';

export type HelperProcess = RunnerProcess;

export function startHelper(role: '--terminal' | '--tools', welcome: Welcome): HelperProcess {
  return startRunner(ownCommand(), role, welcome);
}

/** Resolves when a process is gone. Kills it when it does not exit in time. */
export async function awaitExit({ pid, gone }: HelperProcess, patienceMs: number): Promise<void> {
  let isGone = false;
  void gone.then(() => (isGone = true));
  await Promise.race([gone, sleep(patienceMs)]);
  if (!isGone && pid !== undefined) await endOwn(pid).catch(() => {}); // then it hangs in the kernel
}

/** The command line of this process without its arguments: the loader where there is one, Node, its options, and the script. */
function ownCommand(): readonly [string, ...string[]] {
  if (process.platform !== 'linux') return [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
  const parts = readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(0, -1);
  const [program = '', ...rest] = parts.slice(0, parts.length - process.argv.slice(2).length);
  return [isAbsolute(program) ? program : process.execPath, ...rest];
}
