/** The agents that the page can speak about: the served one, those of the configuration, and those that were seen. */
import { computed, signal } from '@preact/signals';
import { approvals } from './approvals.ts';
import { server } from './link.ts';
import { sessions } from './sessions.ts';

/** From `agents.list` of the configuration. */
export const configuredAgents = signal<readonly string[]>([]);

export const agents = computed<readonly string[]>(() => {
  const seen = [...approvals.value.values()].map(({ binding }) => binding.agent);
  const running = [...sessions.value.values()].map(({ agent }) => agent);
  const [first, ...others] = [server.value?.agent ?? 'main', ...configuredAgents.value];
  return [...new Set([first, ...others, ...[...seen, ...running].toSorted()])];
});

/** The ids in the setting `agents.list`. */
export function agentIds(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const id = (entry as { readonly id?: unknown } | null)?.id;
    return typeof id === 'string' ? [id] : [];
  });
}
