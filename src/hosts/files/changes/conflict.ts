/** Explains why a change cannot be undone: what it left in the file, what is there now, and what the undo would write. */
import type { Conflict } from '../shape.ts';
import { contentDiff, fileDiff } from './diff.ts';
import { filesOf, isOriginal, type StoredChange } from './history.ts';
import {
  COUNTED_FILE,
  inverseRegions,
  type KeptFile,
  newBytes,
  type Region,
  wholeAfter,
  wholeBefore,
} from './kept-file.ts';
import type { Overlay, OverlayEntry } from './overlay.ts';

export interface ConflictInput {
  readonly change: StoredChange;
  readonly file: KeptFile;
  readonly overlay: Overlay;
  readonly history: readonly StoredChange[];
  /** The ids of the changes that are undone together. */
  readonly chosen: ReadonlySet<string>;
  readonly nameOf: (path: string) => string;
}

export function explainConflict(input: ConflictInput): Conflict {
  const { change, file, overlay, nameOf } = input;
  const entry = overlay.at(file.movedTo ?? file.path);
  const later = laterChanges(input);
  const name = nameOf(file.movedTo ?? file.path);
  return {
    path: name,
    change: change.header.id,
    leftAs: file.action === 'delete' ? 'no file' : sizeOf(file, 'after'),
    isNow: describe(entry, file, overlay, nameOf),
    wouldBecome:
      file.action === 'add'
        ? 'no file'
        : `${sizeOf(file, 'before')}${file.movedTo === undefined ? '' : ` at ${nameOf(file.path)}`}`,
    later: later.map(({ header }) => header.id),
    since: sinceDiff(input, entry, name, later),
    back: backDiff(file, entry, name, nameOf),
  };
}

function sizeOf(file: KeptFile, side: 'before' | 'after'): string {
  return file.link === undefined ? `${file[side].size} bytes` : `a symlink to ${file.link}`;
}

/** Later changes of the same paths that are in effect and not among the chosen, newest first. */
export function laterChanges({ change, file, history, chosen }: ConflictInput): readonly StoredChange[] {
  const paths = new Set([file.path, file.movedTo ?? file.path]);
  return history
    .slice(
      0,
      history.findIndex(({ header }) => header.id === change.header.id),
    )
    .filter(({ header, state }) => isOriginal(header) && state !== 'undone' && !chosen.has(header.id))
    .filter(({ header }) => header.files.some(({ path, movedTo }) => paths.has(path) || paths.has(movedTo ?? path)));
}

function describe(entry: OverlayEntry, file: KeptFile, overlay: Overlay, nameOf: (path: string) => string): string {
  if (entry.kind === 'other') return entry.what;
  if (entry.kind === 'nothing') return 'no file';
  if (entry.kind === 'folder') return 'a folder';
  if (entry.kind === 'link') return `a symlink to ${entry.text}`;
  const isOldPathTaken = file.movedTo !== undefined && overlay.at(file.path).kind !== 'nothing';
  return `${entry.content.size} bytes${isOldPathTaken ? `, and ${nameOf(file.path)} exists again` : ''}`;
}

function sinceDiff({ file }: ConflictInput, entry: OverlayEntry, name: string, later: readonly StoredChange[]): string {
  const now = smallContent(entry);
  const left = wholeAfter(file);
  if (left !== undefined && now !== undefined) return contentDiff(name, left, now);
  if (later.length > 0) return laterDiffs(file, later, name);
  return now === undefined ? '' : regionsNow(file.regions, now, name);
}

function laterDiffs(file: KeptFile, later: readonly StoredChange[], name: string): string {
  return later
    .toReversed()
    .flatMap((change) => filesOf(change) ?? [])
    .filter(({ path, movedTo }) => path === (file.movedTo ?? file.path) || movedTo === file.path)
    .map((kept) => fileDiff(kept, () => name).diff)
    .join('');
}

/** The record of a longer file has only the regions around the change: compares these with the present bytes. */
function regionsNow(regions: readonly Region[], now: Uint8Array, name: string): string {
  let growth = 0;
  return regions
    .map((region) => {
      const left = newBytes(region);
      const at = region.from + growth;
      growth += left.length - region.old.length;
      return contentDiff(name, left, now.subarray(at, at + left.length));
    })
    .join('');
}

function backDiff(file: KeptFile, entry: OverlayEntry, name: string, nameOf: (path: string) => string): string {
  const now = smallContent(entry);
  const before = file.action === 'add' ? new Uint8Array(0) : wholeBefore(file);
  if (now !== undefined && before !== undefined) return contentDiff(name, now, before);
  return file.action === 'modify' || file.action === 'move' ? fileDiff(inverse(file), nameOf).diff : '';
}

/** The inverse of the change, without regard to later ones. */
function inverse({ path, mode, before, after, regions }: KeptFile): KeptFile {
  return { action: 'modify', path, mode, before: after, after: before, regions: inverseRegions(regions) };
}

function smallContent(entry: OverlayEntry): Uint8Array | undefined {
  if (entry.kind === 'nothing') return new Uint8Array(0);
  if (entry.kind !== 'file' || entry.content.size > COUNTED_FILE) return undefined;
  return entry.content.read(0, entry.content.size);
}
