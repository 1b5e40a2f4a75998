/** The body of the request that creates a container. Every option that isolates it is set explicitly. */
import { createHash } from 'node:crypto';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import { HOME_INSIDE, HOSTNAME_INSIDE } from '../profile.ts';
import type { EngineFacts } from './facts.ts';
import type { EngineName } from './find-engine.ts';

export interface ContainerMount {
  readonly source: string;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

export interface ContainerPlan {
  readonly spec: SandboxSpec;
  readonly engine: EngineName;
  readonly image: string;
  /** `uid:gid` inside. */
  readonly user: string;
  /** The agent, by its path inside. */
  readonly command: readonly string[];
  readonly mounts: readonly ContainerMount[];
  /** Folders that appear empty inside. */
  readonly hidden: readonly string[];
  /** The VOLUME folders of the image: they get a tmpfs instead of disk space of the host. */
  readonly volumes: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: Pick<EngineFacts, 'swap' | 'rootless'>;
  /** The seccomp profile as this engine takes it: the text, or the path of a file (default: the engine's own profile). */
  readonly seccomp: string | undefined;
  /** The hard rlimits of this process: an engine without more privileges cannot set higher ones. */
  readonly ceiling: { readonly files: number; readonly processes: number };
  /** Identifies the container's first process on the host. */
  readonly token: string;
}

const MIB = 1024 * 1024;
const RUN_BYTES = 8 * MIB;
const VOLUME_BYTES = 16 * MIB;
const SHARED_BYTES = 64 * MIB;
const MOST_FILES = 65_536;
/** RLIMIT_NPROC counts all processes of the user, so it is not the sandbox's limit (see PidsLimit). Podman allows no more. */
const MOST_PROCESSES = 32_768;

/** Kernel information about the whole machine, for its administrator only. For docker, this list replaces its own. */
const MASKED = [
  '/sys /proc/acpi /proc/asound /proc/scsi /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/kallsyms',
  '/proc/kpagecgroup /proc/kpagecount /proc/kpageflags /proc/latency_stats /proc/interrupts /proc/iomem',
  '/proc/ioports /proc/sched_debug /proc/slabinfo /proc/timer_list /proc/timer_stats /proc/vmallocinfo',
  '/proc/config.gz /proc/modules',
].flatMap((line) => line.split(' '));
/** Many programs read these; none inside may write them. */
const READ_ONLY = [
  '/proc/bus /proc/driver /proc/fs /proc/irq /proc/mtrr /proc/pressure /proc/sys /proc/sysrq-trigger /proc/tty',
].flatMap((line) => line.split(' '));

/** Runs the setup command with its output on stderr, away from the agent's channel, then executes the agent. */
const SETUP =
  'sh -lc "$PINCER_SETUP" </dev/null >&2 || { code=$?; echo "$PINCER_SETUP_MARK $code" >&2; exit 125; }; unset PINCER_SETUP PINCER_SETUP_MARK; exec "$@"';
/** The environment variable with the container's token. */
export const TOKEN_VARIABLE = 'PINCER_CONTAINER';
/** In the container's stderr when the setup command failed. */
export const SETUP_FAILED = 'pincer: the setup command ended with code';

export function containerRequest(plan: ContainerPlan): Readonly<Record<string, unknown>> {
  const { image, user, labels } = plan;
  const [program = '', ...args] = commandOf(plan);
  return {
    Image: image,
    Entrypoint: [program],
    Cmd: args,
    User: user,
    WorkingDir: INSIDE,
    Hostname: HOSTNAME_INSIDE,
    Domainname: '',
    Env: Object.entries(environment(plan)).map(([name, value]) => `${name}=${value}`),
    Labels: labels,
    Tty: false,
    OpenStdin: true,
    // When pincer's connection closes, stdin ends, and so does the agent.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(plan),
  };
}

function commandOf({ spec, command }: ContainerPlan): readonly string[] {
  return spec.setupCommand === undefined ? command : ['/bin/sh', '-c', SETUP, 'setup', ...command];
}

function environment({ spec, token }: ContainerPlan): Readonly<Record<string, string>> {
  return {
    HOME: HOME_INSIDE,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...spec.env,
    // Values of the image are for its own programs and would change the agent's Node.
    NODE_OPTIONS: '',
    LD_PRELOAD: '',
    [TOKEN_VARIABLE]: token,
    ...(spec.setupCommand === undefined ? {} : { PINCER_SETUP: spec.setupCommand, PINCER_SETUP_MARK: SETUP_FAILED }),
  };
}

function hostConfig(plan: ContainerPlan) {
  const { spec, engine, mounts, facts, seccomp, ceiling } = plan;
  const { limits, runtime } = spec;
  const files = Math.min(ceiling.files, MOST_FILES);
  const processes = Math.min(ceiling.processes, MOST_PROCESSES);
  return {
    NetworkMode: 'none',
    ReadonlyRootfs: true,
    Privileged: false,
    CapAdd: [],
    CapDrop: ['ALL'],
    SecurityOpt: [
      'no-new-privileges',
      ...(seccomp === undefined ? [] : [`seccomp=${seccomp}`]),
      // Podman adds these to its own list, and has no option for read-only paths.
      ...(engine === 'podman' ? [`mask=${[...MASKED, '/proc/mtrr'].join(':')}`] : []),
    ],
    ...(engine === 'docker' ? { MaskedPaths: MASKED, ReadonlyPaths: READ_ONLY } : {}),
    PidMode: '',
    IpcMode: 'private',
    UTSMode: '',
    CgroupnsMode: 'private',
    Init: true,
    AutoRemove: true,
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: 'none', Config: {} },
    OomKillDisable: false,
    ...(limits.memoryBytes === undefined
      ? {}
      : { Memory: limits.memoryBytes, ...(facts.swap ? { MemorySwap: limits.memoryBytes } : {}) }),
    ...(limits.pids === undefined ? {} : { PidsLimit: limits.pids }),
    ...(limits.cpus === undefined ? {} : { NanoCpus: Math.round(limits.cpus * 1e9) }),
    Ulimits: [
      { Name: 'nofile', Soft: files, Hard: files },
      { Name: 'nproc', Soft: processes, Hard: processes },
      { Name: 'core', Soft: 0, Hard: 0 },
      ...(limits.fileBytes === undefined ? [] : [{ Name: 'fsize', Soft: limits.fileBytes, Hard: limits.fileBytes }]),
    ],
    ShmSize: Math.min(SHARED_BYTES, tmpBytes(spec)),
    Tmpfs: tmpfs(plan),
    Mounts: mounts.map(({ source, target, access }) => ({
      Type: 'bind',
      Source: source,
      Target: target,
      ReadOnly: access === 'ro',
      // Older engines leave mounts below a read-only bind writable, so those mounts are excluded.
      BindOptions: { Propagation: 'rprivate', NonRecursive: access === 'ro' },
    })),
    ...(runtime === undefined ? {} : { Runtime: runtime }),
  };
}

