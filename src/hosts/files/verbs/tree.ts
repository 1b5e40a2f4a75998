/** Everything in a folder, within what one change may have. */
import type { Files, LocatedEntry } from '../shape.ts';
import { MOST_BYTES, MOST_FILES } from './context.ts';

export interface TreeEntry {
  readonly place: LocatedEntry;
  /** Below the folder, with `/`. */
  readonly way: string;
}

export type Tree = { readonly entries: readonly TreeEntry[] } | { readonly tooMuch: string };

/** The entries below a folder, folders before what is in them. */
export function treeBelow(files: Files, folder: LocatedEntry): Tree {
  const entries: TreeEntry[] = [];
  let bytes = 0;
  const waiting = [''];
  for (let at = 0; at < waiting.length; at++) {
    const way = waiting[at]!;
    for (const name of files.list(`${folder.file.path}/${way}`)) {
      const plain = name.endsWith('/') ? name.slice(0, -1) : name;
      const place = files.placeOf(`${folder.file.path}/${way}${plain}`, 'itself');
      if (place.type === 'nothing') continue; // removed in the meantime
      entries.push({ place, way: `${way}${plain}` });
      bytes += place.type === 'file' ? Number(place.stamp?.size ?? 0n) : 0;
      if (entries.length > MOST_FILES) return { tooMuch: `it has more than ${MOST_FILES} entries` };
      if (bytes > MOST_BYTES) return { tooMuch: `it has more than ${MOST_BYTES >> 20} MiB` };
      if (place.type === 'folder') waiting.push(`${way}${plain}/`);
    }
  }
  return { entries };
}
