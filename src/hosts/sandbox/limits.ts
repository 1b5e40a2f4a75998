/**
 * How the limits of a sandbox are enforced: by cgroups where this user may create them, by a systemd scope where systemd
 * runs, and by rlimits where those are effective. A configured limit that cannot be enforced is a fault.
 */
import { existsSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { LimitName, SandboxLimits } from '../../wire/sandbox.ts';
import { cgroupMakers, type Cgroup, type CgroupLimits } from './limits/cgroups.ts';

export interface LimitPrograms {
  readonly prlimit: string | undefined;
  readonly systemdRun: string | undefined;
}

export interface LimitPlan {
  /** Cgroups that bubblewrap joins before it starts. */
  readonly groups: readonly Cgroup[];
  /** A command prefix of bubblewrap. */
  readonly outside: readonly string[];
  /** A command prefix of the agent: these limits count processes in the sandbox only. */
  readonly inside: readonly string[];
  /** The environment of the programs in `outside`. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes the cgroups, which must be empty. */
  remove(): Promise<void>;
}

export interface LimitRequest {
  readonly id: string;
  readonly limits: SandboxLimits;
  /** RLIMIT_NPROC has no effect on uid 0. */
  readonly isRoot: boolean;
  readonly programs: LimitPrograms;
}

const CONTROLLED = ['memoryBytes', 'pids', 'cpus'] as const;

const NAMES: Readonly<Record<keyof CgroupLimits | 'fileBytes', string>> = {
  memoryBytes: 'sandbox.limits.memory',
  pids: 'sandbox.limits.pids',
  cpus: 'sandbox.limits.cpus',
  fileBytes: 'sandbox.limits.fileSize',
};

/** Plans the limits and creates their cgroups; throws a fault for the first configured limit that cannot be enforced. */
export function planLimits(request: LimitRequest): LimitPlan {
  const { byDefault = [] } = request.limits;
  // As few defaults as possible are skipped: the memory limit always needs a cgroup, the process limit does not.
  for (const skipped of SKIPPED_DEFAULTS.filter((names) => names.every((name) => byDefault.includes(name)))) {
    try {
      return planAll({ ...request, limits: without(request.limits, skipped) }, byDefault.length > 0);
    } catch (error) {
      const { details } = error as Fault;
      const isLast = skipped.length === byDefault.filter((name) => name !== 'cpus').length;
      if (!(error instanceof Fault) || details?.['limit'] === undefined || isLast) throw error;
    }
  }
  return planAll(request, false);
}

const SKIPPED_DEFAULTS: readonly (readonly LimitName[])[] = [
  [],
  ['memoryBytes'],
  ['pids'],
  ['memoryBytes', 'pids'],
  ['fileBytes'],
  ['memoryBytes', 'fileBytes'],
  ['pids', 'fileBytes'],
  ['memoryBytes', 'pids', 'fileBytes'],
];

function without(limits: SandboxLimits, names: readonly LimitName[]): SandboxLimits {
  const left = Object.entries(limits).filter(([name]) => !names.includes(name as LimitName));
  return Object.fromEntries(left) as unknown as SandboxLimits;
}

/** `hasDefaults`: use systemd only where it certainly answers, because a default limit must not prevent a sandbox from starting. */
function planAll({ id, limits, isRoot, programs }: LimitRequest, hasDefaults: boolean): LimitPlan {
  // No core dumps: the host's collector would process data from the sandbox. A limit of 1 also prevents collectors from starting.
  const rlimits = ['--core=1', ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`])];
  if (programs.prlimit === undefined && limits.fileBytes !== undefined)
    throw unenforceable('fileBytes', 'prlimit is not installed; it comes with util-linux');
  const outside = programs.prlimit === undefined ? [] : [programs.prlimit, ...rlimits];

  const asked: CgroupLimits = Object.fromEntries(
    CONTROLLED.filter((name) => limits[name] !== undefined).map((name) => [name, limits[name]]),
  );
  const plain: LimitPlan = { groups: [], outside, inside: [], env: {}, remove: async () => {} };
  if (Object.keys(asked).length === 0) return plain;

  const grouped = inGroups(id, asked);
  if (grouped !== undefined) return { ...plain, ...grouped };
  if (programs.systemdRun !== undefined && isSystemdBooted() && !(hasDefaults && !isSystemdAnswering()))
    return {
      ...plain,
      outside: [...scopeCommand(programs.systemdRun, asked), ...outside],
      env: { XDG_RUNTIME_DIR: `/run/user/${process.geteuid?.()}` },
    };
  const { pids, ...rest } = asked;
  const first = Object.keys(rest)[0] as keyof CgroupLimits | undefined;
  if (first !== undefined || isRoot || programs.prlimit === undefined || pids === undefined)
    throw unenforceable(first ?? 'pids', 'this user may not create cgroups here');
  return { ...plain, inside: [programs.prlimit, `--nproc=${pids}`] };
}

function inGroups(id: string, asked: CgroupLimits): Pick<LimitPlan, 'groups' | 'remove'> | undefined {
  for (const make of cgroupMakers()) {
    const groups = make(id, asked);
    if (groups === undefined) continue;
    return {
      groups,
      remove: async () => {
        for (const group of groups) await group.remove();
      },
    };
  }
  return undefined;
}

export function unenforceable(limit: keyof typeof NAMES, why: string): Fault {
  return new Fault('SANDBOX_LIMIT_UNENFORCEABLE', `${NAMES[limit]} cannot be enforced on this machine: ${why}`, {
    hint: `run the gateway as a systemd service with Delegate=yes, or where cgroup v2 is delegated to its user, or as root; or leave out ${NAMES[limit]}`,
    details: { limit: NAMES[limit] },
  });
}

function isSystemdBooted(): boolean {
  return existsSync('/run/systemd/system');
}

/** Whether the systemd manager of this user has its socket. */
function isSystemdAnswering(uid = process.geteuid?.() ?? 0): boolean {
  return existsSync(uid === 0 ? '/run/systemd/private' : `/run/user/${uid}/systemd/private`);
}

/** A command prefix that runs the rest in a scope with these limits, by the user's manager unless the gateway is root. */
export function scopeCommand(
  systemdRun: string,
  { memoryBytes, pids, cpus }: CgroupLimits,
  isUser = process.geteuid?.() !== 0,
) {
  const properties = [
    ...(memoryBytes === undefined ? [] : [`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0']),
    ...(pids === undefined ? [] : [`TasksMax=${pids}`]),
    ...(cpus === undefined ? [] : [`CPUQuota=${Math.max(1, Math.round(cpus * 100))}%`]),
  ];
  return [
    systemdRun,
    ...(isUser ? ['--user'] : []),
    '--scope',
    '--quiet',
    '--collect',
    '--slice=pincer-sandbox.slice',
    ...properties.flatMap((property) => ['--property', property]),
    '--',
  ];
}
