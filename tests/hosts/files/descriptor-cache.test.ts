import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CachedFolders, closeCachedDescriptors } from '../../../src/hosts/files/cache/descriptor-cache.ts';
import { folderOf, hasFdPaths, openFolderItself, plainFolder } from '../../../src/hosts/files/gate/pin.ts';
import { makeFolder } from '../../support/folder.ts';

const pin = (path: string) => folderOf(openFolderItself(path));

function openDescriptors(below: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    const link = join('/proc/self/fd', fd);
    return existsSync(link) && existsSync(join(link, `mark-${below}`));
  }).length;
}

function folders(count: number): { readonly paths: readonly string[]; readonly mark: string } {
  const top = makeFolder({});
  const mark = String(Math.random()).slice(2);
  const paths = Array.from({ length: count }, (_, i) => join(top, `f${i}`));
  for (const path of paths) {
    mkdirSync(path);
    writeFileSync(join(path, `mark-${mark}`), '');
  }
  return { paths, mark };
}

describe.runIf(hasFdPaths())('a cached folder', () => {
  it('is used again while it has the path of its walk, and not after it moved', () => {
    const { paths, mark } = folders(1);
    const path = paths[0]!;
    const held = new CachedFolders();
    held.keep(path, pin(path)).close();
    const again = held.take(path);
    expect(existsSync(again!.at(`mark-${mark}`))).toBe(true);
    again!.close();
    renameSync(path, `${path}-moved`);
    expect([held.take(path), openDescriptors(mark)]).toEqual([undefined, 0]);
  });

  it('stays open for its users when it is dropped, and is closed after the last one', () => {
    const { paths, mark } = folders(1);
    const path = paths[0]!;
    const held = new CachedFolders();
    const first = held.keep(path, pin(path));
    const second = held.take(path)!;
    renameSync(path, `${path}-moved`);
    const seen: unknown[] = [held.take(path), openDescriptors(mark)];
    first.close();
    first.close();
    seen.push(openDescriptors(mark), existsSync(second.at(`mark-${mark}`)) ? 'there' : 'gone');
    second.close();
    seen.push(openDescriptors(mark));
    expect(seen).toEqual([undefined, 1, 1, 'there', 0]);
  });

  it('is dropped for a newer one when there are many, and closed after a while', async () => {
    const { paths, mark } = folders(70);
    const held = new CachedFolders();
    for (const path of paths) held.keep(path, pin(path)).close();
    expect([openDescriptors(mark), held.take(paths[0]!)]).toEqual([64, undefined]);
    await expect.poll(() => openDescriptors(mark)).toBe(0);
  });

  it('expires one second after its walk, however often it is used', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { paths, mark } = folders(1);
    const path = paths[0]!;
    const held = new CachedFolders();
    const first = held.keep(path, pin(path));
    first.close();
    vi.advanceTimersByTime(999);
    const again = held.take(path)!;
    again.close();
    expect([again.walkedAt, openDescriptors(mark)]).toEqual([first.walkedAt, 1]);
    vi.advanceTimersByTime(1);
    expect([held.take(path), openDescriptors(mark)]).toEqual([undefined, 0]);
  });

  it('is closed before the caller blocks, and one in use when it is given back', () => {
    const { paths, mark } = folders(2);
    const held = new CachedFolders();
    for (const path of paths) held.keep(path, pin(path)).close();
    const borrowed = held.take(paths[0]!)!;
    closeCachedDescriptors();
    const seen = [openDescriptors(mark), held.take(paths[0]!)];
    borrowed.close();
    expect([...seen, openDescriptors(mark)]).toEqual([1, undefined, 0]);
  });

  it('is not cached when its name is not UTF-8 or it has no descriptor', () => {
    const { paths } = folders(1);
    const path = paths[0]!;
    const held = new CachedFolders();
    const plain = plainFolder(path);
    const odd = pin(path);
    expect([held.keep(path, plain), held.keep(`${path}\ufffd`, odd)]).toEqual([plain, odd]);
    expect([held.take(path), held.take(`${path}\ufffd`)]).toEqual([undefined, undefined]);
    odd.close();
  });
});
