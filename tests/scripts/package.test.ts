import { accessSync, constants, existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesBelow, readText, root } from '../house/sources.ts';

const manifest = JSON.parse(readText('package.json'));
const exported: Record<string, string | { types: string; default: string }> = manifest.exports;
const doors = Object.values(exported).filter((door) => typeof door !== 'string');

/** A built module and those that it loads, at once or later. */
function reachable(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, target = ''] of readText(file).matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/gu))
    reachable(posix.join(posix.dirname(file), target), seen);
  return seen;
}

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

  it('has library doors that need nothing of Node, but for pincer/tools', () => {
    const pure = ['index', 'address', 'path'].flatMap((door) => [...reachable(`dist/lib/${door}.js`)]);
    const needing = (files: readonly string[]) =>
      files.filter((file) => /["'`]node:|\brequire\(|\bprocess\.|\bBuffer\b/u.test(readText(file)));
    expect(needing(pure)).toEqual([]);
    expect(needing([...reachable('dist/lib/tools.js')])).not.toEqual([]);
  });

  it('has one class Fault behind all doors', async () => {
    const load = (door: string): Promise<{ Fault: unknown }> =>
      import(pathToFileURL(join(root, `dist/lib/${door}.js`)).href);
    expect((await load('tools')).Fault).toBe((await load('index')).Fault);
  });

  it.each(doors.map((door) => door.default))('loads the door %s', async (file) => {
    const door: Record<string, unknown> = await import(pathToFileURL(join(root, file)).href);
    expect(Object.keys(door).length).toBeGreaterThan(0);
  });

  it('B25: carries the licence of every package inside of the program, PDF.js among them', () => {
    const yaml = readText('dist/chunks/yaml-library.cjs').includes('Composer');
    expect(readText('dist/THIRD-PARTY.txt').includes('yaml 2.')).toBe(yaml);
    expect(readText('dist/THIRD-PARTY.txt')).toMatch(/^PDF\.js \(pdfjs-dist .*\n\nCopyright Mozilla Foundation\n/mu);
  });
});
