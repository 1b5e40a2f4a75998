// @ts-check
/** The client of the daemon and the node's end of a link, as a module that Node can load. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const root = join(dirname(self), '..', '..');
const SOURCES = [
  'src/base/fault.ts',
  'src/apps/client/connect.ts',
  'src/hosts/channel/carriers/websocket.ts',
  'src/hosts/channel/link.ts',
  'src/hosts/identity/certificate.ts',
  'src/hosts/identity/handshake.ts',
  'src/hosts/identity/invitation.ts',
  'src/hosts/identity/keys.ts',
  'src/wire/nodes/methods.ts',
];

/** Bundles it in another process: a bundler makes a process large. @param {string} folder @returns {string} the module */
export function bundleParts(folder) {
  execFileSync(process.execPath, [self, folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  return join(folder, 'parts.mjs');
}

/** @param {string} folder */
async function bundle(folder) {
  const { rolldown } = await import('rolldown');
  const entry = join(folder, 'parts.ts');
  writeFileSync(entry, SOURCES.map((source) => `export * from '${root}/${source}';\n`).join(''));
  const parts = await rolldown({ cwd: root, input: { parts: entry }, platform: 'node', logLevel: 'silent' });
  await parts.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await parts.close();
}

if (process.argv[1] === self) await bundle(process.argv[2] ?? '');
