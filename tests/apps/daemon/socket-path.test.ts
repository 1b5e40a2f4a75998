import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whySocketUnsafe } from '../../../src/apps/daemon/pointer.ts';
import { chooseSocketPath } from '../../../src/apps/daemon/socket-path.ts';
import { makeFolder } from '../../support/folder.ts';

const user = process.geteuid?.() ?? 0;
const shared = `/tmp/pincer-${user}`;

describe('the place of the socket', () => {
  it('is in the runtime folder, in a folder that only we enter', () => {
    const folder = makeFolder({ 'state/x': '' });
    const socket = chooseSocketPath(join(folder, 'state'), folder);
    expect(dirname(socket)).toBe(join(folder, 'pincer'));
    expect(lstatSync(dirname(socket)).mode & 0o777).toBe(0o700);
    expect(whySocketUnsafe(socket)).toBeUndefined();
  });

  it('is short for a state folder of any length, and another for another folder', () => {
    const folder = makeFolder();
    const long = join(folder, 'x'.repeat(200), 'y'.repeat(200));
    mkdirSync(long, { recursive: true });
    const names = [long, folder].map((stateDir) => basename(chooseSocketPath(stateDir, folder)));
    expect(names.map(({ length }) => length)).toEqual([21, 21]);
    expect(new Set(names).size).toBe(2);
  });

  it('is the same through a link to the state folder', () => {
    const folder = makeFolder({ 'state/x': '' });
    symlinkSync(join(folder, 'state'), join(folder, 'link'));
    expect(chooseSocketPath(join(folder, 'link'), folder)).toBe(chooseSocketPath(join(folder, 'state'), folder));
  });

  it.each([
    [
      'is too long',
      (folder: string) => {
        const long = join(folder, 'z'.repeat(100));
        mkdirSync(long);
        return long;
      },
    ],
    ['is not there', (folder: string) => join(folder, 'missing')],
    ['is relative', () => 'run'],
    [
      'lets others replace what is in it',
      (folder: string) => {
        chmodSync(folder, 0o777);
        return folder;
      },
    ],
    [
      'holds a link in the place of our folder',
      (folder: string) => {
        symlinkSync(tmpdir(), join(folder, 'pincer'));
        return folder;
      },
    ],
    [
      'holds a folder that others enter',
      (folder: string) => {
        mkdirSync(join(folder, 'pincer'));
        chmodSync(join(folder, 'pincer'), 0o755);
        return folder;
      },
    ],
  ])('is in /tmp when the runtime folder %s', (_, prepare) => {
    const stateDir = makeFolder();
    const runtime = prepare(makeFolder());
    expect(dirname(chooseSocketPath(stateDir, runtime))).toBe(shared);
  });

  it('is refused in a folder of an untrusted owner', () => {
    const folder = makeFolder();
    expect(whySocketUnsafe(join(folder, 'a.sock'))).toBeUndefined();
    chmodSync(folder, 0o750);
    expect(whySocketUnsafe(join(folder, 'a.sock'))).toBe(`other users can enter ${folder}`);
    rmSync(folder, { recursive: true });
    symlinkSync('/tmp', folder);
    expect(whySocketUnsafe(join(folder, 'a.sock'))).toBe(`${folder} is not a folder`);
  });
});
