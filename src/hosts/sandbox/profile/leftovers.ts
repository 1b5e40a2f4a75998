/** What a gateway that was killed left in workspaces is removed by the next one, which finds a note of it. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../process/is-alive.ts';
import { createHolds } from './hold.ts';
import { placeholder } from './placeholder.ts';
import { readSmallFile } from '../../obeyed/reading.ts';

const FOLDER = 'placeholders';
const NOTE = /^(\d+)-[\w-]+$/u;

/** Notes that a workspace has folders of ours in it; what it gives takes the note away. */
export function noteLeftover(scratch: string, id: string, workspace: string): () => void {
  const folder = join(scratch, FOLDER);
  const note = join(folder, `${process.pid}-${id}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(note, workspace);
  return () => rmSync(note, { force: true });
}

/** Removes what those who died have noted, as far as it is still there. */
export function sweepLeftovers(scratch: string): void {
  const folder = join(scratch, FOLDER);
  for (const name of notesIn(folder)) {
    const pid = NOTE.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    clean(readSmallFile(join(folder, name)) ?? '');
    rmSync(join(folder, name), { force: true });
  }
}

function notesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Whoever joins those who rely on the folders removes what the dead have left of themselves, and all with the last one. */
function clean(workspace: string): void {
  const holds = createHolds();
  try {
    const held = workspace.startsWith('/') ? holds.hold(workspace) : undefined;
    const git = held?.kind === 'folder' && held.path() === workspace ? holds.hold(held.below('.git')) : undefined;
    if (held !== undefined && git?.kind === 'folder') placeholder(held, 'sweep')?.release();
  } finally {
    holds.close();
  }
}
