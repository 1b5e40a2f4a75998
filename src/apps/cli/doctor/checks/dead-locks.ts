import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../../../hosts/files/locks/owner.ts';

/** The names of locks whose holders are dead. */
export function deadLocks(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.lock') && isDead(join(folder, name)));
}

function isDead(path: string): boolean {
  try {
    const { pid, start } = JSON.parse(readFileSync(path, 'utf8')) as { pid?: unknown; start?: unknown };
    return typeof pid === 'number' && typeof start === 'string' && !isAlive({ pid, start });
  } catch (error) {
    // Released in this moment; one without content is of a time before the machine went down.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
