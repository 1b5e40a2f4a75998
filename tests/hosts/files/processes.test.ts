import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leftovers } from '../../../src/hosts/files/batch/leftovers.ts';
import { takeLocks } from '../../../src/hosts/files/locks/locks.ts';
import { recover } from '../../../src/hosts/files/batch/recover.ts';
import { runs, withSeed } from '../../support/budget.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { fixtureProgram, inParallel } from '../../support/program.ts';

const writer = fixtureProgram('file-writer');

const fine = { code: 0, signal: null, stderr: '' };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('many processes on one file', () => {
  it('keep every line of concurrent appends', async () => {
    const count = runs(40, 200);
    const folder = makeFolder({ 'log.jsonl': '{"n":-1}\n' });
    const log = join(folder, 'log.jsonl');
    const state = join(folder, 'state');
    const ended = await inParallel(
      25,
      numbers(count).map((n) => () => writer.run('append', log, state, `{"n":${n}}`)),
    );
    expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
    const lines = readFileSync(log, 'utf8').split('\n');
    expect(lines.at(-1)).toBe('');
    const seen = lines.slice(0, -1).map((line) => (JSON.parse(line) as { n: number }).n);
    expect(seen.sort((a, b) => a - b)).toEqual(numbers(count + 1).map((n) => n - 1));
    expect(readdirSync(join(state, 'locks'))).toEqual([]);
  });

  it('lose no concurrent read-modify-replace', async () => {
    const count = runs(10, 100);
    const folder = makeFolder({ counter: '0' });
    const counter = join(folder, 'counter');
    const ended = await inParallel(
      20,
      numbers(count).map(() => () => writer.run('increment', counter, join(folder, 'state'), '3')),
    );
    expect(ended).toEqual(numbers(count).map(() => ({ ...fine, stdout: '' })));
    expect(readFileSync(counter, 'utf8')).toBe(`${3 * count}`);
    expect(readdirSync(folder).sort()).toEqual(['counter', 'state']);
  });
});

describe('the lock of a dead process', () => {
  it('is valid only while the process runs, not while it is a zombie', async () => {
    const folder = makeFolder();
    const target = join(folder, 'file');
    const stateDir = join(folder, 'state');
    const child = await writer.start('hold-until-killed', target, stateDir);
    expect(faultOf(() => takeLocks([target], { stateDir, lockWaitMs: 50 }))).toMatchObject({
      code: 'FS_LOCKED',
      message: `${target} is being written by process ${child.pid}`,
    });
    child.kill('SIGKILL');
    // Nothing is awaited here: the dead child is still in the list of processes.
    const held = takeLocks([target], { stateDir, lockWaitMs: PATIENCE_MS });
    expect(held.broke).toBe(true);
    held.release();
  });

  it('is broken by exactly one of many processes, and excludes the others', async () => {
    const folder = makeFolder();
    const [first, ...others] = numbers(20).map((n) => join(folder, `file-${n}`));
    const stateDir = join(folder, 'state');
    expect(await writer.run('die-holding', first!, stateDir, ...others)).toEqual({ ...fine, stdout: '' });
    const left = readdirSync(join(stateDir, 'locks')).length; // files share locks
    expect(left).toBeGreaterThan(5);

    const contenders = numbers(12).map(() => writer.run('contend', first!, stateDir, ...others));
    const ready = (): number => readdirSync(folder).filter((name) => name.includes('.ready-')).length;
    await expect.poll(ready, { timeout: PATIENCE_MS, interval: 5 }).toBe(contenders.length);
    writeFileSync(`${first!}.go`, '');
    const ended = await Promise.all(contenders);
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      contenders.map(() => ({ code: 0, stderr: '' })),
    );
    expect(ended.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(left);
    expect(readdirSync(join(stateDir, 'locks'))).toEqual([]);
  });
});

describe('a batch over 20 files', () => {
  const names = numbers(20).map((n) => `file-${String(n).padStart(2, '0')}.txt`);
  const contents = (folder: string): string[] => names.map((name) => readFileSync(join(folder, name), 'utf8'));

  const setUp = (): { work: string; state: string; old: string[]; changed: string[] } => {
    const folder = makeFolder();
    const work = join(folder, 'work');
    mkdirSync(work);
    for (const name of names) writeFileSync(join(work, name), `old ${name}\n`);
    const changed = names.map((name, i) => (i % 2 === 0 ? 'new' : `old ${name}\nnew\n`));
    return { work, state: join(folder, 'state'), old: contents(work), changed };
  };

  it(
    'is all old or all new after recovery, whenever its process is killed',
    withSeed(async (next) => {
      const sample = setUp();
      const whole = await writer.run('batch', sample.work, sample.state, 'new', '0');
      expect(contents(sample.work)).toEqual(sample.changed);
      const total = Number(whole.stdout);
      expect(total).toBeGreaterThan(200);

      // Half of the kills are spread over the whole course, the other half over the end, where names change.
      const kills = runs(12, 200);
      const shift = next();
      // How many calls a batch makes depends on how many of its files share a lock: the last ones may not come at all.
      const last = total - 40;
      const early = numbers(kills).map((i) => 1 + Math.floor(((i + shift) / kills) * last));
      const late = numbers(kills).map((i) => last - Math.floor(((i + shift) / kills) * 150));
      const fates = await inParallel(
        4,
        [...early, ...late].map((killAt) => async () => {
          const { work, state, old, changed } = setUp();
          const { signal } = await writer.run('batch', work, state, 'new', String(killAt));
          const report = recover({ stateDir: state });
          const now = contents(work);
          const fate = now.join() === old.join() ? 'old' : now.join() === changed.join() ? 'new' : 'torn';
          const left = [...readdirSync(work), ...leftovers(state)];
          return { killAt, signal, fate, conflicts: report.conflicts, failed: report.failed, left };
        }),
      );
      for (const fate of fates) {
        expect(fate).toEqual({
          killAt: fate.killAt,
          signal: 'SIGKILL',
          fate: expect.stringMatching(/^(?:old|new)$/),
          conflicts: [],
          failed: [],
          left: names,
        });
      }
      expect(new Set(fates.map(({ fate }) => fate))).toEqual(new Set(['old', 'new']));
    }),
  );

  it('is completed even when recovery is killed repeatedly', async () => {
    const sample = setUp();
    const total = Number((await writer.run('batch', sample.work, sample.state, 'new', '0')).stdout);
    // The first moment after the commit point: the journal stands, and hardly a file has its new content yet.
    const isCommitted = (state: string): boolean => leftovers(state).some((name) => name.endsWith('.journal'));
    let { work, state, old, changed } = setUp();
    for (let killAt = total - 130; !isCommitted(state); killAt += 10) {
      ({ work, state, old, changed } = setUp());
      await writer.run('batch', work, state, 'new', String(killAt));
    }
    expect(contents(work).filter((text, i) => text === old[i]).length).toBeGreaterThan(15);
    for (const early of [40, 80, 120]) await writer.run('die-in-recover', work, state, String(early));
    const last = await writer.run('recover', work, state);
    expect(JSON.parse(last.stdout)).toMatchObject({ conflicts: [], failed: [] });
    expect(contents(work)).toEqual(changed);
    expect([...readdirSync(work), ...leftovers(state)]).toEqual(names);
  });
});
