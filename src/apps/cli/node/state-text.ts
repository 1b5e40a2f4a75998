import type { ConnectionState } from '../../node/connection.ts';
import { visibleLine } from '../../terminal/visible.ts';

export function stateText(state: ConnectionState): string {
  if (state.state === 'connecting') return 'connecting';
  if (state.state === 'pending')
    return `waiting for approval at the gateway: compare the code ${state.code.slice(0, 4)} ${state.code.slice(4)} with pincer nodes pending`;
  if (state.state === 'connected') return `connected to the gateway ${state.gateway}`;
  const seconds = Math.ceil(state.retryInMs / 1000);
  return `not connected: ${visibleLine(state.reason)}; next attempt in ${seconds} s`;
}
