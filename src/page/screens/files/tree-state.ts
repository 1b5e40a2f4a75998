/** The folders that the tree has loaded, and those that are open. */
import { signal } from '@preact/signals';
import { MOST_TREE_ENTRIES, type TreeEntry } from '../../../wire/methods/page-methods.ts';
import { call } from '../../state/server.ts';

export interface Folder {
  readonly entries: readonly TreeEntry[];
  readonly total: number;
  readonly error?: unknown;
}

/** By path; the workspace is the empty one. */
export const folders = signal<ReadonlyMap<string, Folder>>(new Map());
export const openFolders = signal<ReadonlySet<string>>(new Set(['']));

export async function loadFolder(under: string): Promise<void> {
  try {
    const { entries, total } = await call('files.tree', { under });
    keep(under, { entries, total });
  } catch (error) {
    keep(under, { ...(folders.peek().get(under) ?? { entries: [], total: 0 }), error }); // what was loaded stays
  }
}

/** Loads the names after those that are shown. */
export async function loadMore(under: string): Promise<void> {
  const before = folders.peek().get(under);
  if (before === undefined) return loadFolder(under);
  try {
    const { entries, total } = await call('files.tree', { under, after: before.entries.length });
    keep(under, { entries: [...before.entries, ...entries], total });
  } catch (error) {
    keep(under, { ...before, error });
  }
}

export function toggleFolder(path: string): void {
  const open = new Set(openFolders.peek());
  if (!open.delete(path)) {
    open.add(path);
    if (!folders.peek().has(path)) void loadFolder(path);
  }
  openFolders.value = open;
}

/** Opens the folders of a file, so that the tree shows it. */
export function reveal(file: string): void {
  const parents = parentsOf(file);
  openFolders.value = new Set([...openFolders.peek(), ...parents]);
  for (const parent of parents) if (!folders.peek().has(parent)) void loadFolder(parent);
}

/** Loads the open folders again. */
export function reloadTree(): void {
  for (const path of openFolders.peek()) void loadFolder(path);
}

/** `deploy/eu/a.yaml` has the parents ``, `deploy` and `deploy/eu`. */
export function parentsOf(file: string): readonly string[] {
  const names = file.split('/').slice(0, -1);
  return ['', ...names.map((_, i) => names.slice(0, i + 1).join('/'))];
}

export function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The entry of a path, where its folder is loaded. */
export function entryAt(known: ReadonlyMap<string, Folder>, path: string): TreeEntry | undefined {
  const cut = path.lastIndexOf('/');
  return known.get(path.slice(0, Math.max(0, cut)))?.entries.find(({ name }) => name === path.slice(cut + 1));
}

export function moreEntries({ entries, total }: Folder): number {
  return Math.min(MOST_TREE_ENTRIES, total - entries.length);
}

function keep(path: string, folder: Folder): void {
  folders.value = new Map(folders.peek()).set(path, folder);
}
