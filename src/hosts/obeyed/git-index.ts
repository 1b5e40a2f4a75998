/** Reads git's index, as far as it says where other repositories stand in this one: git asks each of them for its state. */

const HEADER_BYTES = 12;
/** Times, device, owner and size. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const REPOSITORY = 0o160000;
const REPOSITORY_BYTES = Buffer.from([0, 0, 0xe0, 0]);
const VERSIONS: readonly number[] = [2, 3, 4];
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;

/**
 * The paths of other repositories; undefined for bytes that are no index. `hashBytes` is the length of an object's name: 20, or
 * 32 in newer repositories.
 */
export function repositoriesIn(index: Buffer, hashBytes: number): string[] | undefined {
  if (index.length < HEADER_BYTES || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  if (!VERSIONS.includes(version)) return undefined;
  const found: string[] = [];
  // Most indexes have no such entry, and a search for its bytes is much faster than a walk over all entries.
  if (!index.includes(REPOSITORY_BYTES)) return found;
  let at = HEADER_BYTES;
  let before: Buffer = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + STAT_BYTES + hashBytes + 4 > index.length) return undefined;
    const start = at;
    const flags = index.readUInt16BE(at + STAT_BYTES + hashBytes);
    at += STAT_BYTES + hashBytes + 2 + ((flags & EXTENDED) === 0 ? 0 : 2);
    const isRepository = index.readUInt32BE(start + MODE_AT) === REPOSITORY;
    if (version === 4) {
      const dropped = readNumber(index, at);
      if (dropped.value > before.length) return undefined;
      const end = endOf(index, dropped.end);
      const kept = before.subarray(0, before.length - dropped.value);
      before = Buffer.concat([kept, index.subarray(dropped.end, end)]);
      if (isRepository) found.push(before.toString('utf8'));
      at = end + 1;
    } else {
      const length = flags & NAME_LENGTH;
      const end = length < NAME_LENGTH ? at + length : endOf(index, at);
      if (isRepository) found.push(index.toString('utf8', at, end));
      at = start + ((end - start + 8) & ~7); // at least one zero, up to the next multiple of eight
    }
  }
  return found;
}

function endOf(index: Buffer, from: number): number {
  const end = index.indexOf(0, from);
  return end < 0 ? index.length : end;
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
