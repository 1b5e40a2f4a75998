import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { fixtureProgram, inParallel } from '../support/program.ts';

it('loses no edit when many processes edit one file', async () => {
  const program = fixtureProgram('workspace-editor');
  const agents = ['a', 'b', 'c', 'd', 'e', 'f'];
  const lines = (state: string) =>
    agents.flatMap((agent) => Array.from({ length: 20 }, (_, i) => `${agent}:${i}:${state}\n`)).join('');
  const folder = makeFolder({ list: lines('todo') });
  const state = makeFolder();
  const jobs = agents.map((agent) => () => program.run(folder, state, agent, '20'));
  const ended = await inParallel(6, jobs);
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(agents.map(() => ({ code: 0, stderr: '' })));
  expect(readFileSync(join(folder, 'list'), 'utf8')).toBe(lines('done'));
});
