import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configuredSource } from '../../../src/apps/mcp/source.ts';
import { makeFolder } from '../../support/folder.ts';

const descriptors = () => readdirSync('/proc/self/fd').length;

test.skipIf(process.platform !== 'linux')(
  'F5: toolboxes of many client names hold a bounded number of descriptors',
  async () => {
    const workspace = makeFolder();
    writeFileSync(join(workspace, 'a.txt'), 'one\n');
    const source = configuredSource({ workspace, agent: 'main', stateDir: makeFolder() }, { log: () => {} });
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
