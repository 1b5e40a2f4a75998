/** Machines that connect to a gateway over real TLS on loopback. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selfSignedCertificate } from '../../../src/hosts/identity/certificate.ts';
import { parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { makeFolder } from '../../support/folder.ts';
import { testGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { greet } from './greet.ts';
import { OFFER } from './sample.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0, tls: 'own' } as const;

async function listening(): Promise<TestGateway & { readonly url: string }> {
  const test = await testGateway();
  return { ...test, url: await test.gateway.listenForNodes(LOOPBACK) };
}

const list = ({ gateway }: TestGateway): Promise<readonly NodeInfo[]> => gateway.call('node.list', {});

async function untilConnected(test: TestGateway, id: string, connected = true): Promise<void> {
  await until(
    async () => (await list(test)).some((node) => node.id === id && node.connected === connected),
    'the link',
  );
}

describe('a gateway that listens for nodes', () => {
  it('pairs a machine by an invitation, once', async () => {
    const test = await listening();
    const issued = await test.gateway.call('node.invite', { by: 'ann' });
    const invitation = parseInvitation(issued.invitation);
    expect(invitation.url).toBe(test.url);
    const node = await greet(invitation.url, { invitation });
    expect([node.answer, node.id, node.isBound]).toEqual(['welcome', invitation.gateway, true]);
    const link = await node.link();
    await untilConnected(test, node.identity.id);
    expect(await list(test)).toMatchObject([{ id: node.identity.id, name: 'mac', state: 'paired', offer: OFFER }]);
    await expect(greet(invitation.url, { invitation })).rejects.toMatchObject({ code: 'NODE_INVITATION' });
    await expect(link.channel.call('node.list', {})).rejects.toMatchObject({ code: 'NODE_METHOD_REFUSED' });
    link.close('bye');
    await untilConnected(test, node.identity.id, false);
  });

  it.each([
    ['without TLS', 'ws://h'],
    ['with a password', 'wss://:secret@h'],
    ['with a blank', 'wss://h/a b'],
    ['that is too long', `wss://h/${'a'.repeat(1_100)}`],
  ])('issues no invitation with an address %s', async (_, url) => {
    const test = await listening();
    await expect(test.gateway.call('node.invite', { by: 'ann', url })).rejects.toMatchObject({ code: 'PARAM_INVALID' });
  });

  it('pairs a machine by eight digits, and welcomes it over the waiting connection', async () => {
    const test = await listening();
    const node = await greet(test.url);
    expect(node.answer).toBe('pending');
    const [pending] = await test.gateway.call('node.pending', {});
    expect(pending).toMatchObject({ id: node.identity.id, code: node.code, state: 'pending' });
    await test.gateway.call('node.approve', { node: node.code, by: 'ann' });
    await node.link();
    await untilConnected(test, node.identity.id);
    const again = await greet(test.url, { identity: node.identity });
    expect(again.answer).toBe('welcome');
  });

  it('refuses a rejected machine, and forgets one that went away', async () => {
    const test = await listening();
    const node = await greet(test.url);
    await test.gateway.call('node.reject', { node: node.identity.id, by: 'ann' });
    await expect(node.welcome).rejects.toMatchObject({ code: 'NODE_REJECTED' });
    const other = await greet(test.url);
    other.carrier.close('bye');
    await until(async () => (await test.gateway.call('node.pending', {})).length === 0, 'the end of the request');
  });

  it('closes the link of a removed node, and refuses it afterwards', async () => {
    const test = await listening();
    const invitation = parseInvitation((await test.gateway.call('node.invite', { by: 'ann' })).invitation);
    const node = await greet(test.url, { invitation });
    const link = await node.link();
    await untilConnected(test, node.identity.id);
    await test.gateway.call('node.remove', { node: 'mac', by: 'ann' });
    expect(await link.down).toBe('revoked');
    await expect(greet(test.url, { identity: node.identity })).rejects.toMatchObject({ code: 'NODE_REVOKED' });
  });

  it('replaces the older link of the same node', async () => {
    const test = await listening();
    const invitation = parseInvitation((await test.gateway.call('node.invite', { by: 'ann' })).invitation);
    const first = await greet(test.url, { invitation });
    const older = await first.link();
    await untilConnected(test, first.identity.id);
    const second = await greet(test.url, { identity: first.identity });
    const newer = await second.link();
    expect(await older.down).toBe('replaced');
    await untilConnected(test, first.identity.id);
    newer.close('bye');
  });

  it('keeps its nodes and its identity over a restart, and ends its links when it stops', async () => {
    const test = await listening();
    const invitation = parseInvitation((await test.gateway.call('node.invite', { by: 'ann' })).invitation);
    const node = await greet(test.url, { invitation });
    const link = await node.link();
    await untilConnected(test, node.identity.id);
    const restarted = await test.again();
    expect(await link.down).toBe('the gateway is stopping');
    expect(await list(restarted)).toMatchObject([{ id: node.identity.id, connected: false, state: 'paired' }]);
    const url = await restarted.gateway.listenForNodes(LOOPBACK);
    const again = await greet(url, { identity: node.identity });
    expect([again.answer, again.id]).toEqual(['welcome', node.id]);
  });

  it('uses the certificate of the operator, and reports one that it cannot use', async () => {
    const { cert, key } = selfSignedCertificate();
    const folder = makeFolder({ 'cert.pem': cert, 'key.pem': key, 'other.pem': selfSignedCertificate().key });
    const test = await testGateway();
    const file = (name: string) => join(folder, name);
    const listen = (name: string) =>
      test.gateway.listenForNodes({ ...LOOPBACK, tls: { cert: file('cert.pem'), key: file(name) } });
    await expect(listen('missing.pem')).rejects.toMatchObject({ code: 'NODE_TLS' });
    await expect(listen('other.pem')).rejects.toMatchObject({ code: 'NODE_TLS' });
    expect((await greet(await listen('key.pem'))).isBound).toBe(true);
  });

  it('reports an address that another program uses', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const test = await testGateway();
    await expect(test.gateway.listenForNodes({ ...LOOPBACK, port })).rejects.toMatchObject({ code: 'NODE_LISTEN' });
    await expect(test.gateway.call('node.invite', { by: 'ann' })).rejects.toMatchObject({
      code: 'NODE_NOT_LISTENING',
      hint: 'run pincer gateway; it listens on nodes.listen, or uses gateway.cluster.nats',
    });
  });
});
