/** Selects the node of a request: the call decides before the conversation, the agent and the global setting. */
import { Fault, type FaultCode } from '../base/fault.ts';
import type { NodeInfo } from '../wire/node.ts';

export const NODE_LAYERS = ['call', 'conversation', 'agent', 'global'] as const;
export type NodeLayer = (typeof NODE_LAYERS)[number];

/** The id, name or prefix that each layer sets. */
export type NodeLayers = { readonly [L in NodeLayer]?: string | undefined };

/** What the choice depends on. */
export type NodeCandidate = Pick<NodeInfo, 'id' | 'name' | 'state' | 'connected' | 'lastSeenAt'> & {
  readonly offer: Pick<NodeInfo['offer'], 'exec'>;
};

export type NodeChoice<N extends NodeCandidate = NodeInfo> =
  | { readonly node: N; readonly from: NodeLayer | 'only' }
  | { readonly fault: Fault };

const SHORTEST_PREFIX = 6;
const MOST_LISTED = 20;

/** `allowed` limits the choice, whichever layer chose; each entry is an id, a name or a prefix. */
export function chooseNode<N extends NodeCandidate>(
  layers: NodeLayers,
  nodes: readonly N[],
  allowed?: readonly string[],
): NodeChoice<N> {
  const isAllowed = (node: N) => allowed === undefined || allowed.some((entry) => meansNode(entry, node));
  const paired = nodes.filter(({ state }) => state === 'paired');
  const from = NODE_LAYERS.find((layer) => layers[layer] !== undefined);
  const choice =
    from === undefined ? onlyNode(paired, isAllowed) : namedNode(layers[from] ?? '', from, paired, nodes, isAllowed);
  if ('fault' in choice) return choice;
  const fault = whyUnusable(choice.node);
  return fault === undefined ? choice : { fault };
}

/** Without a name: the one node that is connected and runs commands. */
function onlyNode<N extends NodeCandidate>(paired: readonly N[], isAllowed: (node: N) => boolean): NodeChoice<N> {
  if (paired.length === 0) return { fault: nonePaired(undefined) };
  const candidates = paired.filter(isAllowed);
  if (candidates.length === 0) return { fault: notAllowed('no paired node is in tools.exec.nodes', paired) };
  const connected = candidates.filter((node) => node.connected);
  const able = connected.filter(({ offer }) => offer.exec !== 'off');
  const [node, ...others] = able.length > 0 ? able : connected.length > 0 ? connected : candidates;
  if (node === undefined || (others.length > 0 && connected.length === 0))
    return { fault: fault('NODE_OFFLINE', 'no node is connected; nothing was sent', START_NODE, candidates) };
  if (others.length > 0 && able.length === 0)
    return {
      fault: fault('NODE_CANNOT', 'no connected node runs commands', 'set node.exec to judged on the node', connected),
    };
  return others.length === 0
    ? { node, from: 'only' }
    : { fault: ambiguous('several nodes are connected, and none is named', able) };
}

function namedNode<N extends NodeCandidate>(
  name: string,
  from: NodeLayer,
  paired: readonly N[],
  nodes: readonly N[],
  isAllowed: (node: N) => boolean,
): NodeChoice<N> {
  const matches = matching(name, paired);
  if (matches.length === 0) return { fault: unknown(name, paired, nodes) };
  const usable = matches.filter(isAllowed);
  if (usable.length === 0)
    return { fault: notAllowed(`node ${JSON.stringify(name)} is not in tools.exec.nodes`, paired.filter(isAllowed)) };
  // A node that is off never makes a connected one ambiguous.
  const live = usable.filter(({ connected }) => connected);
  const [node, ...others] = live.length > 0 ? live : usable;
  if (node === undefined || others.length > 0)
    return { fault: ambiguous(`${JSON.stringify(name)} means several nodes`, live.length > 0 ? live : usable) };
  return { node, from };
}

/** The nodes with this id; else those with this name; else those whose id begins with it. */
function matching<N extends NodeCandidate>(name: string, nodes: readonly N[]): readonly N[] {
  const wanted = folded(name);
  for (const test of [isId, isName, isPrefix]) {
    const found = nodes.filter((node) => test(wanted, node));
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether an id, a name or a prefix of an id means this node. */
export function meansNode(name: string, node: NodeCandidate): boolean {
  return matching(name, [node]).length > 0;
}

function isId(wanted: string, { id }: NodeCandidate): boolean {
  return folded(id) === wanted;
}

function isName(wanted: string, { name }: NodeCandidate): boolean {
  return folded(name) === wanted;
}

function isPrefix(wanted: string, { id }: NodeCandidate): boolean {
  return wanted.length >= SHORTEST_PREFIX && folded(id).startsWith(wanted);
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

const START_NODE = 'start it there with pincer node run';

function whyUnusable(node: NodeCandidate): Fault | undefined {
  const { name, connected, lastSeenAt, offer } = node;
  if (!connected) {
    const seen = lastSeenAt === undefined ? '' : `, last seen ${new Date(lastSeenAt).toISOString()}`;
    return fault('NODE_OFFLINE', `node ${name} is not connected${seen}; nothing was sent`, START_NODE, [node]);
  }
  if (offer.exec !== 'off') return undefined;
  return fault('NODE_CANNOT', `node ${name} runs no commands`, 'set node.exec to judged in its configuration', [node]);
}

function unknown(name: string, paired: readonly NodeCandidate[], nodes: readonly NodeCandidate[]): Fault {
  const quoted = JSON.stringify(name);
  const [other] = matching(
    name,
    nodes.filter(({ state }) => state !== 'paired'),
  );
  if (other?.state === 'revoked')
    return fault(
      'NODE_REVOKED',
      `node ${quoted} was removed from this gateway`,
      'to pair it again: pincer nodes invite',
      [other],
    );
  if (other !== undefined)
    return fault(
      'NODE_UNKNOWN',
      `node ${quoted} is not paired yet`,
      `compare its digits, then pincer nodes approve ${other.id}`,
      [other],
    );
  if (paired.length === 0) return nonePaired(name);
  return fault('NODE_UNKNOWN', `there is no node ${quoted}`, `nodes: ${listed(paired)}`, paired);
}

function nonePaired(name: string | undefined): Fault {
  const named = name === undefined ? '' : ` ${JSON.stringify(name)}`;
  return fault(
    'NODE_NONE_PAIRED',
    `there is no paired node${named} to run on`,
    'pair one with pincer nodes invite, or run on this machine with host=gateway',
    [],
  );
}

function ambiguous(message: string, candidates: readonly NodeCandidate[]): Fault {
  return fault('NODE_AMBIGUOUS', message, `set node or tools.exec.node to one of ${listed(candidates)}`, candidates);
}

function notAllowed(message: string, candidates: readonly NodeCandidate[]): Fault {
  const hint = candidates.length === 0 ? 'only the operator can change the list' : `allowed are ${listed(candidates)}`;
  return fault('NODE_NOT_ALLOWED', message, hint, candidates);
}

function fault(code: FaultCode, message: string, hint: string, candidates: readonly NodeCandidate[]): Fault {
  return new Fault(code, message, {
    hint,
    details: {
      candidates: candidates.slice(0, MOST_LISTED).map(({ id, name, connected }) => ({ id, name, connected })),
    },
  });
}

function listed(nodes: readonly NodeCandidate[]): string {
  const shown = nodes.slice(0, MOST_LISTED).map(({ id, name, connected }) => {
    const state = connected ? '' : ', not connected';
    return `${name} (${id.slice(0, 8)}${state})`;
  });
  const more = nodes.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
