/** Restores the content and mode of changed files that the host obeys, as recorded changes that can be undone. */
import { chmodSync } from 'node:fs';
import { basename } from 'node:path';
import { messageOf } from '../../../base/message-of.ts';
import { Folders } from '../../files/batch/folders.ts';
import { fdPath } from '../../files/gate/pin.ts';
import type { Files, Located, LocatedEntry } from '../../files/shape.ts';
import { createPathHandles } from '../../sandbox/profile/path-handles.ts';
import type { KeptContent } from '../../sandbox/sandboxes/kept-contents.ts';
import type { Look } from '../../sandbox/sandboxes/obeyed-watch.ts';
import { type NotRemoved, removeNewFiles } from './quarantine.ts';
import { checkLength, exactPlace, type Recorded, recordedFiles } from './recorded-files.ts';

const NOT_KNOWN: NotRemoved = { why: 'its previous content is not known' };

/** Restores the content and mode of a changed file, folder or symlink; returns why that failed. */
export async function restore(path: string, recorded: Recorded, look: Look): Promise<NotRemoved | undefined> {
  const content = look.contentOf(path);
  if (content === undefined) return NOT_KNOWN;
  const target = content.kind === 'link' ? content.target : undefined;
  const ofTarget = target === undefined ? undefined : await restore(target, recorded, look);
  const files = recordedFiles(recorded);
  try {
    const before = exactPlace(path, files, look.identityOf(path));
    const left = isReplaced(before, content) ? await removeFirst(path, recorded, look) : undefined;
    if (left !== undefined) return left;
    await giveContent(path, content, files, look.identityOf(path));
    // The symlink itself is unchanged: its target has changed.
    const isTurned = content.kind === 'link' && before.link !== content.text;
    return ofTarget === NOT_KNOWN && isTurned ? undefined : ofTarget;
  } catch (error) {
    return { why: messageOf(error) }; // it changes during the check
  } finally {
    files.close();
  }
}

/** Whether another kind of entry is in its place, which must be removed first. */
function isReplaced({ type, link }: LocatedEntry, content: KeptContent): boolean {
  if (type === 'nothing') return false;
  return content.kind === 'link' ? type !== 'link' || link !== content.text : type !== content.kind;
}

async function removeFirst(path: string, recorded: Recorded, look: Look): Promise<NotRemoved | undefined> {
  return (await removeNewFiles([path], recorded, { ...look, whyOperators: (each) => look.whyGuarded(each) })).get(path);
}

async function giveContent(path: string, content: KeptContent, files: Files, seen: string | undefined): Promise<void> {
  const { file, type } = exactPlace(path, files, seen);
  if (content.kind === 'folder') return giveMode(file, content.mode); // the files in it are answered by themselves
  if (content.kind === 'link' && type === 'link') return;
  const writer = await files.writer('quarantine');
  if (content.kind === 'link') writer.commit([{ file, link: content.text }]);
  else if (type === 'nothing') writer.commit([{ file, create: content.bytes, mode: content.mode }]);
  else {
    giveMode(file, content.mode); // first: without it, the file may be unreadable
    const { stamp } = exactPlace(path, files, seen);
    checkLength(path, Number(stamp?.size ?? 0));
    const splices = [{ start: 0, end: Number(stamp?.size ?? 0), bytes: content.bytes }];
    if (stamp !== undefined) writer.commit([{ file, stamp, edit: { splices } }]);
  }
}

/** A write keeps the mode, and the process that changed the content may have changed the mode too. */
function giveMode(file: Located, mode: number): void {
  const pinned = new Folders();
  const handles = createPathHandles();
  try {
    const held = handles.open(pinned.of(file).at(basename(file.path)));
    const isMeant = held?.kind === 'file' || held?.kind === 'folder';
    if (isMeant && Number(held.stats.mode & 0o7777n) !== mode) chmodSync(fdPath(held.fd), mode);
  } finally {
    handles.close();
    pinned.close();
  }
}
