/** What the search over the whole page finds besides screens. */
import { pathTo } from '../router.ts';
import { pendingApprovals } from './approvals.ts';
import { nodes } from './nodes.ts';
import { sessions } from './sessions.ts';

export interface FoundItem {
  readonly href: string;
  /** The screen that shows it: `Approvals`. */
  readonly screen: string;
  readonly text: string;
}

const MOST_FOUND = 50;

export function itemsWith(words: string): readonly FoundItem[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  const all: readonly FoundItem[] = [
    ...pendingApprovals.value.map(({ slug, binding }) => ({
      href: pathTo('approvals', slug),
      screen: 'Approvals',
      text: `${binding.command} · ${binding.agent} · ${slug}`,
    })),
    ...[...sessions.value.values()].map(({ id, command, agent }) => ({
      href: pathTo('sessions', id),
      screen: 'Sessions',
      text: `${command} · ${agent} · ${id}`,
    })),
    ...nodes.value.map(({ id, name }) => ({ href: pathTo('nodes', id), screen: 'Nodes', text: name })),
  ];
  return all
    .filter(({ text, screen }) => wanted.every((word) => `${screen} ${text}`.toLowerCase().includes(word)))
    .slice(0, MOST_FOUND);
}
