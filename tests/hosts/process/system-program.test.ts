import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSystemProgram, systemProgram } from '../../../src/hosts/process/programs/system-program.ts';
import { makeFolder } from '../../support/folder.ts';

const isRoot = process.geteuid?.() === 0;

describe.skipIf(!isRoot)('a helper of the system (only root can make one)', () => {
  function program(): { readonly folder: string; readonly path: string } {
    const folder = join(makeFolder(), 'bin');
    mkdirSync(folder, { mode: 0o755 });
    const path = join(folder, 'tool');
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o755);
    return { folder, path };
  }

  it('is found in a folder that only the administrator writes', () => {
    const { folder, path } = program();
    expect(systemProgram('tool', [join(folder, 'missing'), folder])).toBe(path);
  });

  it.each<[string, (at: { folder: string; path: string }) => void]>([
    ['others can write', ({ path }) => chmodSync(path, 0o757)],
    ['a group can write', ({ path }) => chmodSync(path, 0o775)],
    ['belongs to another user', ({ path }) => chownSync(path, 1234, 1234)],
    ['cannot be run', ({ path }) => chmodSync(path, 0o644)],
    ['stands in a folder that others can write', ({ folder }) => chmodSync(folder, 0o777)],
    ['stands in a folder of another user', ({ folder }) => chownSync(folder, 1234, 1234)],
  ])('is not one that %s', (_, spoil) => {
    const at = program();
    spoil(at);
    expect(systemProgram('tool', [at.folder])).toBeUndefined();
  });

  it('is not a link to one that others can write', () => {
    const { folder } = program();
    const other = program();
    chmodSync(other.folder, 0o777);
    symlinkSync(other.path, join(folder, 'link'));
    expect(systemProgram('link', [folder])).toBeUndefined();
  });
});

it('has no path for a name', () => {
  expect([systemProgram('../bin/cp'), systemProgram('/usr/bin/cp')]).toEqual([undefined, undefined]);
});

it('gets no environment and no folder of ours', () => {
  const looks = 'test -z "$HOME$LD_LIBRARY_PATH$NODE_OPTIONS" && test "$PWD" = /';
  expect(runSystemProgram('sh', ['-c', looks], { timeoutMs: 60_000 })).toBe(true);
});
