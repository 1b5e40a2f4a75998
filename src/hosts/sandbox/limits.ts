/**
 * How the limits of a sandbox are enforced: by control groups where this system lets us make them, by systemd where it
 * runs, and by limits of processes where those really hold. What was asked for and cannot be enforced is a fault.
 */
import { Fault } from '../../base/fault.ts';
import type { LimitName, SandboxLimits } from '../../wire/sandbox.ts';
import { groupMakers, type Group, type Limited } from './limits/groups.ts';
import { isSystemdAnswering, isSystemdBooted, scopeCommand } from './limits/systemd.ts';

/** The programs that limits need, where they are installed. */
export interface LimitPrograms {
  readonly prlimit: string | undefined;
  readonly systemdRun: string | undefined;
}

/** What stands around and inside of the sandbox for its limits. */
export interface LimitPlan {
  /** Groups that bubblewrap joins before it starts. */
  readonly groups: readonly Group[];
  /** In front of bubblewrap. */
  readonly outside: readonly string[];
  /** In front of the agent: these limits count what runs in the sandbox only. */
  readonly inside: readonly string[];
  /** What the programs in front of bubblewrap need to know. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes the groups; nothing runs in them any more. */
  remove(): Promise<void>;
}

export interface LimitRequest {
  readonly id: string;
  readonly limits: SandboxLimits;
  /** Root's number is exempt from the kernel's count of processes. */
  readonly isRoot: boolean;
  readonly programs: LimitPrograms;
}

const CONTROLLED = ['memoryBytes', 'pids', 'cpus'] as const;

const NAMES: Readonly<Record<keyof Limited | 'fileBytes', string>> = {
  memoryBytes: 'sandbox.limits.memory',
  pids: 'sandbox.limits.pids',
  cpus: 'sandbox.limits.cpus',
  fileBytes: 'sandbox.limits.fileSize',
};

/** Plans the limits and makes their groups; a fault names the first limit that was asked for and nothing here can enforce. */
export function planLimits(request: LimitRequest): LimitPlan {
  const { byDefault = [] } = request.limits;
  // The fewest are given up: memory needs a group everywhere, and processes do not.
  for (const given of GIVEN_UP.filter((names) => names.every((name) => byDefault.includes(name)))) {
    try {
      return planAll({ ...request, limits: without(request.limits, given) }, byDefault.length > 0);
    } catch (error) {
      const { details } = error as Fault;
      const isLast = given.length === byDefault.filter((name) => name !== 'cpus').length;
      if (!(error instanceof Fault) || details?.['limit'] === undefined || isLast) throw error;
    }
  }
  return planAll(request, false);
}

const GIVEN_UP: readonly (readonly LimitName[])[] = [
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

/** `isGentle`: systemd is only asked where it certainly answers, for a default must not keep a sandbox from starting. */
function planAll({ id, limits, isRoot, programs }: LimitRequest, isGentle: boolean): LimitPlan {
  // No core files: what collects them on this machine would read what the sandbox wrote. 1 also keeps collectors from starting.
  const own = ['--core=1', ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`])];
  if (programs.prlimit === undefined && limits.fileBytes !== undefined)
    throw unenforceable('fileBytes', 'prlimit is not installed; it comes with util-linux');
  const outside = programs.prlimit === undefined ? [] : [programs.prlimit, ...own];

  const asked: Limited = Object.fromEntries(
    CONTROLLED.filter((name) => limits[name] !== undefined).map((name) => [name, limits[name]]),
  );
  const plain: LimitPlan = { groups: [], outside, inside: [], env: {}, remove: async () => {} };
  if (Object.keys(asked).length === 0) return plain;

  const grouped = inGroups(id, asked);
  if (grouped !== undefined) return { ...plain, ...grouped };
  if (programs.systemdRun !== undefined && isSystemdBooted() && !(isGentle && !isSystemdAnswering()))
    return {
      ...plain,
      outside: [...scopeCommand(programs.systemdRun, asked), ...outside],
      env: { XDG_RUNTIME_DIR: `/run/user/${process.geteuid?.()}` },
    };
  const { pids, ...rest } = asked;
  const first = Object.keys(rest)[0] as keyof Limited | undefined;
  if (first !== undefined || isRoot || programs.prlimit === undefined || pids === undefined)
    throw unenforceable(first ?? 'pids', 'this user may not make control groups here');
  return { ...plain, inside: [programs.prlimit, `--nproc=${pids}`] };
}

function inGroups(id: string, asked: Limited): Pick<LimitPlan, 'groups' | 'remove'> | undefined {
  for (const make of groupMakers()) {
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

/** The fault of a limit that nothing enforces. */
export function unenforceable(limit: keyof typeof NAMES, why: string): Fault {
  return new Fault('SANDBOX_LIMIT_UNENFORCEABLE', `${NAMES[limit]} cannot be enforced here: ${why}`, {
    hint: `run the gateway as a systemd service with Delegate=yes, or where cgroup v2 is delegated to its user, or as root; or leave out ${NAMES[limit]}`,
    details: { limit: NAMES[limit] },
  });
}
