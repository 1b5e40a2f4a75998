import type { Located } from '../shape.ts';
import type { FolderStep, LinkStep, ModeStep, RecordedStep } from './recorder-shape.ts';
import { MOST_WHOLE, SHOWN_FILE } from './kept-file.ts';
import type { ContentMark, KeptFile, Region } from './kept-file.ts';
import { inMemory, readRange, type RecordSource, regionsOf } from './regions.ts';

const NOTHING: ContentMark = { size: 0 };
/** A link has no permissions of its own. */
const LINK_MODE = 0o777;

/** What the record keeps of a step, read before the write. `room` is how many bytes may be kept as whole files. */
export function keepFile(step: RecordedStep, room = MOST_WHOLE): KeptFile {
  if ('link' in step) return keepLink(step);
  if ('isFolder' in step || 'modeAfter' in step) return keepEntry(step);
  switch (step.action) {
    case 'add': {
      const { file, bytes, mode } = step;
      const start = { ...named(step.action, file), mode, before: NOTHING, regions: [] };
      if (bytes.length <= SHOWN_FILE) return { ...start, after: { size: bytes.length }, content: bytes };
      // The hash lets an undo check that it removes exactly this file.
      return { ...start, after: { size: bytes.length, hash: hashParts([bytes]) } };
    }
    case 'delete': {
      const { file, source, mode } = step;
      const start = { ...named(step.action, file), mode, after: NOTHING, regions: [] };
      if (source === undefined) return { ...start, before: NOTHING };
      const content = readRange(source, 0, source.size);
      return { ...start, before: { size: content.length }, content };
    }
    default: {
      const { source, splices, mode } = step;
      const old = inMemory(source);
      const regions = regionsOf(old, splices, room);
      const kept = { ...named(step.action, source.located), mode, regions, ...marksOf(old, regions) };
      if (step.action === 'modify') return kept;
      return { ...kept, movedTo: step.movedTo.path, ...replaced(step.over, step.overMode) };
    }
  }
}

function keepLink({ action, file, link }: LinkStep): KeptFile {
  return { ...named(action, file), mode: LINK_MODE, before: NOTHING, after: NOTHING, regions: [], link };
}

/** A folder, or permissions: there are no bytes. */
function keepEntry({ action, file, mode, ...more }: FolderStep | ModeStep): KeptFile {
  return { ...named(action, file), mode, before: NOTHING, after: NOTHING, regions: [], ...more };
}

/** What the record keeps of a step whose bytes are too many or unreadable. */
export function keepMetadata(step: RecordedStep): KeptFile {
  if ('link' in step) return keepLink(step);
  if ('isFolder' in step || 'modeAfter' in step) return keepEntry(step);
  const regions: readonly Region[] = [];
  switch (step.action) {
    case 'add':
      return {
        ...named(step.action, step.file),
        mode: step.mode,
        before: NOTHING,
        after: { size: step.bytes.length },
        regions,
      };
    case 'delete':
      return {
        ...named(step.action, step.file),
        mode: step.mode,
        before: { size: step.source?.size ?? 0 },
        after: NOTHING,
        regions,
      };
    default: {
      const { source, mode } = step;
      const growth = step.splices.reduce((sum, { start, end, bytes }) => sum + bytes.length - (end - start), 0);
      const marks = { before: { size: source.size }, after: { size: source.size + growth } };
      const kept = { ...named(step.action, source.located), mode, ...marks, regions };
      return step.action === 'modify' ? kept : { ...kept, movedTo: step.movedTo.path };
    }
  }
}

/** About how many bytes a step adds to the record. */
export function recordedBytes(step: RecordedStep): number {
  if ('link' in step || 'isFolder' in step || 'modeAfter' in step) return 0;
  switch (step.action) {
    case 'add':
      return step.bytes.length <= SHOWN_FILE ? step.bytes.length : 0;
    case 'delete':
      return step.source?.size ?? 0;
    default: {
      const spans = step.splices.reduce((sum, { start, end, bytes }) => sum + bytes.length + end - start, 0);
      return spans + (step.action === 'move' ? (step.over?.size ?? 0) : 0);
    }
  }
}

/** The hash of concatenated parts. Loads the module here, because that takes longer than most writes. */
export function hashParts(parts: Iterable<Uint8Array>): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function named<A extends KeptFile['action']>(action: A, { path, root }: Located) {
  return { action, path, ...(root === undefined ? { byOperator: true as const } : {}) };
}

/** A file kept whole is compared by its bytes, and a big one by its regions: neither needs a hash. */
function marksOf({ size, bytes: old }: RecordSource, regions: readonly Region[]) {
  const growth = regions
    .flatMap((region) => region.splices)
    .reduce((sum, { start, end, bytes }) => sum + bytes.length - (end - start), 0);
  if (old === undefined || regions[0]?.old.length === size) return { before: { size }, after: { size: size + growth } };
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const region of regions) {
    for (const { start, end, bytes } of region.splices) {
      parts.push(old.subarray(at, region.from + start), bytes);
      at = region.from + end;
    }
  }
  parts.push(old.subarray(at));
  return { before: { size, hash: hashParts([old]) }, after: { size: size + growth, hash: hashParts(parts) } };
}

function replaced(over: RecordSource | undefined, mode: number | undefined): Pick<KeptFile, 'over' | 'overMode'> {
  if (over === undefined) return {};
  return { over: readRange(over, 0, over.size), ...(mode === undefined ? {} : { overMode: mode }) };
}
