/**
 * The marker lines of a patch, in upper or lower case, with or without a space after the colon, and with the names of both
 * dialects. The caller decides whether a marker is allowed at a line.
 */
export type Marker =
  | { readonly kind: 'begin' | 'end' | 'end-of-file' }
  | { readonly kind: 'environment'; readonly id: string }
  | { readonly kind: 'add' | 'update' | 'delete' | 'move' | 'move-to'; readonly path: string };

type Word = 'add' | 'update' | 'modify' | 'delete' | 'move' | 'rename';

const KIND = {
  add: 'add',
  update: 'update',
  modify: 'update',
  delete: 'delete',
  move: 'move',
  rename: 'move',
} as const;
const FILE = /^\*\*\*\s*(add|update|modify|delete|move|rename)\s+file\s*:\s*(.*)$/isu;
const OTHER = /^\*\*\*\s*(?:(begin patch)|(end patch)|(end of file)|move to\s*:\s*(.*)|environment id\s*:\s*(.*))$/isu;

export const HEADERS =
  'a header is one of *** Add File: path, *** Update File: path, *** Delete File: path, *** Move File: old -> new';

/** Ignores blanks around the line. */
export function markerOf(line: string): Marker | undefined {
  const trimmed = line.trim();
  if (!trimmed.startsWith('***')) return undefined;
  const file = FILE.exec(trimmed);
  if (file !== null) return { kind: KIND[file[1]!.toLowerCase() as Word], path: file[2]! };
  const other = OTHER.exec(trimmed);
  if (other === null) return undefined;
  if (other[1] !== undefined) return { kind: 'begin' };
  if (other[2] !== undefined) return { kind: 'end' };
  if (other[3] !== undefined) return { kind: 'end-of-file' };
  if (other[4] !== undefined) return { kind: 'move-to', path: other[4] };
  return { kind: 'environment', id: other[5] ?? '' };
}

/** Whether a marker starts an operation on a file. */
export function isHeader(marker: Marker | undefined): boolean {
  return marker !== undefined && 'path' in marker && marker.kind !== 'move-to';
}
