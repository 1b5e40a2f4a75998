import { beforeEach, expect, it, vi } from 'vitest';
import { watchPresence } from '../../../src/hosts/nodes/presence-notices.ts';
import { eventLoopTurns } from '../../support/patience.ts';
import { link, paired, peer, type SampleNodes, sampleNodes } from './sample.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return () => vi.useRealTimers();
});

function watched({ nodes }: SampleNodes, isFull = () => false) {
  const told: string[] = [];
  const stop = watchPresence({
    nodes,
    notify: (kind, text) => {
      if (isFull()) throw new Error('the disk is full');
      told.push(`${kind}: ${text}`);
    },
    onTrouble: (error) => told.push(String(error)),
  });
  const pass = async (ms: number): Promise<void> => {
    await eventLoopTurns(3); // the ends of links
    vi.advanceTimersByTime(ms);
  };
  return { told, stop, pass };
}

it('reports a node that stays away for a minute, and its return', async () => {
  const gateway = await sampleNodes();
  const { told, pass } = watched(gateway);
  const { machine, link: first } = paired(gateway);
  first.close('cut');
  await pass(59_000);
  expect(told).toEqual([]);
  await pass(2_000);
  expect(told).toEqual(['node-offline: node mac is not connected; its commands continue there']);
  gateway.nodes.linked(machine, link('epoch-01'));
  expect(told.slice(1)).toEqual(['node-online: node mac is connected again']);
});

it('survives a full disk', async () => {
  let isFull = true;
  const gateway = await sampleNodes();
  const { told, pass } = watched(gateway, () => isFull);
  const { machine, link: first } = paired(gateway);
  first.close('cut');
  await pass(61_000);
  gateway.nodes.linked(machine, link('epoch-01'));
  expect(told).toEqual(['Error: the disk is full', 'Error: the disk is full']);
  expect(gateway.nodes.list()[0]?.connected).toBe(true);
  isFull = false;
  gateway.nodes.link(machine.id)!.close('cut');
  await pass(61_000);
  expect(told.slice(2)).toEqual(['node-offline: node mac is not connected; its commands continue there']);
});

it('says nothing about a reconnect, a replaced link or a removed node', async () => {
  const gateway = await sampleNodes();
  const { told, pass } = watched(gateway);
  const { machine, link: first } = paired(gateway);
  first.close('cut');
  await pass(30_000);
  gateway.nodes.linked(machine, link('epoch-01'));
  gateway.nodes.linked(machine, link('epoch-02'));
  await pass(120_000);
  gateway.nodes.remove('mac', 'ann');
  await pass(120_000);
  expect(told).toEqual([]);
});

it('says nothing when the gateway stops', async () => {
  const gateway = await sampleNodes();
  const { told, pass, stop } = watched(gateway);
  paired(gateway, peer({ name: 'other' }));
  stop();
  await gateway.nodes.close();
  await pass(120_000);
  expect(told).toEqual([]);
});
