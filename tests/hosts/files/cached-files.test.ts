import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { Boundary } from '../../../src/hosts/files/gate/boundary.ts';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { hasFdPaths } from '../../../src/hosts/files/gate/pin.ts';
import { asLocated, Root } from '../../../src/hosts/files/gate/root.ts';
import type { Files } from '../../../src/hosts/files/shape.ts';
import { makeFolder } from '../../support/folder.ts';

function read(files: Files, name: string): string {
  try {
    const file = files.openPath(name);
    try {
      return new TextDecoder().decode(file.readAll());
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** Where the descriptors of this process stand that are below a folder and end like this. */
function held(folder: string, end: string): readonly string[] {
  const places = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd));
    } catch {
      return ''; // the descriptor of this very listing
    }
  });
  return places.filter((place) => place.startsWith(folder) && place.endsWith(end));
}

/** A workspace with the file `a/b/c/f`, which was read often enough to be held; the second for which it may be stands still. */
function start(hardLinks: 'refuse' | 'refuse-writes' = 'refuse-writes') {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const top = makeFolder({ 'ws/a/b/c/f': 'inside', 'outside/c/f': 'outside' });
  const ws = join(top, 'ws');
  const files = localFiles({ cwd: ws, stateDir: makeFolder(), hardLinks, durable: false });
  for (let i = 0; i < 3; i++) expect(read(files, 'a/b/c/f')).toBe('inside');
  expect(held(ws, '/f')).toEqual([join(ws, 'a/b/c/f')]);
  return { top, ws, files, path: join(ws, 'a/b/c/f') };
}

type Started = ReturnType<typeof start>;

describe.runIf(hasFdPaths())('a cached file', () => {
  it.each<[string, (started: Started) => void, string]>([
    ['nothing happened', () => undefined, 'inside'],
    ['more was written to it', ({ path }) => appendFileSync(path, ' and more'), 'inside and more'],
    ['other bytes of the same length were', ({ path }) => writeFileSync(path, 'edisni'), 'edisni'],
    ['another file took its name', replaced, 'new'],
    ['it was removed', ({ path }) => unlinkSync(path), 'FS_NOT_FOUND'],
    ['it was moved', ({ path }) => renameSync(path, `${path}2`), 'FS_NOT_FOUND'],
    ['it was moved out and linked to', movedOut, 'FS_OUTSIDE_WORKSPACE'],
    ['its folder was moved out and linked to', ({ top, ws }) => folderOut(top, ws, 'a/b'), 'FS_OUTSIDE_WORKSPACE'],
    ['its folder became a link', folderSwapped, 'FS_OUTSIDE_WORKSPACE'],
    ['a folder took its name', folderInstead, 'FS_IS_FOLDER'],
  ])('is what the walk would find after %s', (_, happen, expected) => {
    const started = start();
    happen(started);
    expect([read(started.files, 'a/b/c/f'), read(started.files, 'a/b/c/f')]).toEqual([expected, expected]);
  });

  it('is refused when it has a second link, and used again when that is removed', () => {
    const { top, files, path } = start('refuse');
    const second = join(top, 'outside/second');
    linkSync(path, second);
    const seen = [read(files, 'a/b/c/f')];
    unlinkSync(second);
    expect([...seen, read(files, 'a/b/c/f')]).toEqual(['FS_HARD_LINKED', 'inside']);
  });

  it('has its own stamp object each time', () => {
    const { files } = start();
    const [one, two] = [files.openPath('a/b/c/f'), files.openPath('a/b/c/f')];
    expect(one.stamp).toEqual(two.stamp);
    expect(one.stamp).not.toBe(two.stamp);
    one.close();
    one.close();
    expect(new TextDecoder().decode(two.readAll())).toBe('inside');
    two.close();
  });

  it('is closed when it is replaced, and stays readable for its users', async () => {
    const { ws, files } = start();
    const writer = await files.writer('test');
    const file = files.openPath('a/b/c/f');
    writer.replace(file, [{ start: 0, end: 2, bytes: new TextEncoder().encode('out') }]);
    expect([new TextDecoder().decode(file.readAll()), read(files, 'a/b/c/f')]).toEqual(['inside', 'outside']);
    expect(held(ws, '/f (deleted)')).toHaveLength(1);
    file.close();
    await expect.poll(() => held(ws, '/f (deleted)')).toEqual([]);
  });

  it('is dropped for newer ones when there are many, and closed after a while', async () => {
    const { ws, files } = start();
    const names = Array.from({ length: 70 }, (_, i) => `a/b/c/${i}.many`);
    for (const name of names) {
      writeFileSync(join(ws, name), name);
      for (let i = 0; i < 3; i++) expect(read(files, name)).toBe(name);
    }
    expect(held(ws, '.many')).toHaveLength(64);
    await expect.poll(() => held(ws, '.many')).toEqual([]);
  });

  it('expires with the walk to its folder', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const ws = makeFolder({ 'a/b/c/f': 'inside' });
    const root = Root.pin(ws);
    const gate = new Boundary({
      root,
      start: [],
      workspace: ws,
      stateDir: makeFolder(),
      home: undefined,
      readHardLinks: true,
    });
    const isHeld = () => {
      const file = root.files.open(asLocated(join(ws, 'a/b/c/f'), root));
      file?.close();
      return file !== undefined;
    };
    gate.open('a/b/c/f').close();
    vi.advanceTimersByTime(900);
    const seen = [isHeld()];
    gate.open('a/b/c/f').close();
    seen.push(isHeld());
    vi.advanceTimersByTime(100);
    expect([...seen, isHeld()]).toEqual([false, true, false]);
  });

  it('is not cached when it is read once', () => {
    const { ws, files } = start();
    writeFileSync(join(ws, 'a/b/c/once'), 'x');
    expect([read(files, 'a/b/c/once'), held(ws, '/once')]).toEqual(['x', []]);
  });
});

function replaced({ path }: Started): void {
  writeFileSync(`${path}2`, 'new');
  renameSync(`${path}2`, path);
}

function folderInstead({ path }: Started): void {
  unlinkSync(path);
  mkdirSync(path);
}

function movedOut({ top, path }: Started): void {
  renameSync(path, join(top, 'outside/f'));
  symlinkSync(join(top, 'outside/f'), path);
}

function folderOut(top: string, ws: string, name: string): void {
  renameSync(join(ws, name), join(top, 'outside/moved'));
  symlinkSync(join(top, 'outside/moved'), join(ws, name));
}

function folderSwapped({ top, ws }: Started): void {
  rmSync(join(ws, 'a/b'), { recursive: true });
  symlinkSync(join(top, 'outside'), join(ws, 'a/b'));
}
