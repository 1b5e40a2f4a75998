/** From what the files say about sandboxes to the settings of one agent, with every default filled in. */
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { LimitName, SandboxBind, SandboxLimits, SandboxSettings } from '../wire/sandbox.ts';
import { SANDBOX_DEFAULTS } from './schema/defaults.ts';
import { merge } from './schema/merge.ts';
import type { SandboxConfig } from './schema/sandbox-schema.ts';
import type { ConfigFile } from './schema/schema.ts';
import { bytesOf } from './schema/sizes.ts';

const HOUR_MS = 3_600_000;

/** What the files say for the sandboxes of an agent: its own entry in `agents.list` over what is said for all. */
function sandboxConfigOf(config: ConfigFile, agent: string): SandboxConfig {
  const own = config.agents?.list?.find(({ id }) => id === agent)?.sandbox;
  return merge(config.sandbox ?? {}, own ?? {}) as SandboxConfig;
}

/** Which conversations of an agent are sandboxed; without one, of those that have no entry. */
export function sandboxModeOf(config: ConfigFile, agent?: string): SandboxSettings['mode'] {
  const said = agent === undefined ? config.sandbox : sandboxConfigOf(config, agent);
  return said?.mode ?? SANDBOX_DEFAULTS.mode;
}

/** What holds for the sandboxes of an agent, with every default filled in. */
export function sandboxSettings(config: ConfigFile, agent: string, home: string): SandboxSettings {
  const said = sandboxConfigOf(config, agent);
  const { image, socket, runtime, setupCommand, user } = said.docker ?? {};
  return {
    mode: sandboxModeOf(config, agent),
    backend: said.backend ?? SANDBOX_DEFAULTS.backend,
    scope: said.scope ?? SANDBOX_DEFAULTS.scope,
    workspaceAccess: said.workspaceAccess ?? SANDBOX_DEFAULTS.workspaceAccess,
    limits: limitsOf(said.limits ?? {}),
    networkAllow: said.network?.allow ?? [],
    binds: (said.binds ?? []).map((bind) => bindOf(bind, home)),
    env: said.env ?? {},
    container: {
      image,
      socket: socket === undefined ? undefined : expanded(socket, home),
      runtime,
      setupCommand,
      user,
    },
    onObeyed: said.rw?.onObeyed ?? SANDBOX_DEFAULTS.onObeyed,
    pruneAfterMs: Math.round((said.prune?.idleHours ?? SANDBOX_DEFAULTS.idleHours) * HOUR_MS),
  };
}

const LEAST_MEMORY = 2 * 2 ** 30;

/** Half of the memory of this machine, and enough for a build. */
export function defaultMemoryBytes(): number {
  return Math.max(LEAST_MEMORY, Math.floor(totalmem() / 2));
}

function limitsOf({ memory, pids, cpus, fileSize, tmpSize }: NonNullable<SandboxConfig['limits']>): SandboxLimits {
  const byDefault: LimitName[] = [];
  const or = (name: LimitName, said: number | undefined, fallback: () => number | undefined): number => {
    if (said === undefined) byDefault.push(name);
    return said ?? fallback() ?? 0;
  };
  return {
    memoryBytes: or('memoryBytes', bytesOf(memory), defaultMemoryBytes),
    pids: or('pids', pids, () => SANDBOX_DEFAULTS.pids),
    ...(cpus === undefined ? {} : { cpus }),
    fileBytes: or('fileBytes', bytesOf(fileSize), () => bytesOf(SANDBOX_DEFAULTS.fileSize)),
    byDefault,
    tmpBytes: bytesOf(tmpSize ?? SANDBOX_DEFAULTS.tmpSize) ?? 0,
  };
}

type BindConfig = NonNullable<SandboxConfig['binds']>[number];

function bindOf({ source = '', target, access = 'ro' }: BindConfig, home: string): SandboxBind {
  const from = expanded(source, home);
  return { source: resolve(from), target: resolve(target ?? from), access };
}

function expanded(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
