/** Whether bubblewrap works here, and where it does not, why and what helps: from what it says itself, never from a guess. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Fault } from '../../base/fault.ts';
import type { Binary, Lookup } from '../../wire/policy.ts';
import { createLookup } from '../process/programs/which.ts';

/** The programs of this machine that a sandbox is started with. */
export interface Programs {
  readonly bwrap: string;
  readonly version: string;
  readonly setpriv: string | undefined;
  readonly unshare: string | undefined;
  readonly prlimit: string | undefined;
  readonly systemdRun: string | undefined;
}

/** Why it does not work, and what to do. */
export interface Trouble {
  readonly message: string;
  readonly hint: string;
}

/** Folders that only an administrator writes; an agent's PATH has no say in what holds it. */
const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin';

/** What the profile cannot do without. */
const NEEDED = ['--disable-userns', '--bind-fd', '--args', '--info-fd', '--size', '--perms'];

const run = promisify(execFile);

let known: { readonly key: string; readonly programs: Programs } | undefined;

/** Finds the programs; a fault says what is missing and how to install it. */
export async function findPrograms(path: string = SYSTEM_PATH): Promise<Programs> {
  const lookup = createLookup({ path, cwd: '/' });
  const found = findBubblewrap(lookup);
  const key = [path, identityOf(found)].join(' ');
  if (known?.key === key) return known.programs;
  const options = { env: {}, timeout: 10_000 };
  const version = (await run(found.real, ['--version'], options)).stdout.replace(/^bubblewrap\s+/u, '').trim();
  const { stdout } = await run(found.real, ['--help'], options);
  const lacks = NEEDED.filter((option) => !stdout.includes(option));
  if (lacks.length > 0) throw unavailable(tooOld(version, lacks));
  const programs: Programs = {
    bwrap: found.real,
    version,
    setpriv: lookup.find('setpriv')?.real,
    unshare: lookup.find('unshare')?.real,
    prlimit: lookup.find('prlimit')?.real,
    systemdRun: lookup.find('systemd-run')?.real,
  };
  known = { key, programs };
  return programs;
}

/** Kernel settings that decide whether bubblewrap can make namespaces; a system without one has no such restriction. */
const APPARMOR = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
const KERNEL_SETTINGS = ['/proc/sys/user/max_user_namespaces', '/proc/sys/kernel/unprivileged_userns_clone', APPARMOR];

/** What decides whether bubblewrap works: the program and the kernel settings. Throws where the program is missing. */
export async function bubblewrapState(): Promise<string> {
  const found = findBubblewrap(createLookup({ path: SYSTEM_PATH, cwd: '/' }));
  return [identityOf(found), ...KERNEL_SETTINGS.map(contentOf)].join(' ');
}

function findBubblewrap(lookup: Lookup): Binary {
  const found = lookup.find('bwrap');
  if (found === undefined) throw unavailable(missing(contentOf('/etc/os-release')));
  return found;
}

function identityOf({ real, identity }: Binary): string {
  return [real, ...Object.values(identity)].join(' ');
}

/** The fault of a sandbox that cannot be had here. */
export function unavailable({ message, hint }: Trouble, cause?: unknown): Fault {
  return new Fault('SANDBOX_UNAVAILABLE', message, { hint, ...(cause === undefined ? {} : { cause }) });
}

/** The text of a file of the system; empty where it is not there. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // a system without it gets the general advice
  }
}

const INSTALL: readonly (readonly [system: RegExp, command: string])[] = [
  [/\b(?:debian|ubuntu)\b/u, 'apt install bubblewrap'],
  [/\b(?:fedora|rhel|centos)\b/u, 'dnf install bubblewrap'],
  [/\balpine\b/u, 'apk add bubblewrap'],
  [/\barch\b/u, 'pacman -S bubblewrap'],
  [/\bsuse\b|opensuse/u, 'zypper install bubblewrap'],
  [/\bnixos\b/u, 'nix-env -iA nixos.bubblewrap'],
];

/** What to say where bubblewrap is not installed, by what /etc/os-release says. */
export function missing(release: string): Trouble {
  const ids = release
    .split('\n')
    .filter((line) => /^ID(?:_LIKE)?=/u.test(line))
    .join(' ');
  const command = INSTALL.find(([system]) => system.test(ids))?.[1] ?? 'apt install bubblewrap';
  return {
    message: 'bubblewrap is not installed',
    hint: `run "${command}", or set sandbox.backend to "docker" or "podman"; nothing was run on this machine instead`,
  };
}

