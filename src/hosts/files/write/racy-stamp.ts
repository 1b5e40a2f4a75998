/**
 * Clocks of file systems tick coarsely: two writes within one tick leave the same times. A stamp whose times were that
 * close when it was taken proves nothing alone; then a checksum of what was read is kept beside it, and the content
 * is compared again before it is written over.
 */
import { isRacy } from '../../obeyed/file-stamp.ts';
import type { OpenFile, Stamp } from '../shape.ts';

const contents = new WeakMap<Stamp, { readonly size: number; readonly sum: number }>();

/** Keeps the checksum of a whole content with its stamp when the stamp is racy. */
export function noteContent(stamp: Stamp, bytes: Uint8Array): void {
  if (isRacy(stamp)) contents.set(stamp, { size: bytes.length, sum: checksum(bytes) });
}

/** Whether the file still has the content that was read under this stamp, as far as that needs asking. */
export function contentStands(stamp: Stamp, now: OpenFile): boolean {
  const noted = contents.get(stamp);
  if (noted === undefined) return true;
  const bytes = new Uint8Array(noted.size);
  return now.read(0, bytes) === noted.size && checksum(bytes) === noted.sum;
}

/** FNV-1a over 32 bits: it has to notice an accident, not to withstand an attack on one's own update. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}
