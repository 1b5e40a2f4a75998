/** The features of an engine that a sandbox depends on, and which limits it would accept without enforcing them. */
import { Fault } from '../../../base/fault.ts';
import type { LimitName, SandboxLimits, SandboxPromise } from '../../../wire/sandbox.ts';
import { KERNEL_PROMISES, promisesOf } from '../probe/promises.ts';
import { EngineError, type Engine } from './engine.ts';
import type { EngineName } from './find-engine.ts';

export interface EngineFacts {
  /** Containers run as the user of the engine; uid 0 inside is that user. */
  readonly rootless: boolean;
  readonly memory: boolean;
  readonly swap: boolean;
  readonly pids: boolean;
  readonly cpus: boolean;
  readonly fileSize: boolean;
  readonly seccomp: boolean;
  readonly runtimes: readonly string[];
  /** The cgroup setup, for messages about limits. */
  readonly groups: string;
}

interface Info {
  readonly MemoryLimit?: boolean;
  readonly SwapLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly CPUCfsQuota?: boolean;
  readonly CgroupVersion?: string;
  readonly CgroupDriver?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly Runtimes?: Readonly<Record<string, unknown>> | null;
  readonly Rootless?: boolean;
}

export async function factsOf(engine: Engine, name: EngineName): Promise<EngineFacts> {
  const info = ((await engine.ask('GET', '/info')) ?? {}) as Info;
  return readFacts(info, name, name === 'podman' ? await controllersOf(engine) : undefined);
}

/** Podman reports its real cgroup controllers only in its own API. */
async function controllersOf(engine: Engine): Promise<readonly string[] | undefined> {
  try {
    const answer = (await engine.ask('GET', '/libpod/info')) as {
      readonly host?: { readonly cgroupControllers?: readonly string[] | null };
    };
    return answer.host?.cgroupControllers ?? [];
  } catch (error) {
    if (error instanceof EngineError && error.status !== 0) return undefined; // an old podman: use its Docker-compatible response
    throw error;
  }
}

/** `controllers` come from podman's own API. */
export function readFacts(info: Info, name: EngineName, controllers: readonly string[] | undefined): EngineFacts {
  const options = info.SecurityOptions ?? [];
  const rootless = info.Rootless === true || options.some((option) => option.startsWith('name=rootless'));
  // A rootless engine on cgroup v1 accepts limits and silently ignores them.
  const pretends = info.CgroupDriver === 'none' || (rootless && info.CgroupVersion === '1');
  const has = (reported: boolean | undefined, controller: string) =>
    !pretends && reported === true && (controllers === undefined || controllers.includes(controller));
  return {
    rootless,
    memory: has(info.MemoryLimit, 'memory'),
    swap: has(info.SwapLimit, 'memory'),
    pids: has(info.PidsLimit, 'pids'),
    cpus: has(info.CpuCfsQuota ?? info.CPUCfsQuota, 'cpu'),
    // Rootless podman ignores rlimits that come over this API.
    fileSize: !(rootless && name === 'podman'),
    seccomp: options.some((option) => option.startsWith('name=seccomp')),
    runtimes: Object.keys(info.Runtimes ?? {}),
    groups: `cgroup v${info.CgroupVersion ?? '?'}, driver ${info.CgroupDriver ?? '?'}${rootless ? ', rootless' : ''}`,
  };
}

/** Runtimes whose containers are processes of this kernel. */
const SAME_KERNEL = /(?:^|\/)(?:runc|crun|youki)$/u;

export function enginePromises(facts: EngineFacts, name: EngineName, runtime?: string): readonly SandboxPromise[] {
  const lack = (limit: Limit): string =>
    `${unenforceable(limit, facts, name)}; pincer skips the default limit, and a configured limit is an error`;
  const other = `the runtime ${runtime} has its own kernel, with which this fails or was not tested`;
  return promisesOf({
    ...(runtime === undefined || SAME_KERNEL.test(runtime)
      ? {}
      : Object.fromEntries(KERNEL_PROMISES.map((id) => [id, other]))),
    ...(facts.pids ? {} : { 'fork-bomb': lack('pids') }),
    ...(facts.memory ? {} : { 'memory-bomb': lack('memory') }),
    ...(facts.fileSize ? {} : { 'file-size': lack('fileSize') }),
  });
}

const SETTINGS = {
  memory: 'sandbox.limits.memory',
  pids: 'sandbox.limits.pids',
  cpus: 'sandbox.limits.cpus',
  fileSize: 'sandbox.limits.fileSize',
} as const;

type Limit = keyof typeof SETTINGS;

const NAMES = { memory: 'memoryBytes', pids: 'pids', cpus: 'cpus', fileSize: 'fileBytes' } as const satisfies Readonly<
  Record<Limit, LimitName>
>;

/** The limits without defaults that this engine cannot enforce. */
export function enforceableLimits(limits: SandboxLimits, facts: EngineFacts): SandboxLimits {
  const { byDefault = [] } = limits;
  const dropped = (Object.keys(NAMES) as Limit[]).filter((limit) => !facts[limit] && byDefault.includes(NAMES[limit]));
  const names: readonly string[] = dropped.map((limit) => NAMES[limit]);
  return Object.fromEntries(
    Object.entries(limits).filter(([name]) => !names.includes(name)),
  ) as unknown as SandboxLimits;
}

/** Throws SANDBOX_LIMIT_UNENFORCEABLE for the first limit that this engine cannot enforce. */
export function requireLimits(limits: SandboxLimits, facts: EngineFacts, name: EngineName): void {
  const asked = { memory: limits.memoryBytes, pids: limits.pids, cpus: limits.cpus, fileSize: limits.fileBytes };
  for (const limit of Object.keys(SETTINGS) as Limit[])
    if (asked[limit] !== undefined && !facts[limit]) throw limitFault(limit, facts, name);
}

export function limitFault(limit: Limit, facts: EngineFacts, name: EngineName): Fault {
  const setting = SETTINGS[limit];
  const elsewhere = limit === 'fileSize' ? '' : ', or on a system with cgroup v2 delegated to its user';
  return new Fault('SANDBOX_LIMIT_UNENFORCEABLE', unenforceable(limit, facts, name), {
    hint: `run ${name} as root${elsewhere}; or remove ${setting}`,
    details: { limit: setting },
  });
}

function unenforceable(limit: Limit, { groups }: EngineFacts, name: EngineName): string {
  return `${SETTINGS[limit]} cannot be enforced by this ${name} (${groups})`;
}
