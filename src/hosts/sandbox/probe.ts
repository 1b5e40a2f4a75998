/** Finds bubblewrap and explains why it does not work: from its own stderr, never from a guess. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Fault } from '../../base/fault.ts';
import type { Binary, Lookup } from '../../wire/policy.ts';
import { createLookup } from '../process/programs/which.ts';

/** Host programs that start a sandbox, by path. */
export interface Programs {
  readonly bwrap: string;
  readonly version: string;
  readonly setpriv: string | undefined;
  readonly unshare: string | undefined;
  readonly prlimit: string | undefined;
  readonly systemdRun: string | undefined;
}

export interface Diagnosis {
  readonly message: string;
  readonly hint: string;
}

/** Folders that only an administrator can write to: an agent's PATH must not choose the program that isolates it. */
const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin';

/** Options of bubblewrap that the profile uses. */
const NEEDED = ['--disable-userns', '--bind-fd', '--args', '--info-fd', '--size', '--perms'];

const run = promisify(execFile);

let known: { readonly key: string; readonly programs: Programs } | undefined;

/** Throws a fault where bubblewrap is missing or too old. */
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

/** Kernel settings that decide whether bubblewrap can create namespaces; a missing one means no restriction. */
const APPARMOR = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
const KERNEL_SETTINGS = ['/proc/sys/user/max_user_namespaces', '/proc/sys/kernel/unprivileged_userns_clone', APPARMOR];

/** The identity of the program and the kernel settings. Throws where the program is missing. */
export async function bubblewrapState(): Promise<string> {
  const found = findBubblewrap(createLookup({ path: SYSTEM_PATH, cwd: '/' }));
  return [identityOf(found), ...KERNEL_SETTINGS.map(readSystemFile)].join(' ');
}

function findBubblewrap(lookup: Lookup): Binary {
  const found = lookup.find('bwrap');
  if (found === undefined) throw unavailable(notInstalled(readSystemFile('/etc/os-release')));
  return found;
}

function identityOf({ real, identity }: Binary): string {
  return [real, ...Object.values(identity)].join(' ');
}

export function unavailable({ message, hint }: Diagnosis, cause?: unknown): Fault {
  return new Fault('SANDBOX_UNAVAILABLE', message, { hint, ...(cause === undefined ? {} : { cause }) });
}

/** Empty where the file does not exist. */
function readSystemFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // the general advice applies
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

/** `osRelease` is the text of /etc/os-release. */
export function notInstalled(osRelease: string): Diagnosis {
  const ids = osRelease
    .split('\n')
    .filter((line) => /^ID(?:_LIKE)?=/u.test(line))
    .join(' ');
  const command = INSTALL.find(([system]) => system.test(ids))?.[1] ?? 'apt install bubblewrap';
  return {
    message: 'bubblewrap is not installed',
    hint: `run "${command}", or set sandbox.backend to "docker" or "podman"; nothing was run on this machine instead`,
  };
}

function tooOld(version: string, lacks: readonly string[]): Diagnosis {
  return {
    message: `bubblewrap ${version} does not support ${lacks.join(', ')}`,
    hint: "install 0.10 or newer, or your distribution's security update of 0.8 or newer",
  };
}

const KNOWN_FAILURES: readonly (readonly [stderr: RegExp, diagnose: (facts: SystemFacts) => Diagnosis])[] = [
  [
    /setuid mode|should not have setuid|Unexpected capabilities but not setuid/u,
    () => ({
      message: 'bubblewrap is installed setuid root, which the profile does not support',
      hint: 'run "chmod u-s" on bwrap, and "sysctl kernel.unprivileged_userns_clone=1" where the kernel has that setting',
    }),
  ],
  [
    /No permissions to creat(?:e|ing) new namespace|Creating new namespace failed: Operation not permitted|setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/u,
    (facts) => ({
      message: 'this system does not allow bubblewrap to create a user namespace',
      hint: facts.inContainer
        ? 'start the gateway\'s container with "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"'
        : facts.restrictedByAppArmor
          ? 'give bwrap an AppArmor profile that allows userns (/etc/apparmor.d/bwrap: "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }", then "apparmor_parser -r /etc/apparmor.d/bwrap"), or run "sysctl kernel.apparmor_restrict_unprivileged_userns=0"'
          : 'run "sysctl kernel.unprivileged_userns_clone=1" and "sysctl user.max_user_namespaces=10000", or use a container backend',
    }),
  ],
  [
    /max_\*_namespaces exceeded|No space left on device/u,
    () => ({
      message: 'this system allows no more namespaces',
      hint: 'run "sysctl user.max_user_namespaces=10000", and end unused sandboxes ("pincer sandbox list")',
    }),
  ],
  [
    /Can't mount proc/u,
    () => ({
      message: 'bubblewrap may not mount /proc here',
      hint: 'start the gateway\'s container with "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"',
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
      message: 'this kernel rejected the seccomp filter',
      hint: 'use a kernel with CONFIG_SECCOMP_FILTER, or a container backend',
    }),
  ],
  [
    /Race condition binding dirfd/u,
    () => ({
      message: 'the workspace was replaced while the sandbox started',
      hint: 'find out what moves folders in the workspace, then try again',
    }),
  ],
];

export interface SystemFacts {
  readonly inContainer: boolean;
  readonly restrictedByAppArmor: boolean;
}

export function systemFacts(): SystemFacts {
  const mounts = readSystemFile('/proc/self/mountinfo');
  const isOverlayRoot = / \/ \/ [^\n]* - overlay /u.test(mounts);
  return {
    inContainer:
      readSystemFile('/proc/1/environ').includes('container=') ||
      mounts.includes('/docker/') ||
      readSystemFile('/run/.containerenv') !== '' ||
      isOverlayRoot,
    restrictedByAppArmor: readSystemFile(APPARMOR).trim() === '1',
  };
}

/** The diagnosis for the stderr of a bubblewrap that did not start. */
export function explainFailure(stderr: string, facts: SystemFacts): Diagnosis {
  const line = stderr.split('\n').find((each) => each.trim() !== '') ?? 'no output';
  for (const [pattern, diagnose] of KNOWN_FAILURES) {
    if (!pattern.test(stderr)) continue;
    const { message, hint } = diagnose(facts);
    return { message: `${message} (${line.trim()})`, hint };
  }
  return {
    message: `the sandbox did not start (${line.trim()})`,
    hint: 'run "pincer sandbox explain" to see what this system allows',
  };
}
