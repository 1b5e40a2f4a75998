/** What an engine is asked to make: the whole of a container as data, every switch that keeps it in said out loud. */
import { createHash } from 'node:crypto';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import { HOME_INSIDE, HOSTNAME_INSIDE } from '../profile.ts';
import type { EngineFacts } from './facts.ts';
import type { EngineName } from './places.ts';

/** Something of this machine that is seen inside. */
export interface ContainerMount {
  readonly source: string;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

/** Everything that a container is made from. */
export interface ContainerPlan {
  readonly spec: SandboxSpec;
  readonly engine: EngineName;
  readonly image: string;
  /** `uid:gid` inside. */
  readonly user: string;
  /** The agent, by its path inside. */
  readonly command: readonly string[];
  readonly mounts: readonly ContainerMount[];
  /** Folders that are seen as empty ones. */
  readonly hidden: readonly string[];
  /** Folders that the image wants to be written: they get memory instead of the disk of this machine. */
  readonly volumes: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: Pick<EngineFacts, 'swap' | 'rootless'>;
  /** The filter on system calls as this engine takes it: the text itself, or the path of a file (default: its own). */
  readonly calls: string | undefined;
  /** How much this process itself may raise: an engine without more rights than we have cannot give more. */
  readonly ceiling: { readonly files: number; readonly processes: number };
  /** Tells its first process from all others of this machine. */
  readonly proof: string;
}

const MIB = 1024 * 1024;
const RUN_BYTES = 8 * MIB;
const VOLUME_BYTES = 16 * MIB;
const SHARED_BYTES = 64 * MIB;
const MOST_FILES = 65_536;
/** Counted for the user on the whole machine, so it is no limit of the sandbox: that is the engine's own. Podman has no more. */
const MOST_PROCESSES = 32_768;

/** What the kernel tells about the whole machine: for its own administrator. Docker takes this list instead of its own. */
const MASKED = [
  '/sys /proc/acpi /proc/asound /proc/scsi /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/kallsyms',
  '/proc/kpagecgroup /proc/kpagecount /proc/kpageflags /proc/latency_stats /proc/interrupts /proc/iomem',
  '/proc/ioports /proc/sched_debug /proc/slabinfo /proc/timer_list /proc/timer_stats /proc/vmallocinfo',
  '/proc/config.gz /proc/modules',
].flatMap((line) => line.split(' '));
/** Read by many programs, written by none inside. */
const READ_ONLY = [
  '/proc/bus /proc/driver /proc/fs /proc/irq /proc/mtrr /proc/pressure /proc/sys /proc/sysrq-trigger /proc/tty',
].flatMap((line) => line.split(' '));

/** Runs the setup command with its output beside the agent's channel, then becomes the agent. */
const SETUP =
  'sh -lc "$PINCER_SETUP" </dev/null >&2 || { code=$?; echo "$PINCER_SETUP_MARK $code" >&2; exit 125; }; unset PINCER_SETUP PINCER_SETUP_MARK; exec "$@"';
/** The variable that tells a container's first process. */
export const PROOF = 'PINCER_CONTAINER';
/** Stands in what a container says when the setup command failed. */
export const SETUP_FAILED = 'pincer: the setup command ended with code';

/** The body of the request that makes the container. */
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
    // The end of our connection is the end of its input, and so of the agent.
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

function environment({ spec, proof }: ContainerPlan): Readonly<Record<string, string>> {
  return {
    HOME: HOME_INSIDE,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...spec.env,
    // What an image says for its own programs would change ours.
    NODE_OPTIONS: '',
    LD_PRELOAD: '',
    [PROOF]: proof,
    ...(spec.setupCommand === undefined ? {} : { PINCER_SETUP: spec.setupCommand, PINCER_SETUP_MARK: SETUP_FAILED }),
  };
}

function hostConfig(plan: ContainerPlan) {
  const { spec, engine, mounts, facts, calls, ceiling } = plan;
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
      ...(calls === undefined ? [] : [`seccomp=${calls}`]),
      // Podman adds these to its own, and cannot be told what else is only read.
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
      // What is mounted below something that is only read could be written by older engines, so it is not seen at all.
      BindOptions: { Propagation: 'rprivate', NonRecursive: access === 'ro' },
    })),
    ...(runtime === undefined ? {} : { Runtime: runtime }),
  };
}

/** Memory that is written as files counts as memory, so it stays well below that limit: else filling /tmp ends everything. */
export function tmpBytes({ limits }: Pick<SandboxSpec, 'limits'>): number {
  return limits.memoryBytes === undefined
    ? limits.tmpBytes
    : Math.min(limits.tmpBytes, Math.floor(limits.memoryBytes / 2));
}

/** Everybody may write them: there is one user inside, and not every engine can give a folder to a user. */
function tmpfs({ spec, hidden, volumes, engine }: ContainerPlan): Readonly<Record<string, string>> {
  // Podman fills a new folder with what the image, or the workspace, has in its place; nothing that is hidden may appear so.
  const empty = engine === 'podman' ? ',notmpcopyup' : '';
  const writable = (size: number, exec = 'exec') => `rw,nosuid,nodev,${exec},size=${size},mode=1777${empty}`;
  const bytes = tmpBytes(spec);
  // The home and /var/tmp are part of /tmp elsewhere, and share its size.
  const home = Math.floor(bytes / 4);
  const other = Math.floor(bytes / 16);
  return {
    ...Object.fromEntries(volumes.map((path) => [path, writable(VOLUME_BYTES)])),
    '/tmp': writable(bytes - home - other),
    [HOME_INSIDE]: writable(home),
    '/var/tmp': writable(other),
    // Runtimes give a folder the mode that it has in the image; only one that no image has is sure to be written.
    '/run': writable(MIB, 'noexec'),
    '/run/pincer': writable(RUN_BYTES, 'noexec'),
    ...Object.fromEntries(hidden.map((path) => [path, `ro,nosuid,nodev,noexec,size=4096,mode=0755${empty}`])),
  };
}

/** Names what a container is made from; another name is another container. */
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
