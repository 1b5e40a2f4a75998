/** What an undo found done already and so did not write: a redo has to do that again from the change itself. */
import type { Reversal } from '../shape.ts';
import { filesOf, type StoredChange } from './history.ts';
import { inverseSplices, type KeptFile, newBytes, type Region } from './kept.ts';

type Refusal = Extract<Reversal, { ok: false }>;

/** The files that an undo left alone, turned round and in their order, so that taking them back does the changes again. */
export function leftAlone(
  { header: { already = [] } }: StoredChange,
  history: readonly StoredChange[],
  nameOf: (path: string) => string,
): { readonly files: readonly KeptFile[] } | { readonly refusal: Refusal } {
  const files: KeptFile[] = [];
  // The undo went from the last to the first.
  for (const { change: id, path } of already.toReversed()) {
    const change = history.find(({ header }) => header.id === id);
    const file = change && filesOf(change)?.find((one) => one.path === path);
    const turned = file && turnRound(file);
    if (turned === undefined) return { refusal: cannot(id, nameOf(path)) };
    files.push(turned);
  }
  return { files };
}

/** The change of one file the other way; undefined when the record does not hold what that needs. */
function turnRound(file: KeptFile): KeptFile | undefined {
  const { before: after, after: before } = file;
  switch (file.action) {
    case 'add':
      return file.content === undefined && file.link === undefined
        ? undefined
        : { ...file, action: 'delete', before, after };
    case 'delete':
      return { ...file, action: 'add', before, after };
    case 'modify':
      return { ...file, before, after, regions: turnedRegions(file.regions) };
    case 'move':
      if (file.over !== undefined) return undefined;
      return { ...file, path: file.movedTo!, movedTo: file.path, before, after, regions: turnedRegions(file.regions) };
  }
}

function turnedRegions(regions: readonly Region[]): readonly Region[] {
  let growth = 0;
  return regions.map((region) => {
    const old = newBytes(region);
    const from = region.from + growth;
    growth += old.length - region.old.length;
    return { ...region, from, old, splices: inverseSplices([{ ...region, from: 0 }]) };
  });
}

function cannot(id: string, name: string): Refusal {
  return {
    ok: false,
    reason: 'not-kept',
    message: `${id} cannot be done again: the undo found ${name} as before, and its new content was not kept`,
    hint: 'change the file by hand; pincer changes says what was done',
    conflicts: [],
  };
}
