/** The settings for the sandboxes of one agent, with all defaults. */
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { LimitName, SandboxBind, SandboxLimits, SandboxSettings } from '../wire/sandbox.ts';
import { SANDBOX_DEFAULTS } from './schema/defaults.ts';
import { merge } from './schema/merge.ts';
import type { SandboxConfig } from './schema/sandbox-schema.ts';
import type { ConfigFile } from './schema/schema.ts';
import { bytesOf } from './schema/sizes.ts';
import { expandHome } from './state.ts';

const HOUR_MS = 3_600_000;

/** The effective `sandbox` of an agent: its entry in `agents.list` merged over the top-level settings. */
function sandboxConfigOf(config: ConfigFile, agent: string): SandboxConfig {
  const own = config.agents?.list?.find(({ id }) => id === agent)?.sandbox;
  return merge(config.sandbox ?? {}, own ?? {}) as SandboxConfig;
}

/** Without an agent, the mode of agents that have no entry. */
export function sandboxModeOf(config: ConfigFile, agent?: string): SandboxSettings['mode'] {
  const sandbox = agent === undefined ? config.sandbox : sandboxConfigOf(config, agent);
  return sandbox?.mode ?? SANDBOX_DEFAULTS.mode;
}

export function sandboxSettings(config: ConfigFile, agent: string, home: string): SandboxSettings {
  const sandbox = sandboxConfigOf(config, agent);
  const { image, socket, runtime, setupCommand, user } = sandbox.docker ?? {};
  return {
    mode: sandboxModeOf(config, agent),
    backend: sandbox.backend ?? SANDBOX_DEFAULTS.backend,
    scope: sandbox.scope ?? SANDBOX_DEFAULTS.scope,
    workspaceAccess: sandbox.workspaceAccess ?? SANDBOX_DEFAULTS.workspaceAccess,
    limits: limitsOf(sandbox.limits ?? {}),
    networkAllow: sandbox.network?.allow ?? [],
    binds: (sandbox.binds ?? []).map((bind) => bindOf(bind, home)),
    env: sandbox.env ?? {},
    container: {
      image,
      socket: socket === undefined ? undefined : expandHome(socket, home),
      runtime,
      setupCommand,
      user,
    },
    onObeyed: sandbox.rw?.onObeyed ?? SANDBOX_DEFAULTS.onObeyed,
    pruneAfterMs: Math.round((sandbox.prune?.idleHours ?? SANDBOX_DEFAULTS.idleHours) * HOUR_MS),
  };
}

const LEAST_MEMORY = 2 * 2 ** 30;

/** Read once: it is a file of the system, and every request reads its settings. */
let machineMemory: number | undefined;

/** Half of the memory of this machine, but enough for a build. */
export function defaultMemoryBytes(): number {
  machineMemory ??= totalmem();
  return Math.max(LEAST_MEMORY, Math.floor(machineMemory / 2));
}

function limitsOf({ memory, pids, cpus, fileSize, tmpSize }: NonNullable<SandboxConfig['limits']>): SandboxLimits {
  const byDefault: LimitName[] = [];
  const limit = (name: LimitName, value: number | undefined, fallback: () => number | undefined): number => {
    if (value === undefined) byDefault.push(name);
    return value ?? fallback() ?? 0;
  };
  return {
    memoryBytes: limit('memoryBytes', bytesOf(memory), defaultMemoryBytes),
    pids: limit('pids', pids, () => SANDBOX_DEFAULTS.pids),
    ...(cpus === undefined ? {} : { cpus }),
    fileBytes: limit('fileBytes', bytesOf(fileSize), () => bytesOf(SANDBOX_DEFAULTS.fileSize)),
    byDefault,
    tmpBytes: bytesOf(tmpSize ?? SANDBOX_DEFAULTS.tmpSize) ?? 0,
  };
}

type BindConfig = NonNullable<SandboxConfig['binds']>[number];

function bindOf({ source = '', target, access = 'ro' }: BindConfig, home: string): SandboxBind {
  const from = expandHome(source, home);
  return { source: resolve(from), target: resolve(target ?? from), access };
}
