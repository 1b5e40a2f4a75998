import { chmodSync, copyFileSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binaryAt, createLookup } from '../../../src/hosts/process/programs/which.ts';
import { makeFolder } from '../../support/folder.ts';

function program(path: string): string {
  copyFileSync(realpathSync('/bin/true'), path);
  chmodSync(path, 0o755);
  return path;
}

describe('a lookup', () => {
  it('finds the first program in PATH that can be run, and its real path', () => {
    const root = makeFolder({ 'one/tool': 'no program', 'two/x': '' });
    program(join(root, 'two', 'real-tool'));
    symlinkSync('real-tool', join(root, 'two', 'tool'));
    const found = createLookup({ path: `${root}/one:${root}/two`, cwd: root }).find('tool');
    expect({ path: found?.path, real: found?.real }).toEqual({
      path: join(root, 'two', 'tool'),
      real: join(root, 'two', 'real-tool'),
    });
  });

  it('never searches the working folder', () => {
    const root = makeFolder();
    program(join(root, 'tool'));
    for (const path of ['', '.', ':', './:', 'bin:'])
      expect(createLookup({ path, cwd: root }).find('tool'), path).toBeUndefined();
  });

  it('takes a word with a slash from the working folder on', () => {
    const root = makeFolder();
    program(join(root, 'tool'));
    expect(createLookup({ path: '', cwd: root }).find('./tool')?.real).toBe(join(root, 'tool'));
  });

  it('goes up behind a link as the kernel does', () => {
    const root = makeFolder({ 'far/below/x': '', 'tool/x': '' });
    program(join(root, 'far', 'tool'));
    symlinkSync('far/below', join(root, 'link'));
    expect(createLookup({ path: '', cwd: root }).find('link/../tool')?.real).toBe(join(root, 'far', 'tool'));
  });

  it.each(['', 'nothing', 'a\0b', 'folder', './folder'])('finds nothing for %j', (word) => {
    const root = makeFolder({ 'folder/x': '' });
    expect(createLookup({ path: root, cwd: root }).find(word)).toBeUndefined();
  });

  it('tells a program that others could have written', () => {
    const root = makeFolder();
    mkdirSync(join(root, 'open'));
    chmodSync(join(root, 'open'), 0o777);
    expect(binaryAt(program(join(root, 'open', 'tool')))?.writable).toBe(true);
    expect(binaryAt(program(join(root, 'tool')))?.writable).toBe(false);
  });

  it('gives another identity to another content', () => {
    const path = program(join(makeFolder(), 'tool'));
    const before = binaryAt(path)?.identity;
    writeFileSync(path, '#!/bin/sh\n');
    expect(binaryAt(path)?.identity).not.toEqual(before);
  });
});
