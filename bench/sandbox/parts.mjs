// @ts-check
/** What is measured without the program around it, as a module that Node can load. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
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
  const entry = join(folder, 'parts.ts');
  writeFileSync(entry, SOURCES.map((source) => `export * from '${root}/${source}';\n`).join(''));
  const bundle = await rolldown({
    cwd: root,
    input: { parts: entry },
    platform: 'node',
    external: ['@lydell/node-pty', '@xterm/headless', 'libsql', 'sharp'],
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  return import(join(folder, 'parts.mjs'));
}
