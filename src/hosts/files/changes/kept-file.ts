/**
 * What a record keeps of one file. Each change is in a region: the old bytes with a few lines of context, and the splices
 * inside it. Small files are kept whole, so that they can be compared and shown without the file itself.
 */
import type { ByteSplice } from '../shape.ts';

/** A file up to this size is one region: that costs less than finding the context of a change and hashing the file. */
export const WHOLE_FILE = 32 << 10;
/** How many bytes of one record may be whole files; of further files only the regions are kept. */
export const MOST_WHOLE = 16 << 20;
/** Up to this size a file is hashed and its lines are counted when it is recorded. */
export const COUNTED_FILE = 2 << 20;
/** The maximum size of a record; larger changes are listed, but cannot be undone. */
export const MOST_KEPT = 64 << 20;
/** Up to this size the content of a new file is kept, for display only: undoing it needs no content. */
export const SHOWN_FILE = 1 << 20;

/** Identifies a whole content; only files that are neither tiny nor big have a hash. */
export interface ContentMark {
  readonly size: number;
  readonly hash?: string;
}

export interface Region {
  /** Its offset in the old content. */
  readonly from: number;
  /** The number of newlines before it, if they were counted. */
  readonly line?: number;
  readonly old: Uint8Array;
  /** In order; offsets are relative to the region. */
  readonly splices: readonly ByteSplice[];
}

export interface KeptFile {
  readonly action: 'add' | 'modify' | 'delete' | 'move';
  readonly path: string;
  readonly movedTo?: string;
  /** The operator named the file, so that the boundary did not apply. */
  readonly byOperator?: true;
  readonly mode: number;
  readonly before: ContentMark;
  readonly after: ContentMark;
  readonly regions: readonly Region[];
  /** The whole content of a new file, if it is small enough, or of a deleted one. */
  readonly content?: Uint8Array;
  /** The target of a created or removed link, as the link stores it. */
  readonly link?: string;
  readonly isFolder?: true;
  /** The permissions after a change of these only. */
  readonly modeAfter?: number;
  readonly over?: Uint8Array;
  readonly overMode?: number;
}

export function newBytes({ old, splices }: Region): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes } of splices) {
    parts.push(old.subarray(at, start), bytes);
    at = end;
  }
  parts.push(old.subarray(at));
  return Buffer.concat(parts);
}

/** Whether only the permissions changed. */
export function isOnlyMode({ modeAfter }: Pick<KeptFile, 'modeAfter'>): boolean {
  return modeAfter !== undefined;
}

/** All old bytes, if the record has them. */
export function wholeBefore(file: KeptFile): Uint8Array | undefined {
  if (file.action === 'add' || isOnlyMode(file)) return new Uint8Array(0);
  if (file.action === 'delete') return file.content;
  const [region] = file.regions;
  return region?.old.length === file.before.size ? region.old : undefined;
}

/** All new bytes, if the record has them. */
export function wholeAfter(file: KeptFile): Uint8Array | undefined {
  if (file.action === 'delete' || isOnlyMode(file)) return new Uint8Array(0);
  if (file.action === 'add') return file.content;
  const [region] = file.regions;
  return region?.old.length === file.before.size ? newBytes(region) : undefined;
}

/** The splices that turn the new content back into the old one. */
export function inverseSplices(regions: readonly Region[]): readonly ByteSplice[] {
  const inverse: ByteSplice[] = [];
  let growth = 0;
  for (const { from, old, splices } of regions) {
    for (const { start, end, bytes } of splices) {
      const at = from + start + growth;
      inverse.push({ start: at, end: at + bytes.length, bytes: old.subarray(start, end) });
      growth += bytes.length - (end - start);
    }
  }
  return inverse;
}

/** The regions of the inverse change. */
export function inverseRegions(regions: readonly Region[]): readonly Region[] {
  let growth = 0;
  return regions.map((region) => {
    const old = newBytes(region);
    const from = region.from + growth;
    growth += old.length - region.old.length;
    return { ...region, from, old, splices: inverseSplices([{ ...region, from: 0 }]) };
  });
}
