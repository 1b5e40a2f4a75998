/** Checks the operator's binds by their real paths: a path that must never be visible in a sandbox is refused with the reason. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { Fault } from '../../../base/fault.ts';
import type { SandboxBind } from '../../../wire/sandbox.ts';

export interface BindContext {
  /** The home folder of this user. */
  readonly home: string;
  /** Folders of pincer that no sandbox may see. */
  readonly hidden: readonly string[];
  /** The sockets of container engines: access to one of them is equivalent to root. */
  readonly sockets: readonly string[];
}

/** An allowed bind, with its real source. */
export interface CheckedBind {
  readonly source: string;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

/** These paths, the paths below them, and the folders that contain them are refused. */
const SYSTEM: readonly (readonly [path: string, why: string])[] = [
  ['/etc', 'contains the accounts and keys of this machine'],
  ['/proc', 'exposes the processes of this machine'],
  ['/sys', 'controls the kernel of this machine'],
  ['/dev', 'contains the devices of this machine'],
  ['/boot', 'contains the boot files of this machine'],
  ['/run', 'contains the sockets of this machine'],
  ['/var/run', 'contains the sockets of this machine'],
  ['/var/lib/docker', 'contains the data of all containers'],
  ['/var/lib/containers', 'contains the data of all containers'],
  ['/var/lib/containerd', 'contains the data of all containers'],
];

/** Below a home folder. */
const SECRET: readonly (readonly [name: string, why: string])[] = [
  ['.ssh', 'contains keys'],
  ['.gnupg', 'contains keys'],
  ['.aws', 'contains credentials'],
  ['.azure', 'contains credentials'],
  ['.kube', 'contains credentials'],
  ['.docker', 'contains credentials'],
  ['.config/gcloud', 'contains credentials'],
  ['.config/gh', 'contains credentials'],
  ['.config/containers', 'contains credentials'],
  ['.local/share/containers', 'contains the data of all containers'],
  ['.local/share/keyrings', 'contains passwords'],
  ['.password-store', 'contains passwords'],
  ['.mozilla', 'contains passwords'],
  ['.config/google-chrome', 'contains passwords'],
  ['.netrc', 'contains passwords'],
  ['.npmrc', 'contains credentials'],
  ['.pypirc', 'contains credentials'],
  ['.git-credentials', 'contains passwords'],
];

/** Targets that the sandbox itself uses. */
const TAKEN = ['/dev', '/etc', '/opt/pincer', '/proc', '/run', '/sys', '/tmp'];

/** Throws SANDBOX_BIND_REFUSED for the first bind that is not allowed. */
export function checkBinds(binds: readonly SandboxBind[], context: BindContext): CheckedBind[] {
  return binds.map(({ source, target, access }) => {
    const real = realOf(source);
    if (real === undefined)
      throw refused(source, 'does not exist, or this user may not see it', 'correct sandbox.binds');
    // The configured path is checked too: it may be a symlink that is redirected before the mount.
    const why = reasonAgainst(normalize(source), context) ?? reasonAgainst(real, context);
    if (why !== undefined)
      throw refused(
        source,
        why,
        'bind a folder that contains only what the sandbox needs',
        real === source ? {} : { real },
      );
    const stats = statSync(real);
    if (!stats.isDirectory() && !stats.isFile())
      throw refused(
        source,
        'is neither a folder nor a file',
        'bind a folder or a file; sockets and devices would be a way out of the sandbox',
      );
    const at = normalize(target).replace(/(?<=.)\/$/u, '');
    if (!at.startsWith('/') || at === '/' || at === '/workspace' || TAKEN.some((taken) => isInside(at, taken)))
      throw refused(source, `cannot be bound at ${target}`, 'choose another target, such as /data');
    return { source: real, target: at, access };
  });
}

/** Why a path must not be visible inside; undefined when it may. */
export function reasonAgainst(path: string, { home, hidden, sockets }: BindContext): string | undefined {
  if (path === '/') return 'is the root folder of this machine';
  for (const [folder, why] of SYSTEM)
    if (touches(path, folder)) return isInside(path, folder) ? why : `contains ${folder}`;
  for (const folder of hidden) if (touches(path, folder)) return 'contains files of pincer';
  for (const socket of sockets) if (touches(path, socket)) return `gives access to the engine's socket ${socket}`;
  for (const folder of homes(home)) {
    if (isInside(folder, path))
      return folder === path ? 'is the home folder of a user' : `contains the home folder ${folder}`;
    for (const [name, why] of SECRET) if (touches(path, join(folder, name))) return why;
  }
  return undefined;
}

/** The home folders of this machine in their usual places. */
function homes(own: string): string[] {
  let beside: string[];
  try {
    beside = readdirSync('/home').map((name) => join('/home', name));
  } catch {
    beside = []; // no /home on this machine
  }
  return [...new Set(['/root', '/home', own, realOf(own) ?? own, ...beside])].filter((folder) => folder !== '/');
}

/** Whether one contains the other. */
function touches(a: string, b: string): boolean {
  const real = realOf(b) ?? b;
  return isInside(a, b) || isInside(b, a) || isInside(a, real) || isInside(real, a);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // it does not exist, or this user may not see it
  }
}

function refused(source: string, why: string, hint: string, details?: Readonly<Record<string, unknown>>): Fault {
  return new Fault('SANDBOX_BIND_REFUSED', `${source} ${why}`, { hint, ...(details === undefined ? {} : { details }) });
}
