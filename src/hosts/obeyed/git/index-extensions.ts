/** The extensions after the entries of git's index. Some of them change which entries git sees. */

const HEADER_BYTES = 8;
/** Cached trees, resolved conflicts, untracked files and fsmonitor data. They add no entries. */
const CACHES: ReadonlySet<string> = new Set(['TREE', 'REUC', 'UNTR', 'FSMN']);
/** The end of the entries. */
const END = 'EOIE';
/** The starts of blocks of entries, which git reads in parallel. */
const BLOCKS = 'IEOT';
const BLOCKS_VERSION = 1;

/**
 * Whether only known extensions follow, up to the last byte, and those with offsets of entries agree with the entries. `link`
 * (split index) and `sdir` (sparse index) are not known, because entries are elsewhere then. `starts` are the offsets of the
 * entries, -1 for one whose name continues the name of the entry before it.
 */
export function extensionsAreKnown(index: Buffer, from: number, starts: readonly number[]): boolean {
  let at = from;
  while (at + HEADER_BYTES <= index.length) {
    const name = index.toString('latin1', at, at + 4);
    const start = at + HEADER_BYTES;
    at = start + index.readUInt32BE(at + 4);
    if (at > index.length) return false;
    const content = index.subarray(start, at);
    const isKnown =
      CACHES.has(name) ||
      (name === END && content.length > 4 && content.readUInt32BE(0) === from) ||
      (name === BLOCKS && areBlocks(content, starts));
    if (!isKnown) return false;
  }
  return at === index.length;
}

/** Whether the blocks cover all entries in order. The first name of a block is not compressed. */
function areBlocks(content: Buffer, starts: readonly number[]): boolean {
  if (content.length % 8 !== 4 || content.readUInt32BE(0) !== BLOCKS_VERSION) return false;
  let next = 0;
  for (let at = 4; at < content.length; at += 8) {
    if (starts[next] !== content.readUInt32BE(at)) return false;
    next += content.readUInt32BE(at + 4);
  }
  return next === starts.length;
}
