import type { ByteSplice, FileChange, OpenFile, Place } from '../shape.ts';
import type { RecordedStep } from './recorder-shape.ts';
import type { Overlay, Spot } from './overlay.ts';

/** What makes an overlay true: the changes for the writer, and the same as steps for showing them. */
export interface Plan {
  readonly changes: readonly FileChange[];
  readonly steps: readonly RecordedStep[];
  /** Files that come back with fewer rights for their group than the record says. */
  readonly narrowed: readonly string[];
}

/** The fewest changes that bring the files to where the overlay has them; a file that moved moves back. */
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
 * The mode of a file that comes back. The record has neither its group nor its access list, whose mask looks like the
 * rights of the group: so the group gets no more than everybody.
 */
function modeOfReturned(mode: number): number {
  return mode & (0o7707 | ((mode & 0o007) << 3));
}

/** Moves that a batch can make: the old name ends free, and no other file is on its way from or to one of the names. */
function movesOf(overlay: Overlay): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  const leaving = new Set(overlay.paths.flatMap((path) => originElsewhere(overlay.at(path), path) ?? []));
  for (const path of overlay.paths) {
    const from = originElsewhere(overlay.at(path), path);
    if (from === undefined || leaving.has(path) || overlay.at(from).kind !== 'nothing') continue;
    if (overlay.present(path).spot.kind !== 'other') moves.set(from, path);
  }
  return moves;
}

function originElsewhere(spot: Spot, path: string): string | undefined {
  return spot.kind === 'file' && spot.origin !== path ? spot.origin : undefined;
}

function addMove(overlay: Overlay, from: string, to: string, { changes, steps }: Draft): void {
  const source = presentFile(overlay, from);
  const target = overlay.present(to);
  const spot = overlay.at(to) as Extract<Spot, { kind: 'file' }>;
  const splices = spot.content.splicesFor(source.open);
  const { file } = target.place;
  const over = target.open === undefined ? {} : { over: target.open.stamp };
  changes.push({ file: source.place.file, stamp: source.open.stamp, moveTo: file, ...over, splices });
  steps.push({
    action: 'move',
    source: source.open,
    movedTo: file,
    splices,
    mode: spot.mode,
    ...(target.open === undefined
      ? {}
      : { over: target.open, ...(target.place.mode === undefined ? {} : { overMode: target.place.mode }) }),
  });
}

function addRest(overlay: Overlay, path: string, { changes, steps, narrowed }: Draft): void {
  const { place, open, spot: now } = overlay.present(path);
  const spot = overlay.at(path);
  if (spot.kind === 'other') return;
  if (spot.kind === 'link') {
    if (now.kind !== 'nothing') return;
    changes.push({ file: place.file, link: spot.text });
    steps.push({ action: 'add', file: place.file, link: spot.text });
    return;
  }
  if (now.kind === 'link') {
    changes.push({ file: place.file, stamp: place.stamp!, remove: true });
    steps.push({ action: 'delete', file: place.file, link: now.text });
    return;
  }
  if (open === undefined) {
    if (spot.kind === 'nothing') return;
    const bytes = spot.content.read(0, spot.content.size);
    const mode = modeOfReturned(spot.mode);
    if (mode !== spot.mode) narrowed.push(path);
    changes.push({ file: place.file, create: bytes, mode });
    steps.push({ action: 'add', file: place.file, bytes, mode });
    return;
  }
  const mode = place.mode ?? 0o644;
  if (spot.kind === 'nothing') {
    changes.push({ file: place.file, stamp: open.stamp, remove: true });
    steps.push({ action: 'delete', file: place.file, source: open, mode });
    return;
  }
  const splices: readonly ByteSplice[] = spot.content.splicesFor(open);
  if (splices.length === 0) return;
  changes.push({ file: place.file, stamp: open.stamp, edit: { splices } });
  steps.push({ action: 'modify', source: open, splices, mode });
}

function presentFile(overlay: Overlay, path: string): { place: Place; open: OpenFile } {
  const { place, open } = overlay.present(path);
  if (open === undefined) throw new Error(`nothing stands at ${path}, although a file comes from there`);
  return { place, open };
}
