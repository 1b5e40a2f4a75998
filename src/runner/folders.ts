/** Creates folders without `recursive: true`, which loops for ever in Node where /proc reports folders that do not exist. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a folder and its parent, where they are missing. */
export function makeFolder(path: string): void {
  for (const each of [dirname(path), path]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
}
