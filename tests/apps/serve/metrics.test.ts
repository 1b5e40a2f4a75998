import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/apps/serve/metrics.ts';
import type { DaemonStatus } from '../../../src/wire/methods.ts';

it('has no sample of the connections of nodes while the gateway does not answer', async () => {
  let links: number | undefined;
  const metrics = createMetrics(async () => ({
    status: links === undefined ? undefined : status(links),
    mcpSessions: 0,
    requests: 0,
  }));
  const samples = async (now: number | undefined): Promise<readonly string[]> => {
    links = now;
    return (await metrics.text()).split('\n').filter((line) => line.startsWith('pincer_node_links_total'));
  };
  expect(await samples(undefined)).toEqual([]);
  expect(await samples(3)).toEqual(['pincer_node_links_total 3']);
  expect(await samples(undefined)).toEqual([]);
  expect(await samples(4)).toEqual(['pincer_node_links_total 4']);
  expect(await samples(0)).toEqual(['pincer_node_links_total 0']);
});

function status(links: number): DaemonStatus {
  const nodes = { url: '', paired: 0, connected: 0, pending: 0, links };
  return { sessions: { running: 0, withLeftovers: 0, finished: 0 }, nodes } as unknown as DaemonStatus;
}
