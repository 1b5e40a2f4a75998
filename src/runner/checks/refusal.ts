/** Refuses launches that no system can start, before anything is tried. */
import type { Launch } from '../../hosts/process/launch.ts';

/** Why nothing was started. `changed`: a program or the folder is not the one that was judged. */
export interface StartFailure {
  readonly reason: 'spawn-failed' | 'changed';
  readonly message: string;
}

/** Why a launch is invalid; undefined when it is valid. */
export function refusalOf({ stages, env, cwd, pty }: Launch): string | undefined {
  if (cwd.includes('\0')) return 'the path of the working directory contains a NUL character';
  for (const { file, argv } of stages) {
    if (!file.startsWith('/')) return `the program ${file} is not an absolute path`;
    if (file.includes('\0')) return 'the path of the program contains a NUL character';
    const at = argv.findIndex((argument) => argument.includes('\0'));
    if (at >= 0) return `argument ${at} of ${file} contains a NUL character`;
  }
  const variables = [env, ...stages.map((stage) => stage.env ?? {})].flatMap((each) => Object.entries(each));
  for (const [name, value] of variables) {
    if (name === '' || name.includes('=') || name.includes('\0'))
      return 'the environment has a variable with an invalid name';
    if (value.includes('\0')) return `the variable ${name} contains a NUL character`;
  }
  if (pty !== undefined && (stages.length > 1 || stages[0].streams !== undefined))
    return 'a pipeline cannot run in one terminal';
  return undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the program, the folder or its interpreter does not exist',
  EACCES: 'it may not be executed',
  EPERM: 'it may not be executed',
  ENOEXEC: 'it is not a program that this system can run',
  ENOTDIR: 'a part of the path is not a folder',
  E2BIG: 'its arguments and environment are too long',
  EAGAIN: 'the limit of processes is reached',
  ENOMEM: 'the system has no memory for another process',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this system',
  ETXTBSY: 'another process is writing the program',
};

export function spawnFailure(file: string, error: NodeJS.ErrnoException): string {
  const code = error.code ?? 'UNKNOWN';
  return `${file} could not be started: ${REASONS[code] ?? error.message} (${code})`;
}
