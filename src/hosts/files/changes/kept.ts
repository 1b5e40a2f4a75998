/**
 * What a record keeps of one file. Around each change stands a region: the old bytes with a few lines of context, and
 * the splices inside of it. Small files are kept whole, so that they can be compared and shown without anything else.
 */
import type { ByteSplice } from '../shape.ts';

/** Up to here a file is one region: keeping it costs less than looking for what is around a change, and than its hash. */
export const WHOLE_FILE = 32 << 10;
/** So much of one record may be files that are kept whole; of those behind it only what is around the changes is kept. */
export const MOST_WHOLE = 16 << 20;
/** Up to here a file is hashed and its lines are counted when it is recorded. */
export const COUNTED_FILE = 2 << 20;
/** What one record may hold; larger changes are listed, but cannot be undone. */
export const MOST_KEPT = 64 << 20;
/** Up to here the content of a new file is kept; undoing it needs no content, only showing it does. */
export const SHOWN_FILE = 1 << 20;

/** Of a whole content: the hash is there for files that are neither tiny nor big. */
export interface ContentMark {
  readonly size: number;
  readonly hash?: string;
}

export interface Region {
  /** Where it starts in the old content. */
  readonly from: number;
  /** How many newlines stand before it, where they were counted. */
  readonly line?: number;
  readonly old: Uint8Array;
  /** In order; offsets count from the start of the region. */
  readonly splices: readonly ByteSplice[];
}

export interface KeptFile {
  readonly action: 'add' | 'modify' | 'delete' | 'move';
  /** The real absolute path. */
  readonly path: string;
  readonly movedTo?: string;
  /** The operator named the file; the boundary did not hold for it. */
  readonly byOperator?: true;
  readonly mode: number;
  readonly before: ContentMark;
  readonly after: ContentMark;
  readonly regions: readonly Region[];
  /** All of a new file, if it was small enough, or all of a deleted one. */
  readonly content?: Uint8Array;
  /** The path that a made or removed link leads to, as it is stored. */
  readonly link?: string;
  /** What a move replaced. */
  readonly over?: Uint8Array;
  readonly overMode?: number;
}

/** The new bytes of a region. */
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

/** All old bytes, when the record holds them. */
export function wholeBefore(file: KeptFile): Uint8Array | undefined {
  if (file.action === 'add') return new Uint8Array(0);
  if (file.action === 'delete') return file.content;
  const [region] = file.regions;
  return region?.old.length === file.before.size ? region.old : undefined;
}

/** All new bytes, when the record holds them. */
export function wholeAfter(file: KeptFile): Uint8Array | undefined {
  if (file.action === 'delete') return new Uint8Array(0);
  if (file.action === 'add') return file.content;
  const [region] = file.regions;
  return region?.old.length === file.before.size ? newBytes(region) : undefined;
}

/** The splices that lead from the new content back to the old one. */
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
