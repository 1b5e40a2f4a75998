/** What an engine says about itself, as far as a sandbox depends on it; and which limits it would only pretend to hold. */
import { Fault } from '../../../base/fault.ts';
import type { LimitName, SandboxLimits, SandboxPromise } from '../../../wire/sandbox.ts';
import { OF_THIS_KERNEL, promisesOf } from '../probe/promises.ts';
import { EngineError, type Engine } from './engine.ts';
import type { EngineName } from './places.ts';

/** What is known of an engine. */
export interface EngineFacts {
  /** Containers belong to the user who runs the engine; the user 0 inside is that user. */
  readonly rootless: boolean;
  readonly memory: boolean;
  readonly swap: boolean;
  readonly pids: boolean;
  readonly cpus: boolean;
  readonly fileSize: boolean;
  readonly seccomp: boolean;
  readonly runtimes: readonly string[];
  /** Why limits are not held, in the engine's terms. */
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

/** Asks the engine. */
export async function factsOf(engine: Engine, name: EngineName): Promise<EngineFacts> {
  const info = ((await engine.ask('GET', '/info')) ?? {}) as Info;
  return readFacts(info, name, name === 'podman' ? await controllersOf(engine) : undefined);
}

/** Podman says in its own API only which controllers it really has. */
async function controllersOf(engine: Engine): Promise<readonly string[] | undefined> {
  try {
    const told = (await engine.ask('GET', '/libpod/info')) as {
      readonly host?: { readonly cgroupControllers?: readonly string[] | null };
    };
    return told.host?.cgroupControllers ?? [];
  } catch (error) {
    if (error instanceof EngineError && error.status !== 0) return undefined; // an old one: its compatible answer counts
    throw error;
  }
}

/** The facts in an engine's answers; `controllers` are podman's. */
export function readFacts(info: Info, name: EngineName, controllers: readonly string[] | undefined): EngineFacts {
  const options = info.SecurityOptions ?? [];
  const rootless = info.Rootless === true || options.some((option) => option.startsWith('name=rootless'));
  // Rootless on the first version of control groups takes limits, and drops them without a word.
  const pretends = info.CgroupDriver === 'none' || (rootless && info.CgroupVersion === '1');
  const has = (said: boolean | undefined, controller: string) =>
    !pretends && said === true && (controllers === undefined || controllers.includes(controller));
  return {
    rootless,
    memory: has(info.MemoryLimit, 'memory'),
    swap: has(info.SwapLimit, 'memory'),
    pids: has(info.PidsLimit, 'pids'),
    cpus: has(info.CpuCfsQuota ?? info.CPUCfsQuota, 'cpu'),
    // Without root, podman drops limits of processes that come over this API.
    fileSize: !(rootless && name === 'podman'),
    seccomp: options.some((option) => option.startsWith('name=seccomp')),
    runtimes: Object.keys(info.Runtimes ?? {}),
    groups: `cgroup v${info.CgroupVersion ?? '?'}, driver ${info.CgroupDriver ?? '?'}${rootless ? ', rootless' : ''}`,
  };
}

/** Runtimes whose containers are processes of this kernel. */
const SAME_KERNEL = /(?:^|\/)(?:runc|crun|youki)$/u;

/** What this engine promises: a limit that it does not hold is an error for whoever asks, and no limit for all others. */
export function promisesWith(facts: EngineFacts, name: EngineName, runtime?: string): readonly SandboxPromise[] {
  const lack = (limit: Limit): string =>
    `${unenforceable(limit, facts, name)}; the default is left out, and a limit that is set is an error`;
  const other = `the runtime ${runtime} brings a kernel of its own, which does not hold this, or with which it was not tried`;
  return promisesOf(name, {
    ...(runtime === undefined || SAME_KERNEL.test(runtime)
      ? {}
      : Object.fromEntries(OF_THIS_KERNEL.map((id) => [id, other]))),
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

/** The limits without those that nobody asked for and this engine does not hold. */
export function limitsHeld(limits: SandboxLimits, facts: EngineFacts): SandboxLimits {
  const { byDefault = [] } = limits;
  const dropped = (Object.keys(NAMES) as Limit[]).filter((limit) => !facts[limit] && byDefault.includes(NAMES[limit]));
  const names: readonly string[] = dropped.map((limit) => NAMES[limit]);
  return Object.fromEntries(
    Object.entries(limits).filter(([name]) => !names.includes(name)),
  ) as unknown as SandboxLimits;
}

/** Throws SANDBOX_LIMIT_UNENFORCEABLE for the first limit that was asked for and would not be held. */
export function demandLimits(limits: SandboxLimits, facts: EngineFacts, name: EngineName): void {
  const asked = { memory: limits.memoryBytes, pids: limits.pids, cpus: limits.cpus, fileSize: limits.fileBytes };
  for (const limit of Object.keys(SETTINGS) as Limit[])
    if (asked[limit] !== undefined && !facts[limit]) throw limitFault(limit, facts, name);
}

/** A limit that this engine does not hold. */
export function limitFault(limit: Limit, facts: EngineFacts, name: EngineName): Fault {
  const setting = SETTINGS[limit];
  const elsewhere = limit === 'fileSize' ? '' : ', or on a system with cgroup v2 delegated to its user';
  return new Fault('SANDBOX_LIMIT_UNENFORCEABLE', unenforceable(limit, facts, name), {
    hint: `run ${name} as root${elsewhere}; or leave out ${setting}`,
    details: { limit: setting },
  });
}

function unenforceable(limit: Limit, { groups }: EngineFacts, name: EngineName): string {
  return `${SETTINGS[limit]} cannot be enforced by this ${name} (${groups})`;
}
