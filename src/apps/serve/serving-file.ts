/** A small file that says where the server is: `pincer status` and `pincer doctor` read it. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writePrivate } from '../../hosts/files/write-private.ts';
import { thisProcess } from '../../hosts/files/owner.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';

/** Where it stands. */
function servingFile(stateDir: string): string {
  return join(stateDir, 'serve', 'serving.json');
}

/** Says in one step where this process serves; the last one to start is the one that is found. */
export function tellServing(stateDir: string, url: string): void {
  const file = servingFile(stateDir);
  makeFolder(dirname(file));
  writePrivate(file, `${JSON.stringify({ ...thisProcess(), url })}\n`);
}

/** This process serves no more; what another one said stays. */
export function tellServingEnded(stateDir: string): void {
  const file = servingFile(stateDir);
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { readonly pid?: unknown };
    if (pid === process.pid) rmSync(file, { force: true });
  } catch {
    // Nothing stands there, or nothing of ours.
  }
}
