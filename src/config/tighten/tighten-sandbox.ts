/** The sandbox settings that a project's file may tighten. */
import { SANDBOX_DEFAULTS } from '../schema/defaults.ts';
import type { SandboxConfig } from '../schema/sandbox-schema.ts';
import { defaultMemoryBytes } from '../sandbox-settings.ts';
import { bytesOf } from '../schema/sizes.ts';
import { accesses, modes, obeyedAnswers, scopes } from './strictness.ts';

type Refuse = (at: string) => void;
type Limits = NonNullable<SandboxConfig['limits']>;

/** Only the operator chooses the backend, the binds and the environment variables. */
export function tightenSandbox(
  operator: SandboxConfig,
  project: SandboxConfig,
  at: string,
  refuse: Refuse,
): SandboxConfig {
  const { mode, scope, workspaceAccess, rw, limits, network, ...others } = project;
  for (const name of Object.keys(others)) refuse(`${at}.${name}`);
  const tighter = <T>(name: string, value: T | undefined, isTighter: (value: T) => boolean): T | undefined => {
    if (value === undefined || isTighter(value)) return value;
    refuse(`${at}.${name}`);
    return undefined;
  };
  const effective = { ...SANDBOX_DEFAULTS, ...operator };
  return definedOf({
    mode: tighter('mode', mode, (value) => modes.isTighterOrEqual(value, effective.mode)),
    scope: tighter('scope', scope, (value) => scopes.isTighterOrEqual(value, effective.scope)),
    workspaceAccess: tighter('workspaceAccess', workspaceAccess, (value) =>
      accesses.isTighterOrEqual(value, effective.workspaceAccess),
    ),
    rw: rw === undefined ? undefined : tightenRw(operator.rw ?? {}, rw, `${at}.rw`, refuse),
    limits: limits === undefined ? undefined : tightenLimits(operator.limits ?? {}, limits, `${at}.limits`, refuse),
    network:
      network === undefined ? undefined : tightenNetwork(operator.network ?? {}, network, `${at}.network`, refuse),
  });
}

type Rw = NonNullable<SandboxConfig['rw']>;

function tightenRw(operator: Rw, { onObeyed }: Rw, at: string, refuse: Refuse): Rw {
  if (onObeyed === undefined) return {};
  if (obeyedAnswers.isTighterOrEqual(onObeyed, operator.onObeyed ?? SANDBOX_DEFAULTS.onObeyed)) return { onObeyed };
  refuse(`${at}.onObeyed`);
  return {};
}

const LIMITS = ['memory', 'pids', 'cpus', 'fileSize', 'tmpSize'] as const;

function tightenLimits(operator: Limits, project: Limits, at: string, refuse: Refuse): Limits {
  const kept = LIMITS.filter((name) => {
    if (project[name] === undefined) return false;
    const isLower = amountOf(name, project[name]) <= amountOf(name, operator[name] ?? fallbackOf(name));
    if (!isLower) refuse(`${at}.${name}`);
    return isLower;
  });
  return Object.fromEntries(kept.map((name) => [name, project[name]]));
}

function fallbackOf(name: (typeof LIMITS)[number]): number | string {
  if (name === 'memory') return defaultMemoryBytes();
  return name === 'cpus' ? Number.POSITIVE_INFINITY : SANDBOX_DEFAULTS[name];
}

function amountOf(name: (typeof LIMITS)[number], value: number | string): number {
  if (typeof value === 'number') return value;
  return name === 'pids' || name === 'cpus' ? Number(value) : (bytesOf(value) ?? Number.POSITIVE_INFINITY);
}

/** The project may remove names from the operator's list, never add one. */
function tightenNetwork(
  operator: NonNullable<SandboxConfig['network']>,
  project: NonNullable<SandboxConfig['network']>,
  at: string,
  refuse: Refuse,
): NonNullable<SandboxConfig['network']> {
  if (project.allow === undefined) return {};
  const allow = project.allow.filter((name) => operator.allow?.includes(name));
  if (allow.length < project.allow.length) refuse(`${at}.allow`);
  return { allow };
}

function definedOf(values: { readonly [K in keyof SandboxConfig]: SandboxConfig[K] | undefined }): SandboxConfig {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
