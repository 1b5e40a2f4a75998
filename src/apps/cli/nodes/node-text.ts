/** Nodes as text. */
import type { NodeInfo } from '../../../wire/node.ts';
import type { NodeDetails } from '../../../wire/node-pairing.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { durationText } from '../ps/run.ts';
import { tableText } from '../table.ts';

export function nodeTable(nodes: readonly NodeInfo[], now: number, colour: boolean): string {
  if (nodes.length === 0) return 'no nodes are paired; pincer nodes invite pairs one\n';
  const rows = nodes.map((node) => [
    node.name,
    node.id,
    stateText(node),
    seenText(node, now),
    node.platform,
    visibleLine(node.version),
    offerText(node),
  ]);
  return tableText(['NAME', 'ID', 'STATE', 'SEEN', 'PLATFORM', 'VERSION', 'OFFERS'], rows, colour);
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
  const table = tableText(['CODE', 'NAME', 'ID', 'PLATFORM', 'ADDRESS', 'LEFT'], rows, colour);
  return `${table}\nCompare the code with the one on that machine, then: pincer nodes approve <id>\n`;
}

export function detailsText(node: NodeDetails, now: number): string {
  const { name, id, platform, version, offer, remote, pairedAt, pairedBy, bound, clonedAt } = node;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['name', name],
    ['id', id],
    ['state', stateText(node)],
    ['code', node.code === undefined ? undefined : codeText(node)],
    ['seen', seenText(node, now)],
    ['address', remote],
    ['platform', `${platform}, pincer ${version}`],
    ['offers', offerText(node)],
    ['workspace', offer.workspace],
    ['paired', pairedAt === undefined ? undefined : `${new Date(pairedAt).toISOString()} by ${pairedBy ?? 'unknown'}`],
    ['TLS', bound === undefined ? undefined : bound ? 'ends at the gateway' : 'not required'],
    [
      'refused',
      clonedAt === undefined ? undefined : `since ${new Date(clonedAt).toISOString()}: two processes use its key`,
    ],
  ];
  return rows.map(([title, text]) => (text === undefined ? '' : `${title.padEnd(11)}${visibleLine(text)}\n`)).join('');
}

function stateText({ state, connected }: NodeInfo): string {
  if (state !== 'paired') return state;
  return connected ? 'connected' : 'offline';
}

function seenText({ connected, lastSeenAt }: NodeInfo, now: number): string {
  if (connected) return 'now';
  return lastSeenAt === undefined ? '-' : `${durationText(now - lastSeenAt)} ago`;
}

function offerText({ offer: { exec, files, pty } }: NodeInfo): string {
  const offered = [
    ...(exec === 'off' ? [] : [`exec${pty ? ' with terminals' : ''}`]),
    ...(files === 'none' ? [] : [`files ${files}`]),
  ];
  return offered.join(', ') || 'nothing';
}

/** `1234 5678`, as the node shows it. */
function codeText({ code = '' }: NodeInfo): string {
  return `${code.slice(0, 4)} ${code.slice(4)}`;
}
