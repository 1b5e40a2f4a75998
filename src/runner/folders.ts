/** Makes folders without Node's own way of making those above, too, which never ends where the kernel pretends that they exist. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder and the one above it, where they are not there. */
export function makeFolder(path: string): void {
  for (const each of [dirname(path), path]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
}
