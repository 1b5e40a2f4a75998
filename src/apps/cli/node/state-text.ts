import type { NodeState } from '../../node/gateway-connections.ts';
import type { AboutNode } from '../../node/state-file.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { quoteCommand } from '../exec/quote-command.ts';

export function stateText(state: NodeState): string {
  if (state.state === 'connecting') return 'connecting';
  if (state.state === 'pending') return `waiting for approval at the gateway, digits ${digits(state.code)}`;
  if (state.state === 'connected') return connectedText(state.gateways);
  if (state.state === 'refused') return `not connected: ${visibleLine(state.reason)}`;
  const seconds = Math.ceil(state.retryInMs / 1000);
  return `not connected: ${visibleLine(state.reason)}; next attempt in ${seconds} s`;
}

/** The address of a gateway, and where TLS ends. */
export function addressText({ url, proxy }: Pick<AboutNode, 'url' | 'proxy'>): string {
  return `${visibleLine(url)}${proxy === true ? ', through a proxy that terminates TLS' : ''}`;
}

function connectedText(gateways: readonly string[]): string {
  return `connected to the ${gateways.length === 1 ? 'gateway' : 'gateways'} ${gateways.join(', ')}`;
}

type Terms = Pick<
  AboutNode,
  'workspace' | 'workspaceFrom' | 'exec' | 'sandbox' | 'sandboxProblem' | 'files' | 'confirmed'
>;

/** What the gateway may do here, and for how long the workspace counts: title and text of each line. */
export function termsRows(terms: Terms): readonly (readonly [string, string])[] {
  const { workspace, workspaceFrom } = terms;
  const rows: readonly (readonly [string, string])[] = [
    ['commands', commandsText(terms)],
    ['files', filesText(terms)],
  ];
  if (workspaceFrom !== 'command-line') return rows;
  return [
    ...rows,
    [
      'workspace',
      `--workspace counts for this run; to keep it: pincer config set node.workspace ${quoteCommand([workspace])}`,
    ],
  ];
}

function commandsText({ exec, sandbox, sandboxProblem, workspace, confirmed }: Terms): string {
  if (exec === 'off') return sandbox && !confirmed ? 'none, until pincer node confirm' : 'off (node.exec)';
  if (!sandbox) return `in ${workspace}, judged by the rules of this machine`;
  if (sandboxProblem !== undefined) return `none: node.sandbox is true, and no sandbox works: ${sandboxProblem}`;
  return `in a sandbox with the workspace ${workspace}; deny rules of this machine apply`;
}

function filesText({ files, workspace, workspaceFrom, confirmed }: Terms): string {
  if (files !== 'none') return `${files}, in ${workspace}`;
  if (!confirmed) return 'none, until pincer node confirm';
  return workspaceFrom === 'default'
    ? 'none: no workspace is named; to offer a folder: pincer config set node.workspace <dir>'
    : 'none (node.files)';
}

/** A line with an aligned title. */
export function rowText([title, text]: readonly [string, string]): string {
  return `${title.padEnd(12)}${visibleLine(text)}\n`;
}

/** What the person at the node has to do while it waits. */
export function comparisonText(code: string): string {
  return [
    `digits ${digits(code)}: compare them with pincer nodes pending on the gateway`,
    `  equal      run there: pincer nodes approve ${code}`,
    '             then here: pincer node confirm, with the digits that it prints',
    '  different  press Ctrl-C: another machine intercepts the connection, or this is another gateway',
    '',
  ].join('\n');
}

/** What the person at the node has to do after the gateway has approved it. */
export const CONFIRM_TEXT = [
  'not confirmed on this machine: each command of the gateway needs an answer here, and it offers no files',
  '  run here: pincer node confirm <digits>, with the digits that pincer nodes approve printed on the gateway',
  '',
].join('\n');

function digits(code: string): string {
  return `${code.slice(0, 4)} ${code.slice(4)}`;
}
