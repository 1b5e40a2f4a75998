/** Merges configuration files: objects by member, `agents.list` by id, everything else is replaced. */
import { isObject } from '../../wire/schema.ts';
import type { ConfigFile } from './schema.ts';

export function mergeFiles(under: ConfigFile, over: ConfigFile): ConfigFile {
  const list = mergeAgents(under.agents?.list ?? [], over.agents?.list ?? []);
  const merged = merge(under, over) as ConfigFile;
  return list.length === 0 ? merged : { ...merged, agents: { ...merged.agents, list } };
}

type AgentEntry = NonNullable<NonNullable<ConfigFile['agents']>['list']>[number];

function mergeAgents(under: readonly AgentEntry[], over: readonly AgentEntry[]): readonly AgentEntry[] {
  const kept = under.map((entry) => merge(entry, over.find(({ id }) => id === entry.id) ?? {}) as AgentEntry);
  return [...kept, ...over.filter(({ id }) => under.every((entry) => entry.id !== id))];
}

export function merge(under: unknown, over: unknown): unknown {
  if (!isObject(under) || !isObject(over)) return over === undefined ? under : over;
  const merged: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) merged[name] = merge(under[name], value);
  return merged;
}
