/** The way of systems without descriptor paths, taken here by saying that this is one of them. */
import { readFileSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append } from '../../../src/hosts/files/write/append.ts';
import { commit } from '../../../src/hosts/files/batch/commit.ts';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { locate } from '../../support/locate.ts';
import { openFile } from '../../../src/hosts/files/gate/open.ts';
import { hasFdPaths } from '../../../src/hosts/files/gate/pin.ts';
import { replace } from '../../../src/hosts/files/write/replace.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';

const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
beforeAll(() => {
  Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
});
afterAll(() => {
  Object.defineProperty(process, 'platform', platform);
});

function makeWorkspace(): { top: string; ws: string } {
  const top = makeFolder({ 'ws/in.md': 'inside', 'ws/d/f.md': 'inside', 'out/f.md': 'secret' });
  const ws = join(top, 'ws');
  symlinkSync('../in.md', join(ws, 'd/up.md'));
  symlinkSync('../out', join(ws, 'to-out'));
  return { top, ws };
}

describe('without /proc', () => {
  it('is how these tests run', () => {
    expect(hasFdPaths()).toBe(false);
  });

  it.each([
    ['../out/f.md', 'FS_OUTSIDE_WORKSPACE'],
    ['to-out/f.md', 'FS_OUTSIDE_WORKSPACE'],
    ['/etc/passwd', 'FS_OUTSIDE_WORKSPACE'],
    ['none.md', 'FS_NOT_FOUND'],
    ['d', 'OC_PATH_FILE_NOT_REGULAR'],
  ])('%s is refused with %s', (slot, code) => {
    const { ws } = makeWorkspace();
    expect(faultOf(() => locate(ws, slot)).code).toBe(code);
  });

  it('files are read and written', () => {
    const { top, ws } = makeWorkspace();
    const options = { stateDir: join(top, 'state') };
    const open = openFile(locate(ws, 'd/up.md'));
    replace(open, [{ start: 0, end: 2, bytes: Buffer.from('be') }], options);
    open.close();
    append(locate(ws, 'd/f.md'), { line: Buffer.from('more'), eol: '\n' }, options);
    const changes = ['in.md', 'd/f.md'].map((name) => {
      const read = openFile(locate(ws, name));
      read.close();
      return {
        file: read.located,
        stamp: read.stamp,
        edit: { append: { line: Buffer.from('last'), eol: '\n' as const } },
      };
    });
    commit(changes, options);
    expect(['in.md', 'd/f.md'].map((name) => readFileSync(join(ws, name), 'utf8'))).toEqual([
      'beside\nlast',
      'inside\nmore\nlast',
    ]);
    expect([...readdirSync(ws), ...readdirSync(join(ws, 'd'))]).toEqual(['d', 'in.md', 'to-out', 'f.md', 'up.md']);
  });

  it('detects a folder that became a link', () => {
    const { ws } = makeWorkspace();
    const file = locate(ws, 'd/f.md');
    renameSync(join(ws, 'd'), join(ws, 'moved'));
    symlinkSync('../out', join(ws, 'd'));
    expect(faultOf(() => openFile(file)).code).toBe('FS_CHANGED');
  });

  it.each([
    ['../out/f.md', 'FS_OUTSIDE_WORKSPACE'],
    ['to-out/f.md', 'FS_OUTSIDE_WORKSPACE'],
    ['/etc/passwd', 'FS_OUTSIDE_WORKSPACE'],
    ['none.md', 'FS_NOT_FOUND'],
    ['d', 'FS_IS_FOLDER'],
  ])('the path %s of a tool is refused with %s', (path, code) => {
    const { top, ws } = makeWorkspace();
    const files = localFiles({ cwd: ws, stateDir: join(top, 'state') });
    expect(faultOf(() => files.openPath(path)).code).toBe(code);
  });

  it('files are made, moved and removed', () => {
    const { top, ws } = makeWorkspace();
    const stateDir = join(top, 'state');
    const files = localFiles({ cwd: ws, stateDir });
    const at = (name: string) => {
      const { file, stamp } = files.placeOf(name, 'itself');
      return { file, stamp: stamp! };
    };
    const open = files.openPath('d/up.md');
    expect([new TextDecoder().decode(open.readAll()), files.nameOf(open.located)]).toEqual(['inside', 'in.md']);
    open.close();
    commit(
      [
        { file: at('new/deep.md').file, create: Buffer.from('new') },
        { ...at('d/f.md'), moveTo: at('moved/f.md').file },
        { ...at('to-out'), remove: true },
      ],
      { stateDir },
    );
    expect([readFileSync(join(ws, 'new/deep.md'), 'utf8'), readFileSync(join(ws, 'moved/f.md'), 'utf8')]).toEqual([
      'new',
      'inside',
    ]);
    expect([readdirSync(ws), readdirSync(join(ws, 'd'))]).toEqual([['d', 'in.md', 'moved', 'new'], ['up.md']]);
  });
});