/** A tmpfs counts as memory, so it stays well below the memory limit: otherwise a full /tmp would cause OOM kills. */
export function tmpBytes({ limits }: Pick<SandboxSpec, 'limits'>): number {
  return limits.memoryBytes === undefined
    ? limits.tmpBytes
    : Math.min(limits.tmpBytes, Math.floor(limits.memoryBytes / 2));
}

/** World-writable: there is one user inside, and not every engine can set the owner of a tmpfs. */
function tmpfs({ spec, hidden, volumes, engine }: ContainerPlan): Readonly<Record<string, string>> {
  // Podman copies the content below a mount point into a new tmpfs; that would reveal hidden folders.
  const empty = engine === 'podman' ? ',notmpcopyup' : '';
  const writable = (size: number, exec = 'exec') => `rw,nosuid,nodev,${exec},size=${size},mode=1777${empty}`;
  const bytes = tmpBytes(spec);
  // In a bubblewrap sandbox, the home and /var/tmp are part of /tmp, so here they share its size.
  const home = Math.floor(bytes / 4);
  const other = Math.floor(bytes / 16);
  return {
    ...Object.fromEntries(volumes.map((path) => [path, writable(VOLUME_BYTES)])),
    '/tmp': writable(bytes - home - other),
    [HOME_INSIDE]: writable(home),
    '/var/tmp': writable(other),
    // Runtimes set the mode that the folder has in the image; only a folder that no image has is certain to be writable.
    '/run': writable(MIB, 'noexec'),
    '/run/pincer': writable(RUN_BYTES, 'noexec'),
    ...Object.fromEntries(hidden.map((path) => [path, `ro,nosuid,nodev,noexec,size=4096,mode=0755${empty}`])),
  };
}

/** Changes when the specification or the image changes. */
export function specificationHash(spec: SandboxSpec, image: string): string {
  const { id: _id, ...rest } = spec;
  return createHash('sha256')
    .update(JSON.stringify([sorted(rest), image]))
    .digest('hex')
    .slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}
