/** Reads git's index, as far as it says where other repositories are in this one: git asks each of them for its state. */
import { extensionsAreKnown } from './index-extensions.ts';
import type { ObjectFormat } from './object-format.ts';

const HEADER_BYTES = 12;
/** Times, device, owner and size. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const TYPE = 0o170000;
const REPOSITORY = 0o160000;
/** Files, links and repositories. Folders are in a sparse index, whose entries are not all there. */
const TYPES: ReadonlySet<number> = new Set([0o100000, 0o120000, REPOSITORY]);
const VERSIONS: readonly number[] = [2, 3, 4];
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** No path is longer. */
const LONGEST_NAME = 4096;
const MOST_REPOSITORIES = 1000;
/** Every path from the top that git writes. */
const PLAIN_PATH = /^(?!\.{0,2}(?:\/|$))(?!.*\/\.{0,2}(?:\/|$))[^\0\ufffd]+$/su;
const HASH_BYTES: Readonly<Record<ObjectFormat, number>> = { sha1: 20, sha256: 32 };

/**
 * The paths of other repositories; undefined for bytes that are not an index in the form that git writes. A split or sparse
 * index is undefined, too: its entries are not all in this file.
 */
export function repositoriesIn(index: Buffer, format: ObjectFormat): string[] | undefined {
  const hashBytes = HASH_BYTES[format];
  const end = index.length - hashBytes;
  if (end < HEADER_BYTES || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (!VERSIONS.includes(version) || count > end / STAT_BYTES || !hasChecksum(index, format)) return undefined;
  const found: string[] = [];
  const starts: number[] = [];
  const name = Buffer.alloc(LONGEST_NAME);
  let nameLength = 0;
  let at = HEADER_BYTES;
  for (let left = count; left > 0; left--) {
    const start = at;
    if (at + STAT_BYTES + hashBytes + 4 > end) return undefined;
    const type = index.readUInt32BE(at + MODE_AT) & TYPE;
    const flags = index.readUInt16BE(at + STAT_BYTES + hashBytes);
    at += STAT_BYTES + hashBytes + 2 + ((flags & EXTENDED) === 0 ? 0 : 2);
    const dropped = version === 4 ? readNumber(index, at) : { value: nameLength, end: at };
    const kept = nameLength - dropped.value;
    const length = flags & NAME_LENGTH;
    // The length spares a search for the end; names in version 4 are not written in full.
    const isKnown = version !== 4 && length < NAME_LENGTH;
    const nameEnd = isKnown ? dropped.end + length : index.indexOf(0, dropped.end);
    nameLength = kept + nameEnd - dropped.end;
    const isPlain = kept >= 0 && index[nameEnd] === 0 && nameEnd < end && nameLength > 0 && nameLength <= LONGEST_NAME;
    // Git takes the length from the flags: where both do not agree, it sees another name.
    if (!isPlain || !TYPES.has(type) || length !== Math.min(nameLength, NAME_LENGTH)) return undefined;
    if (version === 4 || type === REPOSITORY) index.copy(name, kept, dropped.end, nameEnd);
    starts.push(kept === 0 ? start : -1);
    if (type === REPOSITORY) {
      const path = name.toString('utf8', 0, nameLength);
      if (!PLAIN_PATH.test(path) || found.length >= MOST_REPOSITORIES) return undefined;
      found.push(path);
    }
    // At least one zero; up to the next multiple of eight in the older versions.
    at = version === 4 ? nameEnd + 1 : start + ((nameEnd - start + 8) & ~7);
  }
  return extensionsAreKnown(index.subarray(0, end), at, starts) ? found : undefined;
}

/** Git may leave the checksum out, and writes zeros then. */
function hasChecksum(index: Buffer, format: ObjectFormat): boolean {
  const end = index.length - HASH_BYTES[format];
  const checksum = index.subarray(end);
  return (
    checksum.every((byte) => byte === 0) ||
    process.getBuiltinModule('node:crypto').createHash(format).update(index.subarray(0, end)).digest().equals(checksum)
  );
}

/** A number in as many bytes as it needs, the way git writes offsets: each further byte counts from one on. */
function readNumber(index: Buffer, from: number): { readonly value: number; readonly end: number } {
  let byte = index[from] ?? 0;
  let value = byte & 0x7f;
  let at = from + 1;
  while ((byte & 0x80) !== 0 && at < index.length) {
    byte = index[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at };
}
