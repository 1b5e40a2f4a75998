import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { configuredSource } from '../../../src/apps/mcp/toolbox-source.ts';
import { makeFolder } from '../../support/folder.ts';

const descriptors = () => readdirSync('/proc/self/fd').length;

afterEach(() => void vi.useRealTimers());

const sourceIn = (workspace: string) =>
  configuredSource({ workspace, agent: 'main', stateDir: makeFolder() }, { log: () => {} });

test('first calls of one name at the same time get one toolbox', async () => {
  const source = sourceIn(makeFolder());
  const [one, other] = await Promise.all([source.toolbox({ name: 'a' }), source.toolbox({ name: 'a' })]);
  expect(one).toBe(other);
});

test('a new name drops only the least recently used toolbox', async () => {
  const source = sourceIn(makeFolder());
  const names = Array.from({ length: 32 }, (_, i) => `client ${i}`);
  const first = [];
  for (const name of names) first.push(await source.toolbox({ name }));
  expect(await source.toolbox({ name: names[0]! })).toBe(first[0]);
  await source.toolbox({ name: 'new' });
  const now = [];
  for (const name of [names[0]!, ...names.slice(2)]) now.push(await source.toolbox({ name }));
  expect(now).toEqual([first[0], ...first.slice(2)]);
});

test('the look of one client at the configuration does not keep another one on an old state', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const workspace = makeFolder();
  const source = sourceIn(workspace);
  for (const name of ['a', 'b']) expect((await source.toolbox({ name })).names).toContain('exec');
  writeFileSync(join(workspace, 'pincer.jsonc'), '{"tools": {"deny": ["exec"]}}');
  vi.advanceTimersByTime(1_000);
  for (const name of ['a', 'b']) expect((await source.toolbox({ name }, 'lately')).names).not.toContain('exec');
});

test.skipIf(process.platform !== 'linux')(
  'F5: toolboxes of many client names hold a bounded number of descriptors',
  async () => {
    const workspace = makeFolder();
    writeFileSync(join(workspace, 'a.txt'), 'one\n');
    const source = sourceIn(workspace);
    const use = async (name: string) => {
      const toolbox = await source.toolbox({ name });
      expect((await toolbox.call('read', { path: 'a.txt' })).isError).toBeUndefined();
      return toolbox;
    };
    const first = await use('first');
    for (let i = 0; i < 40; i++) await use(`client ${i}`);
    const before = descriptors();
    for (let i = 0; i < 1_200; i++) await use(`client ${i % 100}`);
    expect(descriptors() - before).toBeLessThan(80);
    // A toolbox that was dropped can be called all the same.
    expect((await first.call('read', { path: 'a.txt' })).isError).toBeUndefined();
  },
);
