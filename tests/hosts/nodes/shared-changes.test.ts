/** What a gateway does when it hears of a change that another one has made. */
import { expect, it } from 'vitest';
import { addKey, endKeys } from '../../../src/hosts/nodes/fleet/shared-node.ts';
import type { SharedNode } from '../../../src/wire/nodes/fleet.ts';
import { connection, link, OFFER, peer, sampleNodes } from './sample.ts';

const keyText = (key: Uint8Array): string => Buffer.from(key).toString('base64');

/** Two gateways know the node, and it is connected to this one. */
async function scene() {
  const [announced, ended]: [string[], string[]] = [[], []];
  const { nodes, audited } = await sampleNodes({
    paired: (id) => announced.push(id),
    keyEnded: () => ended.push('key'),
  });
  const machine = peer({ isBound: false });
  const shared: SharedNode = {
    id: machine.id,
    pairedAt: 5,
    pairedBy: 'ann',
    state: 'paired',
    name: 'mac',
    renamed: 0,
    cloneChanges: 0,
    keys: addKey([], keyText(machine.publicKey)),
    platform: 'linux',
    version: '1.2.3',
    offer: OFFER,
  };
  nodes.sharing.apply(shared);
  const [first] = [link()];
  const decision = nodes.decide(machine, connection());
  nodes.linked(machine, first);
  return { nodes, audited, announced, ended, machine, shared, link: first, decision };
}

it('welcomes a node that another gateway has paired, and tells the node', async () => {
  const { nodes, audited, announced, machine, decision } = await scene();
  expect(decision).toMatchObject({ answer: 'welcome', id: machine.id });
  expect(nodes.list()).toMatchObject([{ name: 'mac', state: 'paired', connected: true }]);
  expect([audited, announced]).toEqual([['paired at another gateway mac by ann'], [machine.id]]);
});

it('disconnects and refuses a node that another gateway has removed', async () => {
  const { nodes, audited, ended, machine, shared, link: first } = await scene();
  const removed: string[] = [];
  nodes.onRemoved(({ id }) => removed.push(id));
  const keys = endKeys(shared.keys, [keyText(machine.publicKey)], 9);
  nodes.sharing.apply({ ...shared, state: 'revoked', keys });
  expect([first.closed, removed, audited.at(-1)]).toEqual([
    ['revoked'],
    [machine.id],
    'removed at another gateway mac',
  ]);
  expect(ended.length).toBeGreaterThan(0);
  expect(nodes.endedKeys(Number.MAX_SAFE_INTEGER)).toEqual([
    { publicKey: machine.publicKey, endedAt: 9, isInUse: false },
  ]);
  expect(nodes.decide(machine, connection())).toMatchObject({ answer: 'refused', code: 'NODE_REVOKED' });
});

it('refuses a copied key, until the operator of any gateway allows it again', async () => {
  const { nodes, machine, shared, link: first } = await scene();
  nodes.sharing.apply({ ...shared, clonedAt: 7, cloneChanges: 1 });
  expect(first.closed).toEqual(['cloned']);
  expect(nodes.decide(machine, connection())).toMatchObject({ answer: 'refused', code: 'NODE_CLONED' });
  nodes.sharing.apply({ ...shared, cloneChanges: 2 });
  expect(nodes.decide(machine, connection())).toMatchObject({ answer: 'welcome' });
});

it('accepts the new key that another gateway has heard of, and ends the connection of the old one', async () => {
  const { nodes, machine, shared, link: first } = await scene();
  const { publicKey } = peer();
  const both = addKey(shared.keys, keyText(publicKey));
  nodes.sharing.apply({ ...shared, keys: both });
  expect([nodes.idOf(publicKey), first.closed]).toEqual([machine.id, []]);
  nodes.sharing.apply({ ...shared, keys: endKeys(both, [keyText(machine.publicKey)], 9) });
  expect(first.closed).toEqual(['the node has another key']);
  expect(nodes.decide({ ...machine, publicKey }, connection())).toMatchObject({ answer: 'welcome' });
  expect(nodes.decide(machine, connection())).toMatchObject({ answer: 'refused', code: 'NODE_IDENTITY' });
});
