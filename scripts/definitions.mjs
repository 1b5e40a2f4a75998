// @ts-check
/** What the definitions of the commands say, for scripts: Node 20 does not run TypeScript by itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @returns {Promise<typeof import('../src/apps/cli/manual/texts.ts')>} */
export async function loadTexts() {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-texts-'));
  try {
    const file = join(folder, 'texts.mjs');
    const bundle = await rolldown({
      cwd: root,
      input: 'src/apps/cli/manual/texts.ts',
      platform: 'node',
      logLevel: 'silent',
    });
    await bundle.write({ file, format: 'esm', codeSplitting: false });
    await bundle.close();
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
