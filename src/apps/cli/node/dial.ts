/** Connects to a gateway, directly or through NATS. The packages are loaded when a connection is made. */
import { isNatsUrl } from '../../../hosts/identity/invitation.ts';
import type { Discover } from '../../node/gateway-connections.ts';
import type { GreetingOptions } from '../../node/greeting.ts';

export const dial: GreetingOptions['dial'] = async (url, signal, target) => {
  if (isNatsUrl(url)) return (await import('../../node/nats.ts')).dialOverNats(url, target, signal);
  const { dialWebSocket } = await import('../../../hosts/channel/carriers/websocket.ts');
  // Without a proxy, both ends prove their keys for this TLS connection, and no certificate has to be trusted.
  return dialWebSocket(url, { signal, rejectUnauthorized: target.proxy === true });
};

export const discover: Discover = async (...asked) => (await import('../../node/nats.ts')).discoverOverNats(...asked);
