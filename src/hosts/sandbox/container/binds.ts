/** The operator's binds for a container, each looked at by its real path: what must never be seen inside is refused with its reason. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { Fault } from '../../../base/fault.ts';
import type { SandboxBind } from '../../../wire/sandbox.ts';

/** What decides beside the paths. */
export interface BindContext {
  /** The home folder of this user. */
  readonly home: string;
  /** Folders of ours that no sandbox sees. */
  readonly hidden: readonly string[];
  /** The sockets of engines that are known here: whoever speaks to one of them is root. */
  readonly sockets: readonly string[];
}

/** A bind that may be made, with its real source. */
export interface CheckedBind {
  readonly source: string;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

/** What stands below these is refused, and they themselves, and what contains them. */
const SYSTEM: readonly (readonly [path: string, why: string])[] = [
  ['/etc', 'holds the accounts and keys of this machine'],
  ['/proc', 'shows and steers the processes of this machine'],
  ['/sys', 'steers the kernel of this machine'],
  ['/dev', 'holds the devices of this machine'],
  ['/boot', 'is what this machine starts from'],
  ['/run', 'holds the sockets of this machine'],
  ['/var/run', 'holds the sockets of this machine'],
  ['/var/lib/docker', 'holds what all containers are made of'],
  ['/var/lib/containers', 'holds what all containers are made of'],
  ['/var/lib/containerd', 'holds what all containers are made of'],
];

/** Below a home folder. */
const SECRET: readonly (readonly [name: string, why: string])[] = [
  ['.ssh', 'holds keys'],
  ['.gnupg', 'holds keys'],
  ['.aws', 'holds credentials'],
  ['.azure', 'holds credentials'],
  ['.kube', 'holds credentials'],
  ['.docker', 'holds credentials'],
  ['.config/gcloud', 'holds credentials'],
  ['.config/gh', 'holds credentials'],
  ['.config/containers', 'holds credentials'],
  ['.local/share/containers', 'holds what all containers are made of'],
  ['.local/share/keyrings', 'holds passwords'],
  ['.password-store', 'holds passwords'],
  ['.mozilla', 'holds passwords'],
  ['.config/google-chrome', 'holds passwords'],
  ['.netrc', 'holds passwords'],
  ['.npmrc', 'holds credentials'],
  ['.pypirc', 'holds credentials'],
  ['.git-credentials', 'holds passwords'],
];

/** Places inside that belong to the sandbox. */
const TAKEN = ['/dev', '/etc', '/opt/pincer', '/proc', '/run', '/sys', '/tmp'];

/** The binds, checked; throws SANDBOX_BIND_REFUSED for the first one that must not be made. */
export function checkBinds(binds: readonly SandboxBind[], context: BindContext): CheckedBind[] {
  return binds.map(({ source, target, access }) => {
    const real = realOf(source);
    if (real === undefined)
      throw refused(source, 'does not exist, or may not be seen by this user', 'correct sandbox.binds');
    // The path as it was written counts too: it may be a link that is turned before it is bound.
    const why = reasonAgainst(normalize(source), context) ?? reasonAgainst(real, context);
    if (why !== undefined)
      throw refused(
        source,
        why,
        'bind a folder that holds only what the sandbox needs',
        real === source ? {} : { real },
      );
    const stats = statSync(real);
    if (!stats.isDirectory() && !stats.isFile())
      throw refused(source, 'is neither a folder nor a file', 'sockets and devices would lead out of the sandbox');
    const at = normalize(target).replace(/(?<=.)\/$/u, '');
    if (!at.startsWith('/') || at === '/' || at === '/workspace' || TAKEN.some((taken) => isInside(at, taken)))
      throw refused(source, `cannot be bound at ${target}`, 'choose a place such as /data inside');
    return { source: real, target: at, access };
  });
}

/** Why a path must not be seen inside; undefined when it may. */
export function reasonAgainst(path: string, { home, hidden, sockets }: BindContext): string | undefined {
  if (path === '/') return 'is the root of this machine';
  for (const [folder, why] of SYSTEM)
    if (touches(path, folder)) return isInside(path, folder) ? why : `contains ${folder}`;
  for (const folder of hidden) if (touches(path, folder)) return 'holds files of Pincer itself';
  for (const socket of sockets) if (touches(path, socket)) return `leads to the engine's socket ${socket}`;
  for (const folder of homes(home)) {
    if (isInside(folder, path))
      return folder === path ? 'is the home folder of a user' : `contains the home folder ${folder}`;
    for (const [name, why] of SECRET) if (touches(path, join(folder, name))) return why;
  }
  return undefined;
}

/** All home folders of this machine, as far as they are where homes are. */
function homes(own: string): string[] {
  let beside: string[];
  try {
    beside = readdirSync('/home').map((name) => join('/home', name));
  } catch {
    beside = []; // a machine without that folder
  }
  return [...new Set(['/root', '/home', own, realOf(own) ?? own, ...beside])].filter((folder) => folder !== '/');
}

/** Whether one holds the other. */
function touches(a: string, b: string): boolean {
  const real = realOf(b) ?? b;
  return isInside(a, b) || isInside(b, a) || isInside(a, real) || isInside(real, a);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // nothing stands there, or nothing that we may see
  }
}

function refused(source: string, why: string, hint: string, details?: Readonly<Record<string, unknown>>): Fault {
  return new Fault('SANDBOX_BIND_REFUSED', `${source} ${why}`, { hint, ...(details === undefined ? {} : { details }) });
}
