/** The extensions behind the entries of git's index. Some of them change which entries git sees. */

const HEADER_BYTES = 8;
/** Caches of trees, of resolved conflicts, of files that git does not keep, and of changed files. They add no entries. */
const CACHES: ReadonlySet<string> = new Set(['TREE', 'REUC', 'UNTR', 'FSMN']);
/** Says where the entries end. */
const END = 'EOIE';
/** Says where blocks of entries begin, which git reads at the same time. */
const BLOCKS = 'IEOT';
const BLOCKS_VERSION = 1;

/**
 * Whether only known extensions follow, up to the last byte, and those that repeat what the entries say agree with them. A part
 * of the entries is elsewhere with `link` (a split index) and `sdir` (a sparse one); these are not known. `starts` says where
 * each entry begins, with -1 for one whose name continues the name of the entry before it.
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

/** Whether the blocks are all entries in their order. The first name of a block is written in full. */
function areBlocks(content: Buffer, starts: readonly number[]): boolean {
  if (content.length % 8 !== 4 || content.readUInt32BE(0) !== BLOCKS_VERSION) return false;
  let next = 0;
  for (let at = 4; at < content.length; at += 8) {
    if (starts[next] !== content.readUInt32BE(at)) return false;
    next += content.readUInt32BE(at + 4);
  }
  return next === starts.length;
}
