// @ts-check
/**
 * What is measured without the program around it, as a module that Node can load. It is bundled by another process: a
 * bundler makes a process large, and a large one starts others slowly.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const root = join(dirname(self), '..', '..');
const SOURCES = [
  'src/hosts/sandbox/bubblewrap.ts',
  'src/hosts/sandbox/container/backend.ts',
  'src/hosts/sandbox/container/engine.ts',
  'src/hosts/sandbox/link/link.ts',
  'src/hosts/sandbox/owner.ts',
  'src/hosts/sandbox/provisions.ts',
  'src/hosts/sandbox/sandboxes.ts',
  'src/apps/assemble.ts',
  'tests/support/engines/engine.ts',
];

/** @param {string} folder where the module goes */
export async function loadParts(folder) {
  execFileSync(process.execPath, [self, folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  return import(join(folder, 'parts.mjs'));
}

/** @param {string} folder */
async function bundle(folder) {
  const { rolldown } = await import('rolldown');
  const entry = join(folder, 'parts.ts');
  writeFileSync(entry, SOURCES.map((source) => `export * from '${root}/${source}';\n`).join(''));
  const parts = await rolldown({
    cwd: root,
    input: { parts: entry },
    platform: 'node',
    external: ['@lydell/node-pty', '@xterm/headless', 'libsql', 'sharp'],
    logLevel: 'silent',
  });
  await parts.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await parts.close();
}

if (process.argv[1] === self) await bundle(process.argv[2] ?? '');
