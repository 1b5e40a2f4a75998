/** What no system starts, said before anything is tried. */
import type { Launch } from '../../hosts/process/launch.ts';

/** Why nothing was started. `changed`: a program or the folder is not the one that was judged. */
export interface StartFailure {
  readonly reason: 'spawn-failed' | 'changed';
  readonly message: string;
}

/** Why a launch cannot be started as it is written; undefined when it can be tried. */
export function refusalOf({ stages, env, cwd, pty }: Launch): string | undefined {
  if (cwd.includes('\0')) return 'the working folder has a NUL character in its name';
  for (const { file, argv } of stages) {
    if (!file.startsWith('/')) return `the program ${file} is not an absolute path`;
    if (file.includes('\0')) return 'the path of the program has a NUL character in it';
    const at = argv.findIndex((argument) => argument.includes('\0'));
    if (at >= 0) return `argument ${at} of ${file} has a NUL character in it`;
  }
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || name.includes('\0'))
      return 'the environment has a name that no system takes';
    if (value.includes('\0')) return `the variable ${name} has a NUL character in it`;
  }
  if (pty !== undefined && stages.length > 1) return 'a pipeline cannot run in one terminal';
  return undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program or folder, or the program names an interpreter that is not there',
  EACCES: 'it may not be executed',
  EPERM: 'it may not be executed',
  ENOEXEC: 'it is no program that this system can run',
  ENOTDIR: 'a part of the path is not a folder',
  E2BIG: 'its arguments and environment are too long',
  EAGAIN: 'there is no room for another process, here or within the limit of processes',
  ENOMEM: 'the system has no memory for another process',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this system',
  ETXTBSY: 'the program is being written',
};

/** What a refusal of the system means. */
export function spawnFailure(file: string, error: NodeJS.ErrnoException): string {
  const code = error.code ?? 'UNKNOWN';
  return `${file} could not be started: ${REASONS[code] ?? error.message} (${code})`;
}
