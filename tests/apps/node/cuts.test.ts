/** Connections over WebSocket and TLS that break at random moments. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/wire/methods.ts';
import { runs, timeoutFor, withSeed } from '../../support/budget.ts';
import { ended } from '../../support/gateway.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { proxiedNode } from './cut-proxy.ts';
import { timesRun } from './faulty-pair.ts';

const operator = { agent: '', operator: true } as const;
const REQUESTS = runs(60, 600);
const CUTS = runs(30, 300);
const AT_ONCE = 8;
const OUTPUT_CUTS = 50;
/** About 23 MB, and 512 MiB in the deep tier. */
const BYTES_OF_LINE = 7;
const LINES = runs(3_000_000, 61_000_000);

async function hashOf(gateway: Pick<Gateway, 'follow'>, sessionId: string): Promise<string> {
  const hash = createHash('sha256');
  let gaps = 0;
  await gateway.follow({ caller: operator, sessionId }, (event) => {
    if (event.type === 'output') hash.update(event.bytes);
    else if (event.type === 'gap') gaps++;
  });
  return `${hash.digest('hex')} with ${gaps} gaps`;
}

describe('a connection over TLS that breaks', () => {
  it(
    `${CUTS} times during ${REQUESTS} requests: each runs once`,
    withSeed(async (random) => {
      const { host, node, cut, links } = await proxiedNode();
      let next = 0;
      let broken = 0;
      const outcomes: string[] = [];
      const requests = Array.from({ length: AT_ONCE }, async () => {
        while (next < REQUESTS) {
          const number = next++;
          const mark = `mark-${number}`;
          // The requests last as long as the cuts.
          await until(() => broken >= (number / REQUESTS) * CUTS - 2, `cut ${broken}`);
          for (let isSent = false; !isSent; ) {
            const outcome = await host
              .exec({ command: `printf x >> ${mark}; echo ${mark}` }, { caller: { agent: mark } })
              .catch((error: { readonly code: string }) => error.code);
            isSent = outcome !== 'NODE_OFFLINE';
            if (typeof outcome === 'string') outcomes.push(outcome);
            else if ('output' in outcome) expect(outcome.output.text).toBe(`${mark}\n`);
            if (!isSent) await eventLoopTurns(5);
          }
        }
      });
      const cuts = (async () => {
        for (; broken < CUTS; broken++) {
          await eventLoopTurns(Math.floor(random() * 60));
          const before = links();
          cut();
          await until(() => links() > before, 'the reconnect');
        }
      })();
      await Promise.all([...requests, cuts]);
      const times = Array.from({ length: REQUESTS }, (_, i) => timesRun(node, `mark-${i}`));
      expect(times.filter((count) => count !== 1)).toEqual([]);
      expect(outcomes.filter((code) => code !== 'NODE_OFFLINE')).toEqual([]);
      expect(links()).toBe(CUTS + 1);
    }),
    timeoutFor(120_000),
  );

  it(
    `${OUTPUT_CUTS} times during the output: the log is whole`,
    withSeed(async (random) => {
      const { host, node, cut, links } = await proxiedNode();
      const outcome = await host.exec({ command: `seq 1 ${LINES}`, background: true });
      const { id } = 'session' in outcome ? outcome.session : { id: '' };
      const bytes = async (): Promise<number> =>
        (await host.gateway.call('session.wait', { caller: operator, sessionId: id, waitMs: 0 })).bytes;
      for (let i = 1; i <= OUTPUT_CUTS; i++) {
        const wanted = Math.floor((i * LINES * BYTES_OF_LINE) / (OUTPUT_CUTS + 10));
        await until(async () => (await bytes()) >= wanted, `byte ${wanted}`);
        await eventLoopTurns(Math.floor(random() * 10));
        const before = links();
        cut();
        await until(() => links() > before, 'the reconnect');
      }
      expect(await ended(host, id)).toMatchObject({ exitCode: 0, truncated: false });
      const [own] = await node.gateway.call('session.list', { caller: operator });
      expect(links()).toBe(OUTPUT_CUTS + 1);
      expect(await hashOf(host.gateway, id)).toBe(await hashOf(node.gateway, own!.id));
    }),
    timeoutFor(120_000),
  );
});
