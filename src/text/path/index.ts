/** The entry point `pincer/path`: read, find and change places of a text in memory. Runs in a browser. */
export { decodeText, encodeText } from '../lines/bytes.ts';
export { type ByteSource, bytesSource } from '../scan/source.ts';
export { applySplices, type Splice } from '../lines/splice.ts';
export { type Position, positionAt } from '../lines/position.ts';
export type { Document, KindName, Leaf, LeafType, NewValue, Place, Problem, RefusalReason } from '../kind.ts';
export { kindOfFile } from '../kinds/extension.ts';
export { parseDocument } from './document.ts';
export { findOcPathsInLines, resolveOcPathInLines } from './lines.ts';
export { type Extent, extentOf, type Match } from '../walk/match.ts';
export { findOcPaths, locateOcPath, resolveOcPath } from './read.ts';
export { deleteOcPath, type SetOptions, type SetOutcome, setOcPath } from './set.ts';
export type { Found, Name } from '../walk/walk.ts';
