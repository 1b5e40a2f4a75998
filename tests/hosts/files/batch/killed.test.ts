/** A process that is killed in the middle of a batch of every form. */
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leftovers } from '../../../../src/hosts/files/batch/leftovers.ts';
import { recover } from '../../../../src/hosts/files/batch/recover.ts';
import { runs, withSeed } from '../../../support/budget.ts';
import { makeFolder } from '../../../support/folder.ts';
import { fixtureProgram, inParallel } from '../../../support/program.ts';

const writer = fixtureProgram('file-writer');
const KILLS = runs(20, 400);

const OLD = ['a=old a', 'b=old b', 'c=old c', 'd=old d', 'e=old e', 'link=old a'];
const NEW = ['a=new a', 'e=new d', 'made/deep/g=new', 'moved/c=old c'];

function setUp(): { readonly work: string; readonly state: string } {
  const folder = makeFolder();
  const work = join(folder, 'work');
  mkdirSync(work);
  for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(work, name), `old ${name}`);
  symlinkSync('a', join(work, 'link'));
  return { work, state: join(folder, 'state') };
}

function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path.slice(folder.length + 1)}=${readFileSync(path, 'utf8')}`;
    })
    .sort();
}

it(
  'is complete or absent after recovery, whenever it is killed, and leaves no temporary file',
  withSeed(async (next) => {
    const sample = setUp();
    const total = Number((await writer.run('forms', sample.work, sample.state, '0')).stdout);
    expect(contents(sample.work)).toEqual(NEW);
    const step = Math.max(1, Math.floor(total / KILLS));
    const shift = Math.floor(next() * step);
    const spread = Array.from({ length: Math.floor((total - shift) / step) }, (_, i) => 1 + shift + i * step);
    // The first call is before the commit and the last one is behind it, however few the kills are.
    const moments = [1, ...spread, total];
    const fates = await inParallel(
      4,
      moments.map((killAt) => async () => {
        const { work, state } = setUp();
        const { signal, stdout } = await writer.run('forms', work, state, String(killAt));
        // One whose files share locks makes fewer calls, and may be over by then.
        const ended = signal ?? (Number(stdout) < killAt ? 'over by then' : 'not killed');
        // Whoever recovers may die as well, and the next one has to manage.
        await writer.run('die-in-recover', work, state, String(1 + (killAt % 40)));
        const { conflicts, failed } = recover({ stateDir: state });
        const now = contents(work).join();
        const fate = now === OLD.join() ? 'old' : now === NEW.join() ? 'new' : now;
        const folders = readdirSync(work, { withFileTypes: true }).filter((entry) => entry.isDirectory());
        return { killAt, ended, fate, conflicts, failed, left: leftovers(state), folders: folders.length };
      }),
    );
    for (const fate of fates) {
      expect(fate).toEqual({
        killAt: fate.killAt,
        ended: expect.stringMatching(/^(?:SIGKILL|over by then)$/u),
        fate: expect.stringMatching(/^(?:old|new)$/u),
        conflicts: [],
        failed: [],
        left: [],
        folders: fate.fate === 'old' ? 0 : 2,
      });
    }
    expect(new Set(fates.map(({ fate }) => fate))).toEqual(new Set(['old', 'new']));
  }),
);
