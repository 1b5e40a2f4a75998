/** How this very program was started, so that it can start itself again: with a loader in front, where there is one. */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** The words in front of this program's own arguments: what runs Node, its options, and the script. */
export function ownCommand(): readonly [string, ...string[]] {
  if (process.platform !== 'linux') return [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
  const words = readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(0, -1);
  const [program = '', ...rest] = words.slice(0, words.length - process.argv.slice(2).length);
  return [isAbsolute(program) ? program : process.execPath, ...rest];
}
