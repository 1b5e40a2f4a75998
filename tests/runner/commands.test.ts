import { expect, test } from 'vitest';
import { launchOf, run, sh } from '../support/launching.ts';
import { startInside } from './started.ts';

const OWN = '/image/bin:/usr/bin:/bin';
const SCRIPT = 'echo "$PATH $PINCER_BASE_PATH"';

test.each<[string, { env: Record<string, string>; pty?: { cols: number; rows: number } }, string]>([
  ['those of the image where nobody says', { env: {} }, `${OWN} ${OWN}`],
  ['those of the image in a terminal, too', { env: {}, pty: { cols: 200, rows: 24 } }, `${OWN} ${OWN}`],
  ['those that were said', { env: { PATH: '/bin:/usr/bin' } }, '/bin:/usr/bin'],
])('programs are looked for in folders: %s', async (_, more, expected) => {
  const { link } = await startInside({}, { PATH: OWN });
  const { end } = await run(link.launcher, launchOf([sh(SCRIPT)], more));
  expect((await end).out.trim()).toBe(expected);
});

test('more commands at once than there are pipes all have them', async () => {
  const { link } = await startInside();
  const script = 'echo a >/dev/stdout; echo b >/dev/stderr';
  const all = await Promise.all(
    Array.from({ length: 40 }, async () => (await run(link.launcher, launchOf([sh(script)]))).end),
  );
  expect(new Set(all.map(({ out }) => out))).toEqual(new Set(['a\nb\n']));
});
