/** The command with which a client starts this program, also without a global install. */
import { realpathSync } from 'node:fs';
import { createLookup } from '../../hosts/process/programs/which.ts';
import { programFile } from '../client/program.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Why the command works on this machine only. */
  readonly remark?: string;
}

/** By name if `pincer` on PATH is this program, otherwise by the paths of Node and of the built file. */
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
    remark: 'pincer is not on PATH, so the entry contains paths of this machine',
  };
}

/** A command line for a shell. */
export function shellLine(args: readonly string[]): string {
  return args.map((arg) => (/^[\w@%+=:,./-]+$/u.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)).join(' ');
}
