import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesBelow, readText, root } from '../house/sources.ts';

const manifest = JSON.parse(readText('package.json'));
const exported: Record<string, string | { types: string; default: string }> = manifest.exports;
const doors = Object.values(exported).filter((door) => typeof door !== 'string');

describe('what the build makes', () => {
  it('has every file that package.json promises', () => {
    const promised = [manifest.bin.pincer, ...doors.flatMap((door) => [door.types, door.default])];
    expect(promised.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('has a program that can be executed and begins with its interpreter', () => {
    accessSync(join(root, manifest.bin.pincer), constants.X_OK);
    expect(readText(manifest.bin.pincer)).toMatch(/^#!\/usr\/bin\/env node\n/u);
  });

  it('has a program that never starts the ESM loader', () => {
    const program = filesBelow('dist').filter((file) => file.endsWith('.cjs'));
    expect(program.filter((file) => /\bimport\s*\(/u.test(readText(file)))).toEqual([]);
  });

  it('has library doors that need nothing of Node', () => {
    const library = filesBelow('dist/lib').filter((file) =>
      /["'`]node:|\brequire\(|\bprocess\.|\bBuffer\b/u.test(readText(file)),
    );
    expect(library).toEqual([]);
  });

  it.each(doors.map((door) => door.default))('loads the door %s', async (file) => {
    const door: Record<string, unknown> = await import(pathToFileURL(join(root, file)).href);
    expect(Object.keys(door).length).toBeGreaterThan(0);
  });

  it('carries the licence of every package inside of the program', () => {
    const yaml = readText('dist/chunks/yaml-library.cjs').includes('parseAllDocuments');
    expect(readText('dist/THIRD-PARTY.txt').includes('yaml 2.')).toBe(yaml);
  });
});
