/**
 * File system clocks are coarse: two writes within one tick leave the same mtime and ctime. A stamp taken that soon after a
 * write proves nothing. For such a stamp a checksum of the content is kept and compared again before the file is replaced.
 */
import { isRacy } from '../../obeyed/file-stamp.ts';
import type { OpenFile, Stamp } from '../shape.ts';

const contents = new WeakMap<Stamp, { readonly size: number; readonly sum: number }>();

/** Keeps a checksum of the whole content if its stamp is racy. */
export function noteContent(stamp: Stamp, bytes: Uint8Array): void {
  if (isRacy(stamp)) contents.set(stamp, { size: bytes.length, sum: checksum(bytes) });
}

/** Whether the file still has the content that was read under this stamp; true if the stamp was not racy. */
export function isContentUnchanged(stamp: Stamp, now: OpenFile): boolean {
  const noted = contents.get(stamp);
  if (noted === undefined) return true;
  const bytes = new Uint8Array(noted.size);
  return now.read(0, bytes) === noted.size && checksum(bytes) === noted.sum;
}

/** FNV-1a with 32 bits: it detects accidents and is not meant to withstand attacks. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}
