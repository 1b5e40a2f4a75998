/** Whose a sandbox is, and what it is made from: two requests with the same answer share one. */
import { createHash } from 'node:crypto';
import { type Actor, DEFAULT_AGENT } from '../../wire/actor.ts';
import type { Caller } from '../../wire/exec.ts';
import type { SandboxSettings } from '../../wire/sandbox.ts';

/**
 * Where a command or a file tool runs when that is not this machine itself, and whom the first request for it came from. All
 * clients of an agent share it, so it names none.
 */
export interface SandboxPlace extends Omit<Actor, 'client'> {
  /** Names whose it is: those with the same key share a sandbox as long as it is made from the same things. */
  readonly key: string;
  /** Of all that it is made from; another hash needs another sandbox. */
  readonly hash: string;
  /** Whose it is, in words. */
  readonly owner: string;
  /** The real path of the folder of this machine that the caller works in. */
  readonly folder: string;
  readonly settings: SandboxSettings;
}

/** Whether the commands of a caller belong into a sandbox. */
export function isSandboxed({ mode }: Pick<SandboxSettings, 'mode'>, caller: Caller): boolean {
  return mode === 'all' || (mode === 'non-main' && !isMain(caller));
}

/** The agent `main` in the conversation that has no name of its own, or is called `main`, too. */
function isMain({ agent, conversation = DEFAULT_AGENT }: Caller): boolean {
  return agent === DEFAULT_AGENT && conversation === DEFAULT_AGENT;
}

/** The place for a caller who works in a folder, which is a real path. */
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

/** Whose a sandbox of a scope is, in words. */
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

/** The order in which a file names things makes no difference. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
