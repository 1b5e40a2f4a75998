/**
 * File system clocks are coarse: two writes within one tick leave the same mtime and ctime. A stamp taken that soon after a
 * write proves nothing. For such a stamp a checksum of the content is kept and compared again before the file is replaced.
 */
import type { OpenFile, Stamp } from '../shape.ts';

/** More than the longest tick in use (10 ms), with a margin for a busy machine. */
const RACY_NS = 50_000_000n;

const contents = new WeakMap<Stamp, { readonly size: number; readonly sum: number }>();

/** Whether a file changed so recently that another change might leave its times equal. */
export function isRacy({ mtimeNs, ctimeNs }: Pick<Stamp, 'mtimeNs' | 'ctimeNs'>): boolean {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return BigInt(Date.now()) * 1_000_000n - latest < RACY_NS;
}

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
