import { appendFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchFile, type WatchOptions } from '../../../src/hosts/files/watch.ts';
import { makeFolder } from '../../support/folder.ts';

/** Watches a file and hands out its changes one after the other: the size, or `gone`. */
function changesOf(
  path: string,
  options: WatchOptions,
): { next: () => Promise<number | 'gone'>; seen: (number | 'gone')[] } {
  const seen: (number | 'gone')[] = [];
  let taken = 0;
  let wake = (): void => undefined;
  const watch = watchFile(
    path,
    (now) => {
      seen.push(now === undefined ? 'gone' : Number(now.size));
      wake();
    },
    options,
  );
  onTestFinished(() => watch.close());
  const next = async (): Promise<number | 'gone'> => {
    while (taken === seen.length) await new Promise<void>((resolve) => (wake = resolve));
    return seen[taken++]!;
  };
  return { next, seen };
}

describe.each([
  ['reported by the system', { quietMs: 5, lookMs: 60_000 }],
  ['by looking only', { quietMs: 0, lookMs: 10 }],
])('watchFile, %s', (_how, options) => {
  it('reports changes in place, atomic replacements, removal and return', async () => {
    const folder = makeFolder({ 'a.txt': '1' });
    const path = join(folder, 'a.txt');
    const { next } = changesOf(path, options);
    appendFileSync(path, '2');
    expect(await next()).toBe(2);
    for (const size of [3, 4]) {
      writeFileSync(join(folder, 'temp'), 'x'.repeat(size));
      renameSync(join(folder, 'temp'), path);
      expect(await next()).toBe(size);
    }
    rmSync(path);
    expect(await next()).toBe('gone');
    writeFileSync(path, '12345');
    expect(await next()).toBe(5);
  });
});

describe('watchFile', () => {
  it('reports many changes together once, and no changes elsewhere', async () => {
    const folder = makeFolder({ 'a.txt': '' });
    const { next, seen } = changesOf(join(folder, 'a.txt'), { quietMs: 30, lookMs: 60_000 });
    for (let i = 0; i < 100; i++) appendFileSync(join(folder, 'a.txt'), 'x');
    writeFileSync(join(folder, 'b.txt'), 'other');
    expect(await next()).toBe(100);
    appendFileSync(join(folder, 'a.txt'), 'x');
    expect(await next()).toBe(101);
    expect(seen).toEqual([100, 101]);
  });

  it('reports nothing after it was closed', async () => {
    const folder = makeFolder({ 'a.txt': '' });
    const calls: unknown[] = [];
    const closed = watchFile(join(folder, 'a.txt'), (now) => calls.push(now), { quietMs: 1, lookMs: 1 });
    const { next } = changesOf(join(folder, 'a.txt'), { quietMs: 20, lookMs: 60_000 });
    closed.close();
    appendFileSync(join(folder, 'a.txt'), 'x');
    await next();
    expect(calls).toEqual([]);
  });
});

it('watchFile treats a file in an inaccessible folder as gone, and finds it again', async () => {
  const folder = makeFolder({ 'sub/a.txt': '1' });
  const { next } = changesOf(join(folder, 'sub', 'a.txt'), { quietMs: 0, lookMs: 10 });
  renameSync(join(folder, 'sub'), join(folder, 'away'));
  symlinkSync('sub', join(folder, 'sub'));
  expect(await next()).toBe('gone');
  unlinkSync(join(folder, 'sub'));
  renameSync(join(folder, 'away'), join(folder, 'sub'));
  expect(await next()).toBe(1);
});
