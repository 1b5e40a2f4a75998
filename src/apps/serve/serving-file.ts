/** A file in the state folder with the URL of the running server, for `pincer page`, `pincer status` and `pincer doctor`. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAlive, thisProcess } from '../../hosts/files/locks/owner.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import { writePrivate } from '../../hosts/files/write-private.ts';

function servingFile(stateDir: string): string {
  return join(stateDir, 'serve', 'serving.json');
}

/** Replaces the file atomically; the last server that starts wins. */
export function writeServingFile(stateDir: string, url: string): void {
  const file = servingFile(stateDir);
  makeFolder(dirname(file));
  writePrivate(file, `${JSON.stringify({ ...thisProcess(), url })}\n`);
}

/** Keeps the file of another process. */
export function removeServingFile(stateDir: string): void {
  const file = servingFile(stateDir);
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { readonly pid?: unknown };
    if (pid === process.pid) rmSync(file, { force: true });
  } catch {
    // There is no file, or another process has damaged it.
  }
}

/** The running HTTP server of the state folder. */
export function servingIn(stateDir: string): { readonly pid: number; readonly url: string } | undefined {
  try {
    const noted: unknown = JSON.parse(readFileSync(servingFile(stateDir), 'utf8'));
    const { pid, start, url } = noted as Record<string, unknown>;
    if (typeof pid !== 'number' || typeof start !== 'string' || typeof url !== 'string') return undefined;
    return pid > 1 && isAlive({ pid, start }) ? { pid, url } : undefined;
  } catch {
    return undefined; // no server, or a damaged file, which the next server replaces
  }
}
