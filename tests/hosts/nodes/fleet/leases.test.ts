/** Which gateways count as dead, with servers that do not answer for a while. The clock is one of the test. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Entry, Written } from '../../../../src/hosts/nodes/fleet/bucket.ts';
import { LEASE_MS, Leases } from '../../../../src/hosts/nodes/fleet/leases.ts';

afterEach(() => vi.restoreAllMocks());

interface Outage {
  readonly from: number;
  readonly to: number;
}

interface Case {
  /** Seconds in which the servers do not answer. */
  readonly outage?: Outage;
  /** Seconds in which neither gateway runs. */
  readonly stopped?: Outage;
  /** The second in which A dies. */
  readonly dies?: number;
}

const isIn = (second: number, { from, to }: Outage = { from: 0, to: 0 }): boolean => second >= from && second < to;

/** B looks at the lease of A each second. Returns the second in which A counts as dead. */
async function takenAt({ outage, stopped, dies = Number.POSITIVE_INFINITY }: Case): Promise<number | undefined> {
  let second = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => second * 1000);
  const values = new Map<string, Entry & { readonly at: number }>();
  let revision = 0;
  const bucket = {
    async get(key: string): Promise<Entry | undefined> {
      if (isIn(second, outage)) throw new Error('no answer');
      const entry = values.get(key);
      return entry === undefined || second - entry.at >= LEASE_MS / 1000 ? undefined : entry;
    },
    async put(key: string, value: string): Promise<Written> {
      if (isIn(second, outage)) return 'unsure';
      values.set(key, { value, revision: ++revision, at: second });
      return { revision };
    },
    create: async (): Promise<Written> => 'conflict',
  };
  const [a, b] = ['a', 'b'].map((gateway) => new Leases({ gateway, leaseMs: LEASE_MS, bucket: () => bucket }));
  for (; second <= 200; second++) {
    if (isIn(second, stopped)) continue;
    if (await b!.hasLapsed('a').catch(() => false)) return second;
    if (second % 5 === 4) await b!.renew();
    if (second % 5 === 0 && second < dies) await a!.renew();
  }
  return undefined;
}

it('a gateway that does not renew its lease counts as dead after 15 seconds', async () => {
  const taken = await takenAt({ dies: 61 });
  expect(taken).toBeGreaterThanOrEqual(75);
  expect(taken).toBeLessThan(80);
});

it('an outage of the servers makes no gateway dead, whenever it begins and however long it is', async () => {
  const wrong: Outage[] = [];
  for (let from = 55; from < 65; from++)
    for (let to = from + 1; to < from + 40; to++)
      if ((await takenAt({ outage: { from, to } })) !== undefined) wrong.push({ from, to });
  expect(wrong).toEqual([]);
});

it('gateways that were stopped together do not count as dead', async () => {
  const wrong: Outage[] = [];
  for (let from = 55; from < 65; from++)
    for (let to = from + 1; to < from + 40; to++)
      if ((await takenAt({ stopped: { from, to } })) !== undefined) wrong.push({ from, to });
  expect(wrong).toEqual([]);
});

it('a gateway that dies in an outage counts as dead 15 seconds after it', async () => {
  const taken = await takenAt({ outage: { from: 60, to: 90 }, dies: 70 });
  expect(taken).toBeGreaterThanOrEqual(105);
  expect(taken).toBeLessThan(115);
});
