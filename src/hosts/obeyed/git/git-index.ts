/** Reads the gitlinks in git's index: git reads the status of each repository that they name. */
import { extensionsAreKnown } from './index-extensions.ts';
import type { ObjectFormat } from './object-format.ts';

const HEADER_BYTES = 12;
/** Times, device, owner and size. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const TYPE = 0o170000;
const REPOSITORY = 0o160000;
/** Files, symlinks and gitlinks. Folders appear only in a sparse index, which lacks entries. */
const TYPES: ReadonlySet<number> = new Set([0o100000, 0o120000, REPOSITORY]);
const VERSIONS: readonly number[] = [2, 3, 4];
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** PATH_MAX. */
const LONGEST_NAME = 4096;
const MOST_REPOSITORIES = 1000;
/** Paths relative to the top, as git writes them. */
const PLAIN_PATH = /^(?!\.{0,2}(?:\/|$))(?!.*\/\.{0,2}(?:\/|$))[^\0\ufffd]+$/su;
const HASH_BYTES: Readonly<Record<ObjectFormat, number>> = { sha1: 20, sha256: 32 };

/**
 * The paths of gitlinks; undefined for bytes that are not an index as git writes it, and for a split or sparse index, whose
 * entries are not all in this file.
 */
export function gitlinksIn(index: Buffer, format: ObjectFormat): string[] | undefined {
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
    // The length avoids a search for the end; version 4 compresses names.
    const isKnown = version !== 4 && length < NAME_LENGTH;
    const nameEnd = isKnown ? dropped.end + length : index.indexOf(0, dropped.end);
    nameLength = kept + nameEnd - dropped.end;
    const isPlain = kept >= 0 && index[nameEnd] === 0 && nameEnd < end && nameLength > 0 && nameLength <= LONGEST_NAME;
    // Git uses the length in the flags: if it differs from the real one, git sees another name.
    if (!isPlain || !TYPES.has(type) || length !== Math.min(nameLength, NAME_LENGTH)) return undefined;
    if (version === 4 || type === REPOSITORY) index.copy(name, kept, dropped.end, nameEnd);
    starts.push(kept === 0 ? start : -1);
    if (type === REPOSITORY) {
      const path = name.toString('utf8', 0, nameLength);
      if (!PLAIN_PATH.test(path) || found.length >= MOST_REPOSITORIES) return undefined;
      found.push(path);
    }
    // At least one zero byte; in versions 2 and 3 padded to a multiple of eight.
    at = version === 4 ? nameEnd + 1 : start + ((nameEnd - start + 8) & ~7);
  }
  return extensionsAreKnown(index.subarray(0, end), at, starts) ? found : undefined;
}

/** Git may skip the checksum and write zeros. */
function hasChecksum(index: Buffer, format: ObjectFormat): boolean {
  const end = index.length - HASH_BYTES[format];
  const checksum = index.subarray(end);
  return (
    checksum.every((byte) => byte === 0) ||
    process.getBuiltinModule('node:crypto').createHash(format).update(index.subarray(0, end)).digest().equals(checksum)
  );
}

/** A variable-length number in git's offset encoding: each further byte adds one first. */
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