function tooOld(version: string, lacks: readonly string[]): Trouble {
  return {
    message: `bubblewrap ${version} does not know ${lacks.join(', ')}`,
    hint: "install 0.10 or newer, or your distribution's security update of 0.8 or newer",
  };
}

const TROUBLES: readonly (readonly [said: RegExp, trouble: (facts: SystemFacts) => Trouble])[] = [
  [
    /setuid mode|should not have setuid|Unexpected capabilities but not setuid/u,
    () => ({
      message: "bubblewrap is installed with root's rights, which the profile does not work with",
      hint: 'run "chmod u-s" on bwrap, and "sysctl kernel.unprivileged_userns_clone=1" where the kernel knows it',
    }),
  ],
  [
    /No permissions to creat(?:e|ing) new namespace|Creating new namespace failed: Operation not permitted|setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/u,
    (facts) => ({
      message: 'this system does not let bubblewrap make a user namespace',
      hint: facts.inContainer
        ? 'start the container of the gateway with "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"'
        : facts.restrictedByAppArmor
          ? 'give bwrap an AppArmor profile that allows userns (/etc/apparmor.d/bwrap: "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }", then "apparmor_parser -r /etc/apparmor.d/bwrap"), or run "sysctl kernel.apparmor_restrict_unprivileged_userns=0"'
          : 'run "sysctl kernel.unprivileged_userns_clone=1" and "sysctl user.max_user_namespaces=10000", or use a container backend',
    }),
  ],
  [
    /max_\*_namespaces exceeded|No space left on device/u,
    () => ({
      message: 'this system allows no more namespaces',
      hint: 'run "sysctl user.max_user_namespaces=10000", and end sandboxes that nobody needs ("pincer sandbox list")',
    }),
  ],
  [
    /Can't mount proc/u,
    () => ({
      message: 'bubblewrap may not mount /proc here',
      hint: 'start the container of the gateway with "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"',
    }),
  ],
  [
    /does not support user namespaces/u,
    () => ({
      message: 'this kernel has no user namespaces',
      hint: 'use a kernel with CONFIG_USER_NS, or a container backend',
    }),
  ],
  [
    /seccomp/iu,
    () => ({
      message: 'this kernel did not take the filter on system calls',
      hint: 'use a kernel with CONFIG_SECCOMP_FILTER, or a container backend',
    }),
  ],
  [
    /Race condition binding dirfd/u,
    () => ({
      message: 'the workspace was swapped while the sandbox started',
      hint: 'find out what moves folders in the workspace, then try again',
    }),
  ],
];

/** What decides between fixes. */
export interface SystemFacts {
  readonly inContainer: boolean;
  readonly restrictedByAppArmor: boolean;
}

/** What is known of this system. */
export function systemFacts(): SystemFacts {
  const mounts = contentOf('/proc/self/mountinfo');
  const isOverlayRoot = / \/ \/ [^\n]* - overlay /u.test(mounts);
  return {
    inContainer:
      contentOf('/proc/1/environ').includes('container=') ||
      mounts.includes('/docker/') ||
      contentOf('/run/.containerenv') !== '' ||
      isOverlayRoot,
    restrictedByAppArmor: contentOf(APPARMOR).trim() === '1',
  };
}

/** What bubblewrap said when it did not start, with the fix that fits this system. */
export function explainTrouble(said: string, facts: SystemFacts): Trouble {
  const line = said.split('\n').find((each) => each.trim() !== '') ?? 'it said nothing';
  for (const [pattern, trouble] of TROUBLES) {
    if (!pattern.test(said)) continue;
    const { message, hint } = trouble(facts);
    return { message: `${message} (${line.trim()})`, hint };
  }
  return {
    message: `the sandbox did not start (${line.trim()})`,
    hint: 'run "pincer sandbox explain" to see what this system allows',
  };
}
