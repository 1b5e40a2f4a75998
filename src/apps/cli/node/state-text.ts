import type { NodeState } from '../../node/gateway-connections.ts';
import { visibleLine } from '../../terminal/visible.ts';

export function stateText(state: NodeState): string {
  if (state.state === 'connecting') return 'connecting';
  if (state.state === 'pending') return `waiting for approval at the gateway, digits ${digits(state.code)}`;
  if (state.state === 'connected') return connectedText(state.gateways);
  if (state.state === 'refused') return `not connected: ${visibleLine(state.reason)}`;
  const seconds = Math.ceil(state.retryInMs / 1000);
  return `not connected: ${visibleLine(state.reason)}; next attempt in ${seconds} s`;
}

function connectedText(gateways: readonly string[]): string {
  return `connected to the ${gateways.length === 1 ? 'gateway' : 'gateways'} ${gateways.join(', ')}`;
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
