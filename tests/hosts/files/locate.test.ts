import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locateOperator } from '../../../src/hosts/files/gate/locate.ts';
import { locate } from '../../support/locate.ts';
import { openFile } from '../../../src/hosts/files/gate/open.ts';
import { replace } from '../../../src/hosts/files/write/replace.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';
import { withoutPrivilege } from '../../support/privilege.ts';

/** A workspace with one file of each kind of trouble, and a secret outside. */
function makeWorkspace(): { top: string; ws: string } {
  const top = makeFolder({
    'ws/in.md': 'inside',
    'ws/d/f.md': 'inside',
    'out/secret.md': 'secret',
    'ws-evil/secret.md': 'secret',
  });
  const ws = join(top, 'ws');
  symlinkSync('in.md', join(ws, 'to-in.md'));
  symlinkSync('../in.md', join(ws, 'd', 'up.md'));
  symlinkSync(join(ws, 'd'), join(ws, 'absolute-d'));
  symlinkSync('../out/secret.md', join(ws, 'to-secret.md'));
  symlinkSync(join(top, 'out'), join(ws, 'to-out'));
  symlinkSync('../ws/in.md', join(ws, 'out-and-in.md'));
  symlinkSync('loop-b', join(ws, 'loop-a'));
  symlinkSync('loop-a', join(ws, 'loop-b'));
  symlinkSync('nowhere.md', join(ws, 'dangling.md'));
  symlinkSync(join(top, 'out/nowhere.md'), join(ws, 'dangling-out.md'));
  execFileSync('mkfifo', [join(ws, 'pipe')]);
  return { top, ws };
}

describe('locate', () => {
  it.each([
    ['in.md', 'in.md'],
    ['./d//f.md', 'd/f.md'],
    ['d/../in.md', 'in.md'],
    ['to-in.md', 'in.md'],
    ['d/up.md', 'in.md'],
    ['absolute-d/f.md', 'd/f.md'],
    ['absolute-d/../in.md', 'in.md'],
  ])('finds %s at %s', (slot, path) => {
    const { ws } = makeWorkspace();
    expect(locate(ws, slot)).toEqual({ path: join(ws, path), root: ws });
  });

  it.each([
    ['../out/secret.md', 'FS_OUTSIDE_WORKSPACE'],
    ['../ws-evil/secret.md', 'FS_OUTSIDE_WORKSPACE'],
    ['d/../../ws/in.md', 'FS_OUTSIDE_WORKSPACE'],
    ['/etc/passwd', 'FS_OUTSIDE_WORKSPACE'],
    ['to-secret.md', 'FS_OUTSIDE_WORKSPACE'],
    ['to-out/secret.md', 'FS_OUTSIDE_WORKSPACE'],
    ['out-and-in.md', 'FS_OUTSIDE_WORKSPACE'],
    ['dangling-out.md', 'FS_OUTSIDE_WORKSPACE'],
    ['loop-a', 'FS_TOO_MANY_LINKS'],
    ['dangling.md', 'FS_NOT_FOUND'],
    ['missing.md', 'FS_NOT_FOUND'],
    ['missing/in.md', 'FS_NOT_FOUND'],
    ['in.md/', 'FS_NOT_FOUND'],
    ['in.md/x', 'FS_NOT_FOUND'],
    ['nul\0.md', 'FS_NOT_FOUND'],
    ['x'.repeat(300), 'FS_UNREADABLE'],
    ['', 'OC_PATH_FILE_NOT_REGULAR'],
    ['.', 'OC_PATH_FILE_NOT_REGULAR'],
    ['d', 'OC_PATH_FILE_NOT_REGULAR'],
    ['d/', 'OC_PATH_FILE_NOT_REGULAR'],
    ['pipe', 'OC_PATH_FILE_NOT_REGULAR'],
  ])('refuses %j with %s', (slot, code) => {
    const { ws } = makeWorkspace();
    expect(faultOf(() => locate(ws, slot)).code).toBe(code);
  });

  it('reports where a refused link leads and how to reach the file', () => {
    const { ws } = makeWorkspace();
    expect(faultOf(() => locate(ws, 'to-secret.md'))).toEqual({
      code: 'FS_OUTSIDE_WORKSPACE',
      message: `to-secret.md is outside ${ws}: the symlink to-secret.md leads to ../out/secret.md`,
      hint: 'name that file with --file, or choose another folder with --cwd',
    });
    expect(faultOf(() => locate(ws, 'to-out/secret.md')).message).toBe(
      `to-out/secret.md is outside ${ws}: the symlink to-out leads to ${join(ws, '..', 'out')}`,
    );
  });

  it('suggests similar names when a file is missing', () => {
    const ws = makeFolder({ 'AGENTS.md': '', 'agent.json': '', 'notes/plan.yaml': '', 'other.txt': '' });
    expect(faultOf(() => locate(ws, 'AGENT.md'))).toEqual({
      code: 'FS_NOT_FOUND',
      message: `file not found: ${join(ws, 'AGENT.md')}`,
      hint: 'the folder contains AGENTS.md, agent.json',
    });
    expect(faultOf(() => locate(ws, 'notes/plan.yml')).hint).toBe('the folder contains plan.yaml');
    expect(faultOf(() => locate(ws, 'zzzzzzzz')).hint).toBe(
      'check the name; --cwd sets the folder of relative names, --file names a file anywhere',
    );
  });

  it('reports a workspace that is missing or not a folder', () => {
    const ws = makeFolder({ file: '' });
    expect(faultOf(() => locate(join(ws, 'none'), 'x')).message).toBe(`folder not found: ${join(ws, 'none')}`);
    expect(faultOf(() => locate(join(ws, 'file'), 'x')).message).toBe(`not a folder: ${join(ws, 'file')}`);
  });

  it('reports missing permission', () => {
    const ws = makeFolder({ 'shut/in.md': '', 'secret.md': '' });
    chmodSync(join(ws, 'secret.md'), 0);
    chmodSync(join(ws, 'shut'), 0);
    chmodSync(ws, 0o755);
    const faults = withoutPrivilege(() => [
      faultOf(() => locate(ws, 'shut/in.md')).message,
      faultOf(() => openFile(locate(ws, 'secret.md'))).message,
    ]);
    chmodSync(join(ws, 'shut'), 0o700);
    expect(faults).toEqual([
      `no permission to read ${join(ws, 'shut/in.md')}`,
      `no permission to read ${join(ws, 'secret.md')}`,
    ]);
  });
});

