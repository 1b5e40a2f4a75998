/** The owner and the configuration of a sandbox: requests with the same key and hash share one. */
import { createHash } from 'node:crypto';
import { type Actor, DEFAULT_AGENT } from '../../wire/actor.ts';
import type { Caller } from '../../wire/exec.ts';
import type { SandboxSettings } from '../../wire/sandbox.ts';

/**
 * Identifies the sandbox that a command or a file tool runs in, and the agent of the first request. All clients of an agent
 * share it, so it names no client.
 */
export interface SandboxPlace extends Omit<Actor, 'client'> {
  /** Identifies the owner: requests with the same key share a sandbox as long as the hash is the same. */
  readonly key: string;
  /** Hash of the configuration; another hash needs another sandbox. */
  readonly hash: string;
  /** The owner, as shown to people. */
  readonly owner: string;
  /** The real path of the caller's folder on the host. */
  readonly folder: string;
  readonly settings: SandboxSettings;
}

export function isSandboxed({ mode }: Pick<SandboxSettings, 'mode'>, caller: Caller): boolean {
  return mode === 'all' || (mode === 'non-main' && !isMain(caller));
}

/** The sandbox of commands of a gateway, on a machine whose `node.sandbox` is true. Agents of this machine never share it. */
export function guestSandbox(settings: SandboxSettings): SandboxSettings {
  return { ...settings, mode: 'all', scope: settings.scope === 'shared' ? 'agent' : settings.scope };
}

/** The sandbox of a command that runs there instead of asking, also where `sandbox.mode` is off. */
export function sandboxOfMisses(settings: SandboxSettings): SandboxSettings {
  return { ...settings, mode: 'all' };
}

/** The agent `main` in a conversation without a name, or in one that is also called `main`. */
function isMain({ agent, conversation = DEFAULT_AGENT }: Caller): boolean {
  return agent === DEFAULT_AGENT && conversation === DEFAULT_AGENT;
}

/** `folder` is a real path. */
export function placeFor(settings: SandboxSettings, caller: Caller, folder: string): SandboxPlace {
  const { agent, conversation } = caller;
  const { backend, scope, networkAllow } = settings;
  const name = scope === 'shared' ? [] : scope === 'agent' ? [agent] : [agent, conversation ?? ''];
  const { mode: _, pruneAfterMs: __, ...made } = settings;
  return {
    key: digest([backend, scope, ...name, folder]),
    hash: digest({ ...made, networkAllow: [...networkAllow].sort() }),
    owner: ownerText(settings, caller),
    agent,
    ...(conversation === undefined ? {} : { conversation }),
    folder,
    settings,
  };
}

export function ownerText(
  { scope }: Pick<SandboxSettings, 'scope'>,
  { agent, conversation }: { readonly agent: string; readonly conversation?: string | undefined },
): string {
  if (scope === 'shared') return 'all agents';
  if (scope === 'agent' || conversation === undefined) return agent;
  return `${agent} (${conversation})`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex').slice(0, 24);
}

/** The order of members in a configuration file makes no difference. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
