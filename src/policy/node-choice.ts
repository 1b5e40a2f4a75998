/** Selects the node of a request: the call decides before the conversation, the agent and the global setting. */
import type { NoLinks } from '../wire/chosen-node.ts';
import { Fault, type FaultCode } from '../base/fault.ts';
import type { NodeOrigin } from '../wire/chosen-node.ts';
import type { NodeInfo } from '../wire/nodes/node.ts';
import { matchingNodes } from './node-match.ts';

export const NODE_LAYERS = ['call', 'conversation', 'agent', 'global'] as const;
export type NodeLayer = (typeof NODE_LAYERS)[number];

/** The id, name or prefix that each layer sets. */
export type NodeLayers = { readonly [L in NodeLayer]?: string | undefined };

/** What the choice depends on. */
export type NodeCandidate = Pick<NodeInfo, 'id' | 'name' | 'state' | 'connected' | 'lastSeenAt'> & {
  readonly offer: Pick<NodeInfo['offer'], 'exec' | 'files' | 'unconfirmed'>;
};

/** What a node is chosen for. */
export interface NodeUse {
  /** The settings that choose and limit the node. */
  readonly setting: 'tools.exec' | 'tools.fs';
  can(offer: NodeCandidate['offer']): boolean;
  /** What a node without it does not do, and what its operator can change. */
  readonly cannot: string;
  readonly remedy: string;
  /** What to do without a node. */
  readonly here: string;
}

export const COMMANDS: NodeUse = {
  setting: 'tools.exec',
  can: ({ exec }) => exec !== 'off',
  cannot: 'runs no commands',
  remedy: 'set node.exec to judged in its configuration',
  here: 'run on this machine with host=gateway',
};

export const FILES: NodeUse = {
  setting: 'tools.fs',
  can: ({ files }) => files !== 'none',
  cannot: 'offers no files',
  remedy: 'set node.files to ro or rw in its configuration, or name a workspace with pincer node run --workspace',
  here: 'remove tools.fs.node to use the files of this machine',
};

const CONFIRM = 'run pincer node confirm there, with the digits that pincer nodes approve printed';

export type NodeChoice<N extends NodeCandidate = NodeInfo> =
  | { readonly node: N; readonly from: NodeOrigin }
  | { readonly fault: Fault };

const MOST_LISTED = 20;

/**
 * `allowed` limits the choice, whichever layer chose. An entry means what it means among all nodes of the registry; where that is
 * ambiguous, it allows none. A caller learns nothing about the other nodes, or about machines that wait for pairing.
 * `noLinks` says why no node can connect.
 */
export function chooseNode<N extends NodeCandidate>(
  layers: NodeLayers,
  nodes: readonly N[],
  allowed?: readonly string[],
  use: NodeUse = COMMANDS,
  noLinks?: NoLinks,
): NodeChoice<N> {
  const registered = nodes.filter(({ state }) => state !== 'pending');
  const ids = allowed === undefined ? undefined : new Set(allowed.flatMap((entry) => idOf(entry, registered)));
  const usable = ids === undefined ? registered : registered.filter(({ id }) => ids.has(id));
  const from = NODE_LAYERS.find((layer) => layers[layer] !== undefined);
  if (registered.every(({ state }) => state !== 'paired')) {
    const name = from === undefined ? undefined : layers[from];
    const [removed] = name === undefined ? [] : matchingNodes(name, usable);
    return { fault: name === undefined || removed === undefined ? nonePaired(name, use) : revoked(name, removed) };
  }
  const choice =
    from === undefined
      ? onlyNode(usable, use, noLinks)
      : namedNode({ name: layers[from] ?? '', from, use }, { usable, registered });
  if ('fault' in choice) return choice;
  const fault = whyUnusable(choice.node, use, noLinks);
  return fault === undefined ? choice : { fault };
}

function idOf(entry: string, registered: readonly NodeCandidate[]): readonly string[] {
  const [node, ...others] = matchingNodes(entry, registered);
  return node === undefined || others.length > 0 ? [] : [node.id];
}

/** Without a name: the one node that is connected and can be used. */
function onlyNode<N extends NodeCandidate>(
  usable: readonly N[],
  use: NodeUse,
  noLinks: NoLinks | undefined,
): NodeChoice<N> {
  const candidates = usable.filter(({ state }) => state === 'paired');
  if (candidates.length === 0) return { fault: notAllowed(`no paired node is in ${use.setting}.nodes`, []) };
  const connected = candidates.filter((node) => node.connected);
  const able = connected.filter(({ offer }) => use.can(offer));
  const [node, ...others] = able.length > 0 ? able : connected.length > 0 ? connected : candidates;
  if (node === undefined || (others.length > 0 && connected.length === 0))
    return { fault: offline('no node is connected', noLinks, candidates) };
  if (others.length > 0 && able.length === 0)
    return { fault: fault('NODE_CANNOT', `every connected node ${use.cannot}`, use.remedy, connected) };
  return others.length === 0
    ? { node, from: 'only' }
    : { fault: ambiguous('several nodes are connected, and none is named', able, use) };
}

