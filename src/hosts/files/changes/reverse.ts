import { hashOf } from './keep.ts';
import { inverseSplices, type KeptFile, newBytes, type Region, wholeAfter, wholeBefore } from './kept.ts';
import { Content } from './content.ts';
import type { Overlay, Spot } from './overlay.ts';

/** Clocks of file systems are coarser than the record's. */
const CLOCK_SLACK_MS = 2000;

/** `differs`: the file is neither as the change left it nor as it was before. */
export type Reversed = 'back' | 'already' | 'differs';

/** Takes one file of a change back in the overlay. `lastWritten` is the newest recorded write of a path. */
export function reverseFile(file: KeptFile, overlay: Overlay, lastWritten: (path: string) => number): Reversed {
  if (file.link !== undefined) return reverseLink(file.path, file.link, file.action === 'add', overlay);
  const spot = overlay.at(file.path);
  switch (file.action) {
    case 'add':
      if (spot.kind === 'nothing') return 'already';
      if (!isAs(spot, file, 'after', lastWritten(file.path))) return 'differs';
      overlay.put(file.path, { kind: 'nothing' });
      return 'back';
    case 'delete':
      if (spot.kind === 'nothing') {
        overlay.put(file.path, fileOf(file.content!, file.mode));
        return 'back';
      }
      return isAs(spot, file, 'before', lastWritten(file.path)) ? 'already' : 'differs';
    case 'modify':
      if (isAs(spot, file, 'after', lastWritten(file.path))) {
        overlay.put(file.path, { ...spot, content: spot.content.spliced(inverseSplices(file.regions)) });
        return 'back';
      }
      return isAs(spot, file, 'before', lastWritten(file.path)) ? 'already' : 'differs';
    case 'move':
      return reverseMove(file, file.movedTo!, overlay, lastWritten);
  }
}

/** A link has no content but the path that it leads to, so that path decides. */
function reverseLink(path: string, text: string, wasMade: boolean, overlay: Overlay): Reversed {
  const spot = overlay.at(path);
  const stands = spot.kind === 'link' && spot.text === text;
  if (spot.kind !== 'nothing' && !stands) return 'differs';
  if (stands !== wasMade) return 'already';
  overlay.put(path, wasMade ? { kind: 'nothing' } : { kind: 'link', text });
  return 'back';
}

function reverseMove(file: KeptFile, to: string, overlay: Overlay, lastWritten: (path: string) => number): Reversed {
  const source = overlay.at(file.path);
  const target = overlay.at(to);
  if (source.kind === 'nothing' && isAs(target, file, 'after', lastWritten(to))) {
    overlay.put(file.path, { ...target, content: target.content.spliced(inverseSplices(file.regions)) });
    overlay.put(to, file.over === undefined ? { kind: 'nothing' } : fileOf(file.over, file.overMode ?? target.mode));
    return 'back';
  }
  const { over } = file;
  const targetIsBack =
    over === undefined ? target.kind === 'nothing' : target.kind === 'file' && holds(target.content, over);
  return targetIsBack && isAs(source, file, 'before', lastWritten(file.path)) ? 'already' : 'differs';
}

function fileOf(bytes: Uint8Array, mode: number): Spot {
  return { kind: 'file', content: Content.ofBytes(bytes), mode };
}

/** Whether a file stands there with the content from before or after the change. */
function isAs(
  spot: Spot,
  file: KeptFile,
  side: 'before' | 'after',
  lastWritten: number,
): spot is Extract<Spot, { kind: 'file' }> {
  if (spot.kind !== 'file' || spot.content.size !== file[side].size) return false;
  const whole = side === 'before' ? wholeBefore(file) : wholeAfter(file);
  if (whole !== undefined) return holds(spot.content, whole);
  const { hash } = file[side];
  if (hash !== undefined) return hashOf(spot.content.chunks()) === hash;
  return surroundings(spot.content, file.regions, side) && !writtenAfter(spot.content, lastWritten);
}

function holds(content: Content, bytes: Uint8Array): boolean {
  return content.size === bytes.length && Buffer.compare(content.read(0, content.size), bytes) === 0;
}

/** A big file is compared where the change was, and by the time of its last write. */
function surroundings(content: Content, regions: readonly Region[], side: 'before' | 'after'): boolean {
  let growth = 0;
  return regions.every((region) => {
    const bytes = side === 'before' ? region.old : newBytes(region);
    const at = region.from + growth;
    if (side === 'after') growth += bytes.length - region.old.length;
    return at + bytes.length <= content.size && Buffer.compare(content.read(at, at + bytes.length), bytes) === 0;
  });
}

function writtenAfter(content: Content, lastWritten: number): boolean {
  const file = content.untouched;
  return file !== undefined && file.stamp.mtimeNs / 1_000_000n > BigInt(lastWritten + CLOCK_SLACK_MS);
}
