// @ts-check
/** Sources as one module that Node 20 can load, for what is measured in process. */
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** @param {string} source @param {string} folder where the module goes @param {string} name */
export async function bundleSource(source, folder, name) {
  const bundle = await rolldown({
    cwd: root,
    input: { [name]: source },
    platform: 'node',
    external: ['sharp'],
    logLevel: 'silent',
  });
  const out = join(folder, name);
  await bundle.write({ dir: out, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  return join(out, `${name}.mjs`);
}