describe('locateOperator', () => {
  it('accepts absolute and relative paths and follows links anywhere', () => {
    const { top, ws } = makeWorkspace();
    const secret = { path: join(top, 'out/secret.md'), root: undefined };
    expect(locateOperator('/', join(top, 'out/secret.md'))).toEqual(secret);
    expect(locateOperator(ws, '../out/secret.md')).toEqual(secret);
    expect(locateOperator(ws, 'to-secret.md')).toEqual(secret);
  });

  it.each([
    ['d', 'OC_PATH_FILE_NOT_REGULAR'],
    ['pipe', 'OC_PATH_FILE_NOT_REGULAR'],
    ['/dev/null', 'OC_PATH_FILE_NOT_REGULAR'],
    ['in.md/', 'FS_NOT_FOUND'],
    ['dangling.md', 'FS_NOT_FOUND'],
    ['loop-a', 'FS_UNREADABLE'],
  ])('refuses %s with %s', (path, code) => {
    const { ws } = makeWorkspace();
    expect(faultOf(() => locateOperator(ws, path)).code).toBe(code);
  });
});

describe('after locating', () => {
  it('a folder that became a link is not followed', () => {
    const { top, ws } = makeWorkspace();
    writeFileSync(join(top, 'out', 'f.md'), 'secret');
    const file = locate(ws, 'd/f.md');
    renameSync(join(ws, 'd'), join(ws, 'moved'));
    symlinkSync(join(top, 'out'), join(ws, 'd'));
    expect(faultOf(() => openFile(file)).code).toBe('FS_CHANGED');
  });

  it('a file that became a link is not followed, neither for reading nor for writing', () => {
    const { top, ws } = makeWorkspace();
    const file = locate(ws, 'in.md');
    const open = openFile(file);
    renameSync(join(ws, 'in.md'), join(ws, 'moved.md'));
    symlinkSync(join(top, 'out/secret.md'), join(ws, 'in.md'));
    expect(faultOf(() => openFile(file)).code).toBe('FS_CHANGED');
    const splice = { start: 0, end: 0, bytes: new Uint8Array([65]) };
    expect(faultOf(() => replace(open, [splice], { stateDir: join(top, 'state') })).code).toBe('FS_CHANGED');
    open.close();
    expect(readFileSync(join(top, 'out/secret.md'), 'utf8')).toBe('secret');
  });

  it('a write through a link changes its target', () => {
    const { top, ws } = makeWorkspace();
    const open = openFile(locate(ws, 'd/up.md'));
    replace(open, [{ start: 0, end: 2, bytes: new TextEncoder().encode('be') }], { stateDir: join(top, 'state') });
    open.close();
    expect(readlinkSync(join(ws, 'd/up.md'))).toBe('../in.md');
    expect(readFileSync(join(ws, 'in.md'), 'utf8')).toBe('beside');
  });

  it('a file with two hard links is refused, and both keep their bytes', () => {
    const { top, ws } = makeWorkspace();
    mkdirSync(join(top, 'links'));
    linkSync(join(ws, 'in.md'), join(top, 'links/in.md'));
    const open = openFile(locate(ws, 'in.md'));
    const fault = faultOf(() =>
      replace(open, [{ start: 0, end: 6, bytes: new Uint8Array() }], { stateDir: join(top, 'state') }),
    );
    open.close();
    expect(fault.code).toBe('FS_HARD_LINKED');
    expect(readFileSync(join(top, 'links/in.md'), 'utf8')).toBe('inside');
  });
});
