/** Takes files away that the host would obey, and restores changed ones, as recorded changes that can be undone. */
import { chmodSync } from 'node:fs';
import { basename } from 'node:path';
import { actorOf } from '../../wire/actor.ts';
import { OWN_CLIENT } from '../../wire/client-name.ts';
import { Folders, removeEmpty } from '../files/batch/folders.ts';
import { localFiles } from '../files/files.ts';
import { fdPath } from '../files/pin.ts';
import type { FileChange, Files, Located } from '../host.ts';
import { isUtf8Path } from '../obeyed/path-bytes.ts';
import { createHolds } from '../sandbox/profile/hold.ts';
import type { KeptContent } from '../sandbox/sandboxes/kept-contents.ts';
import type { SandboxPlace } from '../sandbox/owner.ts';

const MOST_TAKEN = 20_000;
/** Files of one recorded change. */
const MOST_AT_ONCE = 1_000;

interface Collected {
  readonly removals: FileChange[];
  /** Each in front of those in it. */
  readonly folders: Located[];
}

/** Where a change is made, and where it is recorded. */
export interface Recorded {
  readonly workspace: string;
  readonly stateDir: string;
  readonly place: SandboxPlace;
}

/** Takes a file, or a folder with all in it, away; returns why that could not be done. */
export async function takeAway(path: string, recorded: Recorded): Promise<string | undefined> {
  return withFiles(path, recorded, (files) => removeAll(path, files));
}

/** Gives a changed file, folder or link its content and mode from before; returns why that could not be done. */
export async function restore(
  path: string,
  contentOf: (path: string) => KeptContent | undefined,
  recorded: Recorded,
): Promise<string | undefined> {
  const content = contentOf(path);
  if (content === undefined) return NOT_KNOWN;
  const target = content.kind === 'link' ? content.target : undefined;
  const ofTarget = target === undefined ? undefined : await restore(target, contentOf, recorded);
  return withFiles(path, recorded, async (files) => {
    const before = files.placeOf(path, 'itself');
    const why = await giveContent(path, content, files);
    // A link that leads where it led was changed by what its target is now.
    const isTurned = content.kind === 'link' && before.link !== content.text;
    return why ?? (ofTarget === NOT_KNOWN && isTurned ? undefined : ofTarget);
  });
}

const NOT_KNOWN = 'its content from before is not known';

async function withFiles(
  path: string,
  { workspace, stateDir, place }: Recorded,
  work: (files: Files) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!isUtf8Path(path)) return 'its name is not UTF-8';
  // Not the agent's own: its undo must not bring the file back.
  const author = { ...actorOf(place), client: OWN_CLIENT };
  const files = localFiles({ cwd: workspace, stateDir, author, protect: 'none', hardLinks: 'in-place' });
  try {
    return await work(files);
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // it changes while it is looked at
  } finally {
    files.close();
  }
}

async function removeAll(path: string, files: Files): Promise<string | undefined> {
  const all: Collected = { removals: [], folders: [] };
  const why = collect(path, files, all);
  for (let at = 0; at < all.removals.length; at += MOST_AT_ONCE)
    (await files.writer('quarantine')).commit(all.removals.slice(at, at + MOST_AT_ONCE));
  removeFolders(all.folders);
  return why ?? (files.placeOf(path, 'itself').stands === 'nothing' ? undefined : 'not all of it could be removed');
}

async function giveContent(path: string, content: KeptContent, files: Files): Promise<string | undefined> {
  const found = files.placeOf(path, 'itself');
  if (content.kind === 'link' && found.stands === 'link' && found.link === content.text) return undefined;
  if (content.kind === 'folder') {
    giveMode(found.file, content.mode); // the files in it are answered by themselves
    return undefined;
  }
  const writer = await files.writer('quarantine');
  if (content.kind === 'file' && found.stands === 'file') {
    giveMode(found.file, content.mode); // first: without it, the file may not be readable
    const { file, stamp } = files.placeOf(path, 'itself');
    if (stamp === undefined) return 'it is gone';
    const splices = [{ start: 0, end: Number(stamp.size), bytes: content.bytes }];
    writer.commit([{ file, stamp, edit: { splices } }]);
    return undefined;
  }
  const why = found.stands === 'nothing' ? undefined : await removeAll(path, files);
  if (why !== undefined) return why;
  const { file } = found;
  const { kind } = content;
  writer.commit([kind === 'link' ? { file, link: content.text } : { file, create: content.bytes, mode: content.mode }]);
  return undefined;
}

/** A write keeps the mode, and whoever changed the content may have changed that, too. */
function giveMode(file: Located, mode: number): void {
  const pinned = new Folders();
  const holds = createHolds();
  try {
    const held = holds.hold(pinned.of(file).at(basename(file.path)));
    const isMeant = held?.kind === 'file' || held?.kind === 'folder';
    if (isMeant && Number(held.stats.mode & 0o7777n) !== mode) chmodSync(fdPath(held.fd), mode);
  } finally {
    holds.close();
    pinned.close();
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
