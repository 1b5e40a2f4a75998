import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingEntries, platformOf } from '../../scripts/complete-lock.mjs';

describe('platformOf', () => {
  it.each([
    ['@x/binding-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
    ['@x/binding-linux-x64-musl', { cpu: ['x64'], libc: ['musl'], os: ['linux'] }],
    ['@x/binding-linux-arm-gnueabihf', { cpu: ['arm'], libc: ['glibc'], os: ['linux'] }],
    ['@x/win32-x64', { cpu: ['x64'], os: ['win32'] }],
    ['@x/binding-wasm32-wasi', { cpu: ['wasm32'] }],
    ['plain', {}],
  ])('reads %s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });
});

describe('missingEntries', () => {
  it('adds what npm left out, and nothing that is there or has a range', () => {
    const lock = {
      packages: {
        '': {},
        'node_modules/a': {
          dev: true,
          version: '1.0.0',
          optionalDependencies: { 'a-linux-x64': '1.0.0', 'a-darwin-arm64': '1.0.0', fsevents: '~2.3.3' },
        },
        'node_modules/a-linux-x64': { version: '1.0.0' },
      },
    };
    expect(missingEntries(lock)).toEqual({
      'node_modules/a-darwin-arm64': { version: '1.0.0', cpu: ['arm64'], dev: true, optional: true, os: ['darwin'] },
    });
  });

  it('puts a second version inside of the package whose version wants it', () => {
    const lock = {
      packages: {
        'node_modules/a': { version: '2.0.0', optionalDependencies: { 'a-win32-x64': '2.0.0' } },
        'node_modules/b/node_modules/a': { version: '1.0.0', optionalDependencies: { 'a-win32-x64': '1.0.0' } },
      },
    };
    expect(Object.keys(missingEntries(lock))).toEqual([
      'node_modules/a-win32-x64',
      'node_modules/b/node_modules/a-win32-x64',
    ]);
  });

  it('B25: names a checksum for everything that is downloaded here', () => {
    const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
      packages: Record<string, { integrity?: string; optional?: true; os?: string[]; cpu?: string[]; libc?: string[] }>;
    };
    const open = Object.entries(lock.packages).filter(
      ([path, { integrity }]) => path !== '' && integrity === undefined,
    );
    const fits = (names: readonly string[] | undefined, own: string): boolean => names?.includes(own) ?? true;
    const downloaded = open.filter(
      ([, { optional, os, cpu, libc }]) =>
        optional !== true || (fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc')),
    );
    expect(downloaded.map(([path]) => path)).toEqual([]);
  });
});
