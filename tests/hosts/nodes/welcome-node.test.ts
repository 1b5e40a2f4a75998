/** The handshake of a node with its decision, over carriers in memory. */
import { describe, expect, it } from 'vitest';
import { openLink } from '../../../src/hosts/channel/link.ts';
import { greetGateway } from '../../../src/hosts/identity/handshake.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { limitedLog } from '../../../src/hosts/nodes/limited-log.ts';
import { welcomeNode } from '../../../src/hosts/nodes/listener.ts';
import type { NodeAdmission } from '../../../src/hosts/nodes/shape.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';
import { until } from '../../support/patience.ts';
import { OFFER, sampleNodes } from './sample.ts';

const HELLO = { version: '1', name: 'mac', platform: 'linux', offer: OFFER, instance: 'instance-1' } as const;

/** A machine that connects, up to the answer of the gateway. */
function connect(admission: NodeAdmission, own = newIdentity()) {
  const [node, gateway] = memoryCarriers();
  const welcomed = welcomeNode(gateway, { admission, identity: newIdentity(), version: '1' });
  return { node, own, welcomed, greeted: greetGateway(node, own, HELLO) };
}

describe('a node that waits', () => {
  it('is welcomed where the operator answers before the node knows that it waits', async () => {
    const { nodes } = await sampleNodes();
    const own = newIdentity();
    const admission: NodeAdmission = {
      ...nodes,
      decide(peer, connection) {
        const decision = nodes.decide(peer, connection);
        nodes.approve(peer.id, 'ann');
        return decision;
      },
    };
    const { node, welcomed, greeted } = connect(admission, own);
    await welcomed;
    const { answer, welcome } = await greeted;
    expect(answer).toBe('pending');
    openLink(node, { epoch: (await welcome).epoch, side: 'opener' });
    await until(() => nodes.link(own.id) !== undefined, 'the link');
  });

  it('is disconnected when it sends something meanwhile', async () => {
    const { nodes } = await sampleNodes();
    const { node, welcomed, greeted } = connect(nodes);
    await welcomed;
    const { welcome } = await greeted;
    node.send(Buffer.from('early'));
    await expect(welcome).rejects.toThrow('protocol violation');
    await until(() => nodes.pending().length === 0, 'the end of the request');
  });

  it('is disconnected when the gateway stops', async () => {
    const { nodes } = await sampleNodes();
    const { welcomed, greeted } = connect(nodes);
    await welcomed;
    const { welcome } = await greeted;
    await nodes.close();
    await expect(welcome).rejects.toThrow('the gateway is stopping');
  });
});

it('closes the link of a node that the gateway cannot register', async () => {
  const admission: NodeAdmission = {
    idOf: () => 'a'.repeat(32),
    decide: () => ({ answer: 'welcome', epoch: 'epoch-0001' }),
    stateOf: () => 'paired',
    ended() {},
    linked() {
      throw new Error('disk full');
    },
  };
  const { node, welcomed, greeted } = connect(admission);
  await expect(welcomed).rejects.toThrow('disk full');
  await greeted;
  const link = openLink(node, { epoch: 'epoch-0001', side: 'opener' });
  expect(await link.down).toContain('the gateway failed');
});

describe('the log of failed connections', () => {
  it('has at most twenty lines in a minute, and counts the others', () => {
    const lines: string[] = [];
    let time = 0;
    const log = limitedLog(
      (text) => lines.push(text),
      () => time,
    );
    for (let i = 0; i < 100; i++) log(`failed ${i}`);
    expect([lines.length, lines.at(-1)]).toEqual([20, 'failed 19']);
    time = 60_000;
    log('later');
    expect(lines.slice(20)).toEqual(['80 more lines about connections of nodes were left out', 'later']);
    for (let i = 0; i < 100; i++) log(`failed ${i}`);
    time = -86_400_000; // the clock was set back
    log('earlier');
    expect(lines.at(-1)).toBe('earlier');
  });
});
