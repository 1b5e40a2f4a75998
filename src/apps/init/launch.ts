/** How a client starts this program, so that it works without a global install. */
import { realpathSync } from 'node:fs';
import { createLookup } from '../../hosts/process/programs/which.ts';
import { programFile } from '../client/program.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Why it works on this machine only. */
  readonly remark?: string;
}

/** By name where the `pincer` on PATH is this very program, else by the paths of Node and of the built file. */
export function launchOf(
  path: string,
  program: string | undefined = programFile(),
  node: string = process.execPath,
): Launch | undefined {
  if (program === undefined) return undefined;
  const onPath = createLookup({ path, cwd: '/' }).find('pincer');
  if (onPath !== undefined && onPath.real === realpathSync(program)) return { command: 'pincer', args: [] };
  return {
    command: node,
    args: [program],
    remark: 'pincer is not on PATH, so the entry names paths of this machine',
  };
}

/** A command line for a shell. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