interface Wanted {
  readonly name: string;
  readonly from: NodeLayer;
  readonly use: NodeUse;
}

function namedNode<N extends NodeCandidate>(
  { name, from, use }: Wanted,
  { usable, registered }: { readonly usable: readonly N[]; readonly registered: readonly N[] },
): NodeChoice<N> {
  const [node, ...others] = matchingNodes(name, usable);
  if (node === undefined) {
    const paired = usable.filter(({ state }) => state === 'paired');
    const isOther = matchingNodes(name, registered).some(({ state }) => state === 'paired');
    return {
      fault: isOther
        ? notAllowed(`node ${quoted(name)} is not in ${use.setting}.nodes`, paired)
        : unknown(name, paired),
    };
  }
  if (others.length > 0) return { fault: ambiguous(`${quoted(name)} means several nodes`, [node, ...others], use) };
  return node.state === 'revoked' ? { fault: revoked(name, node) } : { node, from };
}

const NO_LINKS: Readonly<Record<NoLinks, readonly [why: string, hint: string]>> = {
  'no-gateway': [
    ', because pincer gateway is not running',
    'start pincer gateway on this machine; running nodes then connect',
  ],
  'no-nats': [', because this gateway is not connected to NATS', 'check the NATS servers; pincer doctor says why'],
};

function offline(what: string, noLinks: NoLinks | undefined, nodes: readonly NodeCandidate[]): Fault {
  const [why, hint] = noLinks === undefined ? ['', 'start it there with pincer node run'] : NO_LINKS[noLinks];
  return fault('NODE_OFFLINE', `${what}${why}; nothing was sent`, hint, nodes);
}

function whyUnusable(node: NodeCandidate, use: NodeUse, noLinks: NoLinks | undefined): Fault | undefined {
  const { name, connected, lastSeenAt, offer } = node;
  if (!connected) {
    const seen = lastSeenAt === undefined ? '' : `, last seen ${new Date(lastSeenAt).toISOString()}`;
    return offline(`node ${name} is not connected${seen}`, noLinks, [node]);
  }
  if (use.can(offer)) return undefined;
  const remedy = offer.unconfirmed === true ? CONFIRM : use.remedy;
  return fault('NODE_CANNOT', `node ${name} ${use.cannot}; it offers ${offerText(offer)}`, remedy, [node]);
}

/** What a node offers, in a few words. */
export function offerText({
  exec,
  files,
  pty,
  unconfirmed,
  sandbox,
  sandboxUnavailable,
}: NodeCandidate['offer'] & Partial<NodeInfo['offer']>): string {
  const offered = [
    sandboxUnavailable === true
      ? 'exec off, because no sandbox works there'
      : exec === 'off'
        ? 'exec off'
        : `exec${sandbox === true ? ' in a sandbox' : ''}${pty === false ? ' without terminals' : ''}`,
    ...(files === 'none' ? [] : [`files ${files}`]),
    ...(unconfirmed === true ? ['not confirmed on the node'] : []),
  ];
  return offered.join(', ');
}

function unknown(name: string, usable: readonly NodeCandidate[]): Fault {
  const hint = usable.length === 0 ? 'pincer nodes list shows the paired ones' : `nodes: ${listed(usable)}`;
  return fault('NODE_UNKNOWN', `there is no paired node ${quoted(name)}`, hint, usable);
}

function revoked(name: string, node: NodeCandidate): Fault {
  const message = `node ${quoted(name)} was removed from this gateway`;
  return fault('NODE_REVOKED', message, 'to pair it again: pincer nodes invite', [node]);
}

function nonePaired(name: string | undefined, use: NodeUse): Fault {
  const named = name === undefined ? '' : ` ${quoted(name)}`;
  return fault(
    'NODE_NONE_PAIRED',
    `there is no paired node${named} to run on`,
    `pair one with pincer nodes invite or approve, or ${use.here}`,
    [],
  );
}

function ambiguous(message: string, candidates: readonly NodeCandidate[], use: NodeUse): Fault {
  const hint = `set node or ${use.setting}.node to one of ${listed(candidates)}`;
  return fault('NODE_AMBIGUOUS', message, hint, candidates);
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

function quoted(name: string): string {
  return JSON.stringify(name);
}
