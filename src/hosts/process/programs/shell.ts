/** Chooses the shell that runs a command line, and finds the PATH of the user's login shell. */
import { readFileSync } from 'node:fs';
import { basename, isAbsolute, normalize } from 'node:path';
import type { Binary, Lookup } from '../../../wire/policy.ts';
import { environmentOfLogin } from './login-shell.ts';
import { binaryAt } from './which.ts';

/** Where systems install bash, whose syntax deny rules parse. */
const BASHES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'];

/**
 * The user's shell, else `sh`. Fish has another syntax, so bash or sh replace it where one exists. With deny rules, bash runs
 * every command line: what is an argument in bash can be a command in another shell.
 */
export function chooseShell(shell: string | undefined, lookup: Lookup, hasDenyRules = false): Binary | undefined {
  const own = shell !== undefined && isAbsolute(shell) ? binaryAt(shell) : undefined;
  if (hasDenyRules) return isBash(own) ? own : (BASHES.map(binaryAt).find(isBash) ?? binaryAt('/bin/sh'));
  if (own === undefined) return lookup.find('sh') ?? binaryAt('/bin/sh');
  if (basename(own.path) !== 'fish') return own;
  return lookup.find('bash') ?? lookup.find('sh') ?? own;
}

/** Bash that is called `sh` is in POSIX mode, and does not count. */
export function isBash(shell: Binary | undefined): boolean {
  return shell !== undefined && basename(shell.path) === 'bash' && basename(shell.real) === 'bash';
}

const loginPaths = new Map<string, Promise<string | undefined>>();

export interface LoginUser {
  readonly shell: string | undefined;
  readonly home: string;
  readonly user: string | undefined;
}

/** PATH as the user's login shell sets it, read once; undefined when the system does not list the shell. */
export function loginPath({ shell, home, user }: LoginUser): Promise<string | undefined> {
  if (shell === undefined || !isKnownShell(shell)) return Promise.resolve(undefined);
  const key = `${shell}\0${home}`;
  const known = loginPaths.get(key);
  if (known !== undefined) return known;
  const env = {
    HOME: home,
    SHELL: shell,
    PATH: minimalPath(),
    ...(user === undefined ? {} : { USER: user, LOGNAME: user }),
  };
  const asked = environmentOfLogin(shell, env).then((entries) => {
    const line = entries.findLast((entry) => entry.startsWith('PATH='));
    return line?.slice('PATH='.length) || undefined;
  });
  loginPaths.set(key, asked);
  return asked;
}

/** SHELL in the environment is not trusted: only a shell that the system lists is started. */
function isKnownShell(shell: string): boolean {
  if (!isAbsolute(shell) || normalize(shell) !== shell) return false;
  try {
    return readFileSync('/etc/shells', 'utf8').split('\n').includes(shell);
  } catch {
    return shell === '/bin/sh'; // a system without the list has at least this one
  }
}

/** The PATH that the daemon itself runs with. */
export function minimalPath(platform: NodeJS.Platform = process.platform): string {
  const folders = ['/usr/local/bin', '/usr/bin', '/bin'];
  return (platform === 'darwin' ? ['/opt/homebrew/bin', ...folders] : folders).join(':');
}

/** The folders in this order, each once. Relative ones are left out, because they would search the working folder. */
export function joinPaths(...paths: readonly (string | undefined)[]): string {
  const folders = paths.flatMap((path) => path?.split(':') ?? []).filter((folder) => isAbsolute(folder));
  return [...new Set(folders)].join(':');
}
