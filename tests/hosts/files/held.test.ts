import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HeldFolders } from '../../../src/hosts/files/held.ts';
import { folderOf, hasFdPaths, openFolderItself, plainFolder } from '../../../src/hosts/files/pin.ts';
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

describe.runIf(hasFdPaths())('a held folder', () => {
  it('is given again while it stands where it was walked to, and not after it moved', () => {
    const { paths, mark } = folders(1);
    const path = paths[0]!;
    const held = new HeldFolders();
    held.keep(path, pin(path)).close();
    const again = held.take(path);
    expect(existsSync(again!.at(`mark-${mark}`))).toBe(true);
    again!.close();
    renameSync(path, `${path}-moved`);
    expect([held.take(path), openDescriptors(mark)]).toEqual([undefined, 0]);
  });

  it('stays open for those who have it when it is dropped, and is closed behind the last of them', () => {
    const { paths, mark } = folders(1);
    const path = paths[0]!;
    const held = new HeldFolders();
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

  it('makes room for another when there are many, and is let go of after a while', async () => {
    const { paths, mark } = folders(70);
    const held = new HeldFolders();
    for (const path of paths) held.keep(path, pin(path)).close();
    expect([openDescriptors(mark), held.take(paths[0]!)]).toEqual([64, undefined]);
    await expect.poll(() => openDescriptors(mark), { timeout: 5000 }).toBe(0);
  });

  it('is not held when its name is no text, or when it has no descriptor', () => {
    const { paths } = folders(1);
    const path = paths[0]!;
    const held = new HeldFolders();
    const plain = plainFolder(path);
    const odd = pin(path);
    expect([held.keep(path, plain), held.keep(`${path}\ufffd`, odd)]).toEqual([plain, odd]);
    expect([held.take(path), held.take(`${path}\ufffd`)]).toEqual([undefined, undefined]);
    odd.close();
  });
});
