/** Why a change cannot be taken back: how it left the file, how the file is now, and what going back would make of it. */
import type { Conflict } from '../shape.ts';
import { contentDiff, fileDiff } from './diff.ts';
import { filesOf, isOriginal, type StoredChange } from './history.ts';
import { COUNTED_FILE, inverseSplices, type KeptFile, newBytes, type Region, wholeAfter, wholeBefore } from './kept.ts';
import type { Overlay, Spot } from './overlay.ts';

/** A file of a change that does not fit the present one, and all that is needed to say why. */
export interface ConflictQuestion {
  readonly change: StoredChange;
  readonly file: KeptFile;
  readonly overlay: Overlay;
  readonly history: readonly StoredChange[];
  /** What is being taken back together. */
  readonly chosen: ReadonlySet<string>;
  readonly nameOf: (path: string) => string;
}

export function explain(question: ConflictQuestion): Conflict {
  const { change, file, overlay, nameOf } = question;
  const spot = overlay.at(file.movedTo ?? file.path);
  const later = laterChanges(question);
  const name = nameOf(file.movedTo ?? file.path);
  return {
    path: name,
    change: change.header.id,
    leftAs: file.action === 'delete' ? 'no file' : sizeOf(file, 'after'),
    isNow: describe(spot, file, overlay, nameOf),
    wouldBecome:
      file.action === 'add'
        ? 'no file'
        : `${sizeOf(file, 'before')}${file.movedTo === undefined ? '' : ` at ${nameOf(file.path)}`}`,
    later: later.map(({ header }) => header.id),
    since: sinceDiff(question, spot, name, later),
    back: backDiff(file, spot, name, nameOf),
  };
}

function sizeOf(file: KeptFile, side: 'before' | 'after'): string {
  return file.link === undefined ? `${file[side].size} bytes` : `a link to ${file.link}`;
}

/** Changes on top of this one that stand and are not taken back with it, newest first. */
export function laterChanges({ change, file, history, chosen }: ConflictQuestion): readonly StoredChange[] {
  const paths = new Set([file.path, file.movedTo ?? file.path]);
  return history
    .slice(
      0,
      history.findIndex(({ header }) => header.id === change.header.id),
    )
    .filter(({ header, state }) => isOriginal(header) && state !== 'undone' && !chosen.has(header.id))
    .filter(({ header }) => header.files.some(({ path, movedTo }) => paths.has(path) || paths.has(movedTo ?? path)));
}

function describe(spot: Spot, file: KeptFile, overlay: Overlay, nameOf: (path: string) => string): string {
  if (spot.kind === 'other') return spot.what;
  if (spot.kind === 'nothing') return 'no file';
  if (spot.kind === 'link') return `a link to ${spot.text}`;
  const inTheWay = file.movedTo !== undefined && overlay.at(file.path).kind !== 'nothing';
  return `${spot.content.size} bytes${inTheWay ? `, and something stands at ${nameOf(file.path)} again` : ''}`;
}

function sinceDiff({ file }: ConflictQuestion, spot: Spot, name: string, later: readonly StoredChange[]): string {
  const now = smallContent(spot);
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

/** Of a longer file only what was around the change is known: how that part reads now. */
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

function backDiff(file: KeptFile, spot: Spot, name: string, nameOf: (path: string) => string): string {
  const now = smallContent(spot);
  const before = file.action === 'add' ? new Uint8Array(0) : wholeBefore(file);
  if (now !== undefined && before !== undefined) return contentDiff(name, now, before);
  return file.action === 'modify' || file.action === 'move' ? fileDiff(inverse(file), nameOf).diff : '';
}

/** The change the other way round, as it would have been without what came since. */
function inverse(file: KeptFile): KeptFile {
  let growth = 0;
  const regions = file.regions.map((region): Region => {
    const old = newBytes(region);
    const from = region.from + growth;
    growth += old.length - region.old.length;
    const splices = inverseSplices([{ ...region, from: 0 }]);
    return { from, ...(region.line === undefined ? {} : { line: region.line }), old, splices };
  });
  const { path, mode, before, after } = file;
  return { action: 'modify', path, mode, before: after, after: before, regions };
}

function smallContent(spot: Spot): Uint8Array | undefined {
  if (spot.kind === 'nothing') return new Uint8Array(0);
  if (spot.kind !== 'file' || spot.content.size > COUNTED_FILE) return undefined;
  return spot.content.read(0, spot.content.size);
}
