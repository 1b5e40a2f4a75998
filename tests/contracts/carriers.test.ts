import { expect, it, onTestFinished } from 'vitest';
import type { Carrier } from '../../src/hosts/channel/carriers/carrier.ts';
import { dialWebSocket, listenWebSocket } from '../../src/hosts/channel/carriers/websocket.ts';
import { selfSignedCertificate } from '../../src/hosts/identity/certificate.ts';
import { memoryCarriers } from '../support/memory-carrier.ts';
import { describeCarrier } from './carrier-laws.ts';

const tls = selfSignedCertificate();

async function webSockets(scheme: 'ws' | 'wss'): Promise<readonly [Carrier, Carrier]> {
  let accept: (carrier: Carrier) => void = () => {};
  const accepted = new Promise<Carrier>((resolve) => (accept = resolve));
  const listener = await listenWebSocket({
    host: '127.0.0.1',
    port: 0,
    ...(scheme === 'wss' ? { tls } : {}),
    connection: async (carrier) => accept(carrier),
    log: () => undefined,
  });
  const dialed = await dialWebSocket(`${scheme}://127.0.0.1:${listener.port}`, { rejectUnauthorized: false });
  const ends = [dialed, await accepted] as const;
  onTestFinished(async () => {
    for (const end of ends) end.close('the test has finished');
    await listener.close();
  });
  return ends;
}

describeCarrier('in memory', async () => memoryCarriers());
describeCarrier('WebSocket with TLS, from the node', () => webSockets('wss'));
describeCarrier('WebSocket with TLS, from the gateway', async () => {
  const [node, gateway] = await webSockets('wss');
  return [gateway, node];
});
describeCarrier('WebSocket without TLS', () => webSockets('ws'));

it('has the same TLS exporter at both ends, another one for each connection, and none without TLS', async () => {
  const [a, b] = await webSockets('wss');
  const [other] = await webSockets('wss');
  const [plain, plainToo] = await webSockets('ws');
  expect(a.binding).toHaveLength(32);
  expect(a.binding).toEqual(b.binding);
  expect(other.binding).not.toEqual(a.binding);
  expect([plain.binding, plainToo.binding]).toEqual([undefined, undefined]);
});
