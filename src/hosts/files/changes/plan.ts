import type { ByteSplice, FileChange, OpenFile, LocatedEntry } from '../shape.ts';
import type { RecordedStep } from './recorder-shape.ts';
import type { Overlay, OverlayEntry } from './overlay.ts';

/** The changes that write an overlay to disk, and the same as steps for display. */
export interface Plan {
  readonly changes: readonly FileChange[];
  readonly steps: readonly RecordedStep[];
  /** Files whose group gets fewer permissions than recorded. */
  readonly narrowed: readonly string[];
}

/** The fewest changes that write the overlay to disk; a file that was moved is moved back. */
export function planOf(overlay: Overlay): Plan {
  const plan: Draft = { changes: [], steps: [], narrowed: [] };
  const settled = new Set<string>();
  for (const [from, to] of movesOf(overlay)) {
    settled.add(from).add(to);
    addMove(overlay, from, to, plan);
  }
  for (const path of overlay.paths) if (!settled.has(path)) addRest(overlay, path, plan);
  return plan;
}

type Draft = { readonly changes: FileChange[]; readonly steps: RecordedStep[]; readonly narrowed: string[] };

/**
 * The mode of a restored file. The record has neither its group nor its ACL, whose mask looks like group permissions: so the
 * group gets no more than others.
 */
function restoredMode(mode: number): number {
  return mode & (0o7707 | ((mode & 0o007) << 3));
}

/** Moves that a batch can make: the old name is free afterwards, and no other file moves from or to either name. */
function movesOf(overlay: Overlay): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  const leaving = new Set(overlay.paths.flatMap((path) => originElsewhere(overlay.at(path), path) ?? []));
  for (const path of overlay.paths) {
    const from = originElsewhere(overlay.at(path), path);
    if (from === undefined || leaving.has(path) || overlay.at(from).kind !== 'nothing') continue;
    if (overlay.present(path).entry.kind !== 'other') moves.set(from, path);
  }
  return moves;
}

function originElsewhere(entry: OverlayEntry, path: string): string | undefined {
  return entry.kind === 'file' && entry.origin !== path ? entry.origin : undefined;
}

function addMove(overlay: Overlay, from: string, to: string, { changes, steps }: Draft): void {
  const source = presentFile(overlay, from);
  const target = overlay.present(to);
  const entry = overlay.at(to) as Extract<OverlayEntry, { kind: 'file' }>;
  const splices = entry.content.splicesFor(source.open);
  const { file } = target.place;
  const over = target.open === undefined ? {} : { over: target.open.stamp };
  changes.push({ file: source.place.file, stamp: source.open.stamp, moveTo: file, ...over, splices });
  steps.push({
    action: 'move',
    source: source.open,
    movedTo: file,
    splices,
    mode: entry.mode,
    ...(target.open === undefined
      ? {}
      : { over: target.open, ...(target.place.mode === undefined ? {} : { overMode: target.place.mode }) }),
  });
}

function addRest(overlay: Overlay, path: string, { changes, steps, narrowed }: Draft): void {
  const { place, open, entry: now } = overlay.present(path);
  const entry = overlay.at(path);
  if (entry.kind === 'other') return;
  if (entry.kind === 'folder' || now.kind === 'folder') {
    addFolder(place, now, entry, { changes, steps, narrowed });
    return;
  }
  if (entry.kind === 'link') {
    if (now.kind !== 'nothing') return;
    changes.push({ file: place.file, link: entry.text });
    steps.push({ action: 'add', file: place.file, link: entry.text });
    return;
  }
  if (now.kind === 'link') {
    changes.push({ file: place.file, stamp: place.stamp!, remove: true });
    steps.push({ action: 'delete', file: place.file, link: now.text });
    return;
  }
  if (open === undefined) {
    if (entry.kind === 'nothing') return;
    const bytes = entry.content.read(0, entry.content.size);
    const mode = restoredMode(entry.mode);
    if (mode !== entry.mode) narrowed.push(path);
    changes.push({ file: place.file, create: bytes, mode });
    steps.push({ action: 'add', file: place.file, bytes, mode });
    return;
  }
  const mode = place.mode ?? 0o644;
  if (entry.kind === 'nothing') {
    changes.push({ file: place.file, stamp: open.stamp, remove: true });
    steps.push({ action: 'delete', file: place.file, source: open, mode });
    return;
  }
  if (entry.mode !== mode) {
    changes.push({ file: place.file, was: mode, setMode: entry.mode });
    steps.push({ action: 'modify', file: place.file, mode, modeAfter: entry.mode });
  }
  const splices: readonly ByteSplice[] = entry.content.splicesFor(open);
  if (splices.length === 0) return;
  changes.push({ file: place.file, stamp: open.stamp, edit: { splices } });
  steps.push({ action: 'modify', source: open, splices, mode });
}

function addFolder({ file }: LocatedEntry, now: OverlayEntry, entry: OverlayEntry, { changes, steps }: Draft): void {
  if (now.kind === 'nothing' && entry.kind === 'folder') {
    const { mode } = entry;
    changes.push({ file, makeFolder: true, mode });
    steps.push({ action: 'add', file, isFolder: true, mode });
  } else if (now.kind === 'folder' && entry.kind === 'nothing') {
    const { mode } = now;
    changes.push({ file, removeFolder: true, mode });
    steps.push({ action: 'delete', file, isFolder: true, mode });
  } else if (now.kind === 'folder' && entry.kind === 'folder' && now.mode !== entry.mode) {
    changes.push({ file, was: now.mode, setMode: entry.mode, isFolder: true });
    steps.push({ action: 'modify', file, isFolder: true, mode: now.mode, modeAfter: entry.mode });
  }
}

function presentFile(overlay: Overlay, path: string): { place: LocatedEntry; open: OpenFile } {
  const { place, open } = overlay.present(path);
  if (open === undefined) throw new Error(`there is no file at ${path}, the origin of a moved file`);
  return { place, open };
}
