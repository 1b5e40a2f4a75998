/** Gives changed files that the host obeys their content and mode from before, as recorded changes that can be undone. */
import { chmodSync } from 'node:fs';
import { basename } from 'node:path';
import { messageOf } from '../../../base/message-of.ts';
import { Folders } from '../../files/batch/folders.ts';
import { fdPath } from '../../files/gate/pin.ts';
import type { Files, Located, Place } from '../../files/shape.ts';
import { createPathHandles } from '../../sandbox/profile/path-handles.ts';
import type { KeptContent } from '../../sandbox/sandboxes/kept-contents.ts';
import type { Look } from '../../sandbox/sandboxes/obeyed-watch.ts';
import { type Left, takeAway } from './quarantine.ts';
import { checkLength, exactPlace, type Recorded, recordedFiles } from './recorded-files.ts';

const NOT_KNOWN: Left = { why: 'its content from before is not known' };

/** Gives a changed file, folder or link its content and mode from before; returns why that could not be done. */
export async function restore(path: string, recorded: Recorded, look: Look): Promise<Left | undefined> {
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
    // A link that leads where it led was changed by what its target is now.
    const isTurned = content.kind === 'link' && before.link !== content.text;
    return ofTarget === NOT_KNOWN && isTurned ? undefined : ofTarget;
  } catch (error) {
    return { why: messageOf(error) }; // it changes while it is looked at
  } finally {
    files.close();
  }
}

/** Whether something else is in its place, which has to be removed first. */
function isReplaced({ stands, link }: Place, content: KeptContent): boolean {
  if (stands === 'nothing') return false;
  return content.kind === 'link' ? stands !== 'link' || link !== content.text : stands !== content.kind;
}

async function removeFirst(path: string, recorded: Recorded, look: Look): Promise<Left | undefined> {
  return (await takeAway([path], recorded, { ...look, whyOperators: (each) => look.whyGuarded(each) })).get(path);
}

async function giveContent(path: string, content: KeptContent, files: Files, seen: string | undefined): Promise<void> {
  const { file, stands } = exactPlace(path, files, seen);
  if (content.kind === 'folder') return giveMode(file, content.mode); // the files in it are answered by themselves
  if (content.kind === 'link' && stands === 'link') return;
  const writer = await files.writer('quarantine');
  if (content.kind === 'link') writer.commit([{ file, link: content.text }]);
  else if (stands === 'nothing') writer.commit([{ file, create: content.bytes, mode: content.mode }]);
  else {
    giveMode(file, content.mode); // first: without it, the file may not be readable
    const { stamp } = exactPlace(path, files, seen);
    checkLength(path, Number(stamp?.size ?? 0));
    const splices = [{ start: 0, end: Number(stamp?.size ?? 0), bytes: content.bytes }];
    if (stamp !== undefined) writer.commit([{ file, stamp, edit: { splices } }]);
  }
}

/** A write keeps the mode, and whoever changed the content may have changed that, too. */
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
