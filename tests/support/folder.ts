import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Removes a folder. What has been ended may write its last meanwhile, and `rmSync` lists a folder only once: it is called again
 * until nothing new is in the way.
 */
export function removeFolder(folder: string, triesLeft = 30): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2, retryDelay: 100 });
  } catch (error) {
    if (triesLeft === 0) throw error;
    removeFolder(folder, triesLeft - 1);
  }
}

/** A fresh folder with these files in it, removed when the test has finished. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-')));
  onTestFinished(() => removeFolder(folder));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}
