/** Nodes as text. */
import { offerText } from '../../../policy/node-choice.ts';
import type { DaemonStatus } from '../../../wire/methods.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import type { NodeDetails, NodeRequestInfo } from '../../../wire/nodes/administration.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { durationText } from '../ps/run.ts';
import { tableText } from '../table.ts';

/** `status` is undefined where no node can connect. */
export function nodeTable(
  nodes: readonly NodeInfo[],
  status: DaemonStatus['nodes'],
  now: number,
  colour: boolean,
): string {
  if (nodes.length === 0) return 'no nodes are paired; pincer nodes invite pairs one\n';
  const rows = nodes.map((node) => [
    node.name,
    node.id,
    stateText(node),
    seenText(node, now),
    node.platform,
    visibleLine(node.version),
    offerText(node.offer),
  ]);
  const table = tableText(['NAME', 'ID', 'STATE', 'SEEN', 'PLATFORM', 'VERSION', 'OFFERS'], rows, colour);
  if (status === undefined) return `${table}\npincer gateway is not running, so no node can connect\n`;
  const { nats } = status;
  return nats?.connected === false
    ? `${table}\nthis gateway is not connected to NATS: ${visibleLine(nats.reason ?? '')}\n`
    : table;
}

export function pendingTable(nodes: readonly NodeInfo[], now: number, colour: boolean): string {
  if (nodes.length === 0) return 'no machine waits for approval\n';
  const rows = nodes.map((node) => [
    codeText(node),
    node.name,
    node.id,
    node.platform,
    visibleLine(node.remote ?? '-'),
    durationText((node.expiresAt ?? now) - now),
  ]);
  const table = tableText(['DIGITS', 'NAME', 'ID', 'PLATFORM', 'ADDRESS', 'LEFT'], rows, colour);
  const digits = nodes.length === 1 ? nodes[0]?.code : '<digits>';
  return `${table}\nCompare the digits with those on that machine. Only if they are equal: pincer nodes approve ${digits}\n`;
}

export function detailsText(node: NodeDetails, now: number, colour: boolean): string {
  const { name, id, platform, version, offer, remote, pairedAt, pairedBy, bound, clonedAt } = node;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['name', name],
    ['id', id],
    ['state', stateText(node)],
    ['digits', node.code === undefined ? undefined : codeText(node)],
    ['seen', seenText(node, now)],
    ['address', remote],
    ['platform', `${platform}, pincer ${version}`],
    ['offers', offerText(offer)],
    ['workspace', offer.workspace],
    ['paired', pairedAt === undefined ? undefined : `${new Date(pairedAt).toISOString()} by ${pairedBy ?? 'unknown'}`],
    ['TLS', bound === undefined ? undefined : bound ? 'ends at the gateway' : NOT_BOUND],
    [
      'refused',
      clonedAt === undefined ? undefined : `since ${new Date(clonedAt).toISOString()}: two processes use its key`,
    ],
  ];
  const about = rows
    .map(([title, text]) => (text === undefined ? '' : `${title.padEnd(11)}${visibleLine(text)}\n`))
    .join('');
  const { requests = [] } = node;
  return requests.length === 0 ? about : `${about}\n${requestTable(requests, now, colour)}`;
}

const NOT_BOUND = 'not required to end at the gateway: a proxy or a NATS server may terminate it';

/** The requests whose end is not reported yet. */
function requestTable(requests: readonly NodeRequestInfo[], now: number, colour: boolean): string {
  const rows = requests.map(({ key, command, agent, state, session, sentAt, killWanted }) => [
    key,
    `${REQUEST_STATES[state]}${killWanted ? ', to be killed' : ''}`,
    state === 'running' ? session : '-',
    visibleLine(agent),
    `${durationText(now - sentAt)} ago`,
    visibleLine(command),
  ]);
  return tableText(['REQUEST', 'STATE', 'SESSION', 'AGENT', 'SENT', 'COMMAND'], rows, colour);
}

const REQUEST_STATES = { sent: 'not confirmed', asked: 'waits for approval', running: 'running' } as const;

function stateText({ state, connected, clonedAt }: NodeInfo): string {
  if (state !== 'paired') return state;
  if (clonedAt !== undefined) return 'refused';
  return connected ? 'connected' : 'offline';
}

function seenText({ connected, lastSeenAt }: NodeInfo, now: number): string {
  if (connected) return 'now';
  return lastSeenAt === undefined ? '-' : `${durationText(now - lastSeenAt)} ago`;
}

/** `1234 5678`, as the node shows it. */
function codeText({ code = '' }: NodeInfo): string {
  return `${code.slice(0, 4)} ${code.slice(4)}`;
}
