/** Takes files away that the host would obey, as recorded changes that can be undone. */
import { basename } from 'node:path';
import { actorOf } from '../../wire/actor.ts';
import { OWN_CLIENT } from '../../wire/client-name.ts';
import { Folders, removeEmpty } from '../files/batch/folders.ts';
import { localFiles } from '../files/files.ts';
import type { FileChange, Files, Located } from '../host.ts';
import { isUtf8Path } from '../obeyed/path-bytes.ts';
import type { SandboxPlace } from '../sandbox/owner.ts';

const MOST_TAKEN = 20_000;
/** Files of one recorded change. */
const MOST_AT_ONCE = 1_000;

interface Collected {
  readonly removals: FileChange[];
  /** Each in front of those in it. */
  readonly folders: Located[];
}

/** Takes a file, or a folder with all in it, away; returns why that could not be done. */
export async function quarantine(
  path: string,
  workspace: string,
  stateDir: string,
  place: SandboxPlace,
): Promise<string | undefined> {
  if (!isUtf8Path(path)) return 'its name is not UTF-8';
  // Not the agent's own: its undo must not bring the file back.
  const author = { ...actorOf(place), client: OWN_CLIENT };
  const files = localFiles({ cwd: workspace, stateDir, author, protect: 'none', hardLinks: 'in-place' });
  try {
    const all: Collected = { removals: [], folders: [] };
    const why = collect(path, files, all);
    for (let at = 0; at < all.removals.length; at += MOST_AT_ONCE)
      (await files.writer('quarantine')).commit(all.removals.slice(at, at + MOST_AT_ONCE));
    removeFolders(all.folders);
    return why ?? (files.placeOf(path, 'itself').stands === 'nothing' ? undefined : 'not all of it could be removed');
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // it changes while it is looked at
  } finally {
    files.close();
  }
}

/** Through the gate, so that a link that was put in the way leads nowhere; returns what cannot be taken. */
function collect(path: string, files: Files, all: Collected): string | undefined {
  if (all.removals.length >= MOST_TAKEN) return `there are more than ${MOST_TAKEN} files in it`;
  const { file, stands, stamp } = files.placeOf(path, 'itself');
  if (stands === 'nothing') return undefined;
  if (stands === 'folder') {
    all.folders.push(file);
    let why: string | undefined;
    for (const name of files.list(path)) why = collect(`${path}/${name.replace(/\/$/u, '')}`, files, all) ?? why;
    return why;
  }
  if (stamp === undefined || (stands !== 'file' && stands !== 'link'))
    return `${JSON.stringify(path)} is neither a file nor a folder nor a link`;
  all.removals.push({ file, stamp, remove: true });
  return undefined;
}

/** Removes the folders that have become empty. */
function removeFolders(folders: readonly Located[]): void {
  const pinned = new Folders();
  try {
    for (const folder of [...folders].reverse()) removeEmpty(pinned.of(folder).at(basename(folder.path)));
  } finally {
    pinned.close();
  }
}
