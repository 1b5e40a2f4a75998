import { hashParts } from './keep-file.ts';
import { inverseSplices, type KeptFile, newBytes, type Region, wholeAfter, wholeBefore } from './kept-file.ts';
import { Content } from './content.ts';
import type { Overlay, OverlayEntry } from './overlay.ts';

/** File system clocks are coarser than that of the record. */
const CLOCK_SLACK_MS = 2000;

/** `differs`: the file has neither the content after the change nor the one before it. */
export type ReverseResult = 'reversed' | 'already' | 'differs';

/** Reverses one file of a change in the overlay. `lastWritten` returns the time of the newest recorded write of a path. */
export function reverseFile(file: KeptFile, overlay: Overlay, lastWritten: (path: string) => number): ReverseResult {
  if (file.link !== undefined) return reverseLink(file.path, file.link, file.action === 'add', overlay);
  const entry = overlay.at(file.path);
  if (file.modeAfter !== undefined) return reverseMode(file, file.modeAfter, overlay);
  if (file.isFolder === true) return reverseFolder(file, overlay);
  switch (file.action) {
    case 'add':
      if (entry.kind === 'nothing') return 'already';
      if (!hasContent(entry, file, 'after', lastWritten(file.path))) return 'differs';
      overlay.put(file.path, { kind: 'nothing' });
      return 'reversed';
    case 'delete':
      if (entry.kind === 'nothing') {
        overlay.put(file.path, fileOf(file.content!, file.mode));
        return 'reversed';
      }
      return hasContent(entry, file, 'before', lastWritten(file.path)) ? 'already' : 'differs';
    case 'modify':
      if (hasContent(entry, file, 'after', lastWritten(file.path))) {
        overlay.put(file.path, { ...entry, content: entry.content.spliced(inverseSplices(file.regions)) });
        return 'reversed';
      }
      return hasContent(entry, file, 'before', lastWritten(file.path)) ? 'already' : 'differs';
    case 'move':
      return reverseMove(file, file.movedTo!, overlay, lastWritten);
  }
}

/** A link has no content except its target, so that is compared. */
function reverseLink(path: string, text: string, wasCreated: boolean, overlay: Overlay): ReverseResult {
  const entry = overlay.at(path);
  const exists = entry.kind === 'link' && entry.text === text;
  if (entry.kind !== 'nothing' && !exists) return 'differs';
  if (exists !== wasCreated) return 'already';
  overlay.put(path, wasCreated ? { kind: 'nothing' } : { kind: 'link', text });
  return 'reversed';
}

function reverseFolder({ path, action, mode }: KeptFile, overlay: Overlay): ReverseResult {
  const entry = overlay.at(path);
  if (entry.kind !== 'nothing' && entry.kind !== 'folder') return 'differs';
  const wasCreated = action === 'add';
  if ((entry.kind === 'folder') !== wasCreated) return 'already';
  overlay.put(path, wasCreated ? { kind: 'nothing' } : { kind: 'folder', mode });
  return 'reversed';
}

function reverseMode({ path, mode, isFolder }: KeptFile, after: number, overlay: Overlay): ReverseResult {
  const entry = overlay.at(path);
  if (entry.kind !== (isFolder === true ? 'folder' : 'file')) return 'differs';
  if (entry.mode === mode) return 'already';
  if (entry.mode !== after) return 'differs';
  overlay.put(path, { ...entry, mode });
  return 'reversed';
}

function reverseMove(
  file: KeptFile,
  to: string,
  overlay: Overlay,
  lastWritten: (path: string) => number,
): ReverseResult {
  const source = overlay.at(file.path);
  const target = overlay.at(to);
  if (source.kind === 'nothing' && hasContent(target, file, 'after', lastWritten(to))) {
    overlay.put(file.path, { ...target, content: target.content.spliced(inverseSplices(file.regions)) });
    overlay.put(to, file.over === undefined ? { kind: 'nothing' } : fileOf(file.over, file.overMode ?? target.mode));
    return 'reversed';
  }
  const { over } = file;
  const isTargetRestored =
    over === undefined ? target.kind === 'nothing' : target.kind === 'file' && hasBytes(target.content, over);
  return isTargetRestored && hasContent(source, file, 'before', lastWritten(file.path)) ? 'already' : 'differs';
}

function fileOf(bytes: Uint8Array, mode: number): OverlayEntry {
  return { kind: 'file', content: Content.ofBytes(bytes), mode };
}

/** Whether the entry is a file with the content from before or after the change. */
function hasContent(
  entry: OverlayEntry,
  file: KeptFile,
  side: 'before' | 'after',
  lastWritten: number,
): entry is Extract<OverlayEntry, { kind: 'file' }> {
  if (entry.kind !== 'file' || entry.content.size !== file[side].size) return false;
  const whole = side === 'before' ? wholeBefore(file) : wholeAfter(file);
  if (whole !== undefined) return hasBytes(entry.content, whole);
  const { hash } = file[side];
  if (hash !== undefined) return hashParts(entry.content.chunks()) === hash;
  return hasRegions(entry.content, file.regions, side) && !isWrittenAfter(entry.content, lastWritten);
}

function hasBytes(content: Content, bytes: Uint8Array): boolean {
  return content.size === bytes.length && Buffer.compare(content.read(0, content.size), bytes) === 0;
}

/** A big file is compared by its regions and its mtime. */
function hasRegions(content: Content, regions: readonly Region[], side: 'before' | 'after'): boolean {
  let growth = 0;
  return regions.every((region) => {
    const bytes = side === 'before' ? region.old : newBytes(region);
    const at = region.from + growth;
    if (side === 'after') growth += bytes.length - region.old.length;
    return at + bytes.length <= content.size && Buffer.compare(content.read(at, at + bytes.length), bytes) === 0;
  });
}

function isWrittenAfter(content: Content, lastWritten: number): boolean {
  const file = content.unchangedFile;
  return file !== undefined && file.stamp.mtimeNs / 1_000_000n > BigInt(lastWritten + CLOCK_SLACK_MS);
}
