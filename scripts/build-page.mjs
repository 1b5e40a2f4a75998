// @ts-check
/** Builds the control page of `src/page`, with compressed copies beside its files. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @typedef {import('rolldown').OutputChunk | import('rolldown').OutputAsset} Output */

/** Gives the built files. @param {string} out @returns {Promise<Output[]>} */
export async function buildPage(out) {
  const result = await build({
    configFile: false,
    root: join(root, 'src', 'page'),
    base: '/',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: out,
      emptyOutDir: false,
      target: 'es2023',
      assetsInlineLimit: 0, // the Content-Security-Policy of the page allows no data: in styles
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  compressFiles(out);
  if (!('output' in result)) throw new Error('vite did not build one output.');
  return result.output;
}

/** The server sends these files as they are. @param {string} folder */
function compressFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.(?:html|js|css|svg)$/u.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  }
}
