import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { localFiles } from '../../../../src/hosts/files/files.ts';
import type * as ObeyedSearch from '../../../../src/hosts/files/obeyed-search.ts';
import { searchSteps } from '../../../../src/hosts/files/obeyed-search.ts';
import { makeFolder } from '../../../support/folder.ts';

vi.mock('../../../../src/hosts/files/obeyed-search.ts', async (actual) => {
  const module = await actual<typeof ObeyedSearch>();
  return { ...module, searchSteps: vi.fn<typeof searchSteps>(module.searchSteps) };
});

it('an undo searches the workspace once, in steps, before it writes: none of its writes does so in one piece', async () => {
  const cwd = makeFolder({ 'a.txt': 'one\n' });
  const files = localFiles({
    cwd,
    stateDir: makeFolder(),
    searchAhead: true,
    author: { agent: 'main', client: 'you' },
  });
  const { file } = files.placeOf('b.txt');
  (await files.writer('write')).commit([{ file, create: Buffer.from('two\n') }]);
  expect((await files.changes({ toWrite: true })).undo()).toMatchObject({ ok: true });
  expect(() => readFileSync(join(cwd, 'b.txt'))).toThrow('ENOENT');
  expect(searchSteps).not.toHaveBeenCalled();
  expect((await files.changes()).redo()).toMatchObject({ ok: true });
  expect(searchSteps).toHaveBeenCalled();
  files.close();
});
