/** Connections that send nothing, as a port scanner or an attacker opens them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import { runs, timeoutFor } from '../../support/budget.ts';
import { testGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { greet } from './greet.ts';

it('a node connects while many connections are silent', { timeout: timeoutFor(60_000) }, async () => {
  const { gateway } = await testGateway();
  const url = await gateway.listenForNodes({ host: '127.0.0.1', port: 0, tls: 'own' });
  const silent: Socket[] = [];
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
  });
  for (let i = 0; i < runs(300, 1000); i++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    silent.push(socket);
    await once(socket, 'connect');
  }
  const invitation = parseInvitation((await gateway.call('node.invite', { by: 'ann' })).invitation);
  await until(async () => {
    try {
      return (await greet(url, { invitation })).answer === 'welcome';
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^NODE_(?:UNREACHABLE|HANDSHAKE)$/u) as string });
      return false;
    }
  }, 'a slot for the node');
  await until(() => silent.every(({ destroyed }) => destroyed), 'the end of the silent connections');
});

it('a node of another address connects at once while one address holds all slots', async () => {
  const { gateway } = await testGateway();
  const url = await gateway.listenForNodes({ host: '127.0.0.1', port: 0, tls: 'own' });
  const silent: Socket[] = [];
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
  });
  for (let i = 0; i < 1_000; i++) {
    const from = { port: Number(new URL(url).port), host: '127.0.0.1', localAddress: '127.0.0.2' };
    const socket = connect(from).on('error', () => {});
    silent.push(socket);
    await once(socket, 'connect');
  }
  const invitation = parseInvitation((await gateway.call('node.invite', { by: 'ann' })).invitation);
  expect((await greet(url, { invitation })).answer).toBe('welcome');
});
