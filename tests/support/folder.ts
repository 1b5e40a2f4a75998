import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What has been ended may write its last meanwhile. */
export const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/** A fresh folder with these files in it, removed when the test has finished. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-')));
  onTestFinished(() => rmSync(folder, REMOVAL));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}
