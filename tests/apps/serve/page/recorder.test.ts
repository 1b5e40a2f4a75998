import { expect, it } from 'vitest';
import { recorder } from '../../../../src/apps/serve/page/methods/recorder.ts';
import type { PageMethod } from '../../../../src/apps/serve/page/methods/page-method.ts';
import { object } from '../../../../src/wire/schema.ts';

const TYPING: PageMethod = {
  role: 'operator',
  params: object({}),
  recorded: () => ({ method: 'session.input', sessionId: 's' }),
  recordedOnce: true,
  run: async () => null,
};

it('records a frequent action once a minute, and again after a row that could not be written', async () => {
  let now = 0;
  let isBroken = true;
  const rows: unknown[] = [];
  const gateway = {
    async call(_: string, row: unknown) {
      if (isBroken) throw new Error('disk full');
      rows.push(row);
    },
  };
  const record = recorder(() => now);
  const type = () => record(TYPING, {}, { gateway, by: 'page:operator-1' } as never);
  await expect(type()).rejects.toThrow('disk full');
  isBroken = false;
  await type();
  await type();
  expect(rows).toHaveLength(1);
  now += 60_000;
  await type();
  expect(rows).toHaveLength(2);
});
