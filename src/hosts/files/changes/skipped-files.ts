/** Files that an undo skipped, because they already had their old content: a redo needs the original change for them. */
import type { Reversal } from '../shape.ts';
import { filesOf, type StoredChange } from './history.ts';
import { inverseRegions, type KeptFile } from './kept-file.ts';

type Refusal = Extract<Reversal, { ok: false }>;

/** The inverted changes of the files that an undo skipped, in their order; reversing these redoes the changes. */
export function skippedFiles(
  { header: { already = [] } }: StoredChange,
  history: readonly StoredChange[],
  nameOf: (path: string) => string,
): { readonly files: readonly KeptFile[] } | { readonly refusal: Refusal } {
  const files: KeptFile[] = [];
  // The undo went from the last to the first.
  for (const { change: id, path } of already.toReversed()) {
    const change = history.find(({ header }) => header.id === id);
    const file = change && filesOf(change)?.find((one) => one.path === path);
    const inverted = file && invert(file);
    if (inverted === undefined) return { refusal: cannotRedo(id, nameOf(path)) };
    files.push(inverted);
  }
  return { files };
}

/** The inverse change of one file; undefined if the record lacks the bytes for it. */
function invert(file: KeptFile): KeptFile | undefined {
  const { before: after, after: before, modeAfter } = file;
  if (modeAfter !== undefined) return { ...file, mode: modeAfter, modeAfter: file.mode };
  switch (file.action) {
    case 'add':
      return file.content === undefined && file.link === undefined && file.isFolder === undefined
        ? undefined
        : { ...file, action: 'delete', before, after };
    case 'delete':
      return { ...file, action: 'add', before, after };
    case 'modify':
      return { ...file, before, after, regions: inverseRegions(file.regions) };
    case 'move':
      if (file.over !== undefined) return undefined;
      return { ...file, path: file.movedTo!, movedTo: file.path, before, after, regions: inverseRegions(file.regions) };
  }
}

function cannotRedo(id: string, name: string): Refusal {
  return {
    ok: false,
    reason: 'not-kept',
    message: `${id} cannot be redone: the undo skipped ${name}, which had its old content, and the new one was not kept`,
    hint: 'change the file by hand; pincer changes lists what was done',
    conflicts: [],
  };
}
