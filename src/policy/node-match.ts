/**
 * Which node a text means: a whole id, a name, or the first letters of an id. A machine reports its own name, so a name must never
 * pass for the id of another machine.
 */
import type { NodeInfo } from '../wire/nodes/node.ts';

type MatchedNode = Pick<NodeInfo, 'id' | 'name' | 'state' | 'connected'>;

const SHORTEST_PREFIX = 6;
const WHOLE_ID = /^[a-z2-7]{32}$/u;

/**
 * The nodes that a text means; more than one: it is ambiguous. Of several nodes with one name, connected ones come before paired
 * ones, then pending ones, then revoked ones. Nothing else decides between two nodes.
 */
export function matchingNodes<N extends MatchedNode>(text: string, nodes: readonly N[]): readonly N[] {
  const wanted = nodeLabel(text.trim());
  if (isWholeNodeId(wanted)) return nodes.filter(({ id }) => id === wanted);
  const named = nodes.filter(({ name }) => nodeLabel(name) === wanted);
  const best = Math.min(...named.map(rank));
  const started = wanted.length < SHORTEST_PREFIX ? [] : nodes.filter(({ id }) => id.startsWith(wanted));
  return [...new Set([...named.filter((node) => rank(node) === best), ...started])];
}

/** Names that differ only in case are the same name. */
export function nodeLabel(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

export function isWholeNodeId(text: string): boolean {
  return WHOLE_ID.test(nodeLabel(text));
}

/** Whether a name could be taken for an id: it has the form of one, or one of these starts with it. */
export function looksLikeNodeId(name: string, ids: Iterable<string>): boolean {
  const label = nodeLabel(name);
  return isWholeNodeId(label) || (label.length >= SHORTEST_PREFIX && [...ids].some((id) => id.startsWith(label)));
}

function rank({ state, connected }: MatchedNode): number {
  if (state === 'paired') return connected ? 0 : 1;
  return state === 'pending' ? 2 : 3;
}
