/** Large files that are never in memory as a whole: with splices applied, and compared. */
import { type ByteSource, fill } from '../scan/source.ts';
import type { ByteSplice } from './decoded-file.ts';

const WINDOW = 1 << 20;

/** A view of a source with splices applied, which must be sorted. */
export function splicedSource(source: ByteSource, splices: readonly ByteSplice[]): ByteSource {
  interface Part {
    readonly begin: number;
    readonly length: number;
    readonly bytes?: Uint8Array;
    readonly from: number;
  }
  const parts: Part[] = [];
  let size = 0;
  let at = 0;
  const add = (length: number, from: number, bytes?: Uint8Array): void => {
    if (length > 0) parts.push({ begin: size, length, from, ...(bytes === undefined ? {} : { bytes }) });
    size += length;
  };
  for (const { start, end, bytes } of splices) {
    add(start - at, at);
    add(bytes.length, 0, bytes);
    at = end;
  }
  add(source.size - at, at);
  const partAt = (offset: number): Part | undefined => {
    let low = 0;
    let high = parts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (parts[middle]!.begin <= offset) low = middle;
      else high = middle - 1;
    }
    return parts[low];
  };
  return {
    size,
    read(offset, into) {
      const part = offset >= size ? undefined : partAt(offset);
      if (part === undefined) return 0;
      const inside = offset - part.begin;
      const room = into.subarray(0, Math.min(into.length, part.length - inside));
      if (part.bytes === undefined) return source.read(part.from + inside, room);
      room.set(part.bytes.subarray(inside, inside + room.length));
      return room.length;
    },
  };
}

export function sameBytes(a: ByteSource, b: ByteSource): boolean {
  if (a.size !== b.size) return false;
  const first = new Uint8Array(Math.min(WINDOW, Math.max(1, a.size)));
  const second = new Uint8Array(first.length);
  for (let offset = 0; offset < a.size; offset += first.length) {
    const got = fill(a, offset, first);
    if (fill(b, offset, second) !== got) return false;
    for (let i = 0; i < got; i++) if (first[i] !== second[i]) return false;
  }
  return true;
}
