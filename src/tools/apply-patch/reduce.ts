/** Reduces the overlay to one batch of changes with each path once, and describes their effects. */
import { Fault } from '../../base/fault.ts';
import type { ByteSplice, FileChange, Located } from '../../hosts/files/shape.ts';
import { encodeText } from '../../text/lines/bytes.ts';
import { changedLines } from '../../text/lines/compare.ts';
import type { Splice } from '../../text/lines/splice.ts';
import { isMovedLink, type Overlay, type Slot, type VirtualFile } from './overlay.ts';

/** The effect on one path, for the answer. */
export interface Effect {
  readonly action: 'add' | 'modify' | 'delete' | 'move' | 'unchanged';
  readonly slot: Slot;
  /** The origin of a moved file. */
  readonly from?: Slot;
  /** The old text and its splices, where the content changes. */
  readonly text?: string;
  readonly splices?: readonly Splice[];
  /** The new text of a file that is replaced completely. */
  readonly newText?: string;
  /** Sizes of a file that is replaced completely. */
  readonly replaced?: { readonly bytesBefore: number; readonly bytesAfter: number };
}

export interface Batch {
  readonly changes: readonly FileChange[];
  readonly effects: readonly Effect[];
  /** Every file that the batch touches, for the lock. */
  readonly touched: readonly Located[];
}

export function reduce(overlay: Overlay): Batch {
  const slots = [...overlay.slots.values()];
  const homes = new Map<Slot, Slot>();
  for (const slot of slots)
    if (isMovedLink(slot.now)) homes.set(slot.now.from, slot);
    else if (typeof slot.now !== 'string' && slot.now.origin !== undefined) homes.set(slot.now.origin, slot);
  const renamed = new Set<Slot>();
  const changes: FileChange[] = [];
  const effects: Effect[] = [];
  for (const slot of slots) {
    if (typeof slot.now === 'string') continue;
    if (isMovedLink(slot.now)) {
      changes.push({ file: slot.place.file, link: slot.now.link });
      effects.push({ action: 'move', slot, from: slot.now.from });
      continue;
    }
    const { change, effect } = settle({ overlay, homes, renamed }, slot, slot.now);
    if (change !== undefined) changes.push(change);
    effects.push(effect);
  }
  for (const slot of slots) {
    if (slot.now !== 'gone' || slot.place.stamp === undefined || renamed.has(slot)) continue;
    changes.push({ file: slot.place.file, stamp: slot.place.stamp, remove: true });
    if (!homes.has(slot)) effects.push({ action: 'delete', slot });
  }
  refuseFilesAsFolders(slots);
  return { changes, effects, touched: slots.map(({ place }) => place.file) };
}

interface Settling {
  readonly overlay: Overlay;
  /** The final slot of the file that was in a slot on disk. */
  readonly homes: ReadonlyMap<Slot, Slot>;
  /** Slots whose file is renamed. */
  readonly renamed: Set<Slot>;
}

interface Settled {
  readonly change?: FileChange;
  readonly effect: Effect;
}

function settle(settling: Settling, slot: Slot, file: VirtualFile): Settled {
  if (file.origin === undefined) return replaced(slot, encodeText(file.text!), file.text!, file.mode);
  if (file.origin === slot) return edited(settling.overlay, slot, file);
  return moved(settling, slot, file, file.origin);
}

function edited(overlay: Overlay, slot: Slot, file: VirtualFile): Settled {
  const splices = splicesOf(file);
  if (splices.length === 0) return { effect: { action: 'unchanged', slot } };
  const { source, stamp, bytes } = overlay.load(file);
  return {
    change: { file: slot.place.file, stamp, edit: { splices: source.byteSplices(splices), old: bytes } },
    effect: { action: 'modify', slot, text: source.text, splices },
  };
}

function moved({ overlay, homes, renamed }: Settling, slot: Slot, file: VirtualFile, origin: Slot): Settled {
  const { place } = slot;
  const splices = splicesOf(file);
  const content = splices.length === 0 ? {} : { text: overlay.load(file).source.text, splices };
  // Rename the file, unless another file of the patch uses one of the two names; then copy the content.
  if (origin.now === 'gone' && !homes.has(slot)) {
    renamed.add(origin);
    const stamp = file.loaded?.stamp ?? origin.place.stamp!;
    const bytes = splices.length === 0 ? undefined : overlay.load(file).source.byteSplices(splices);
    return {
      change: {
        file: origin.place.file,
        stamp,
        moveTo: place.file,
        ...(place.stamp === undefined ? {} : { over: place.stamp }),
        ...(bytes === undefined ? {} : { splices: bytes }),
      },
      effect: { action: 'move', slot, from: origin, ...content },
    };
  }
  const { bytes, source } = overlay.load(file);
  const whole = splices.length === 0 ? bytes : patched(bytes, source.byteSplices(splices));
  refuseOtherMode(slot, origin);
  const { change } = replaced(slot, whole, overlay.currentText(file), origin.place.mode);
  return { change: change!, effect: { action: 'move', slot, from: origin, ...content } };
}

/** A copied content must not become accessible to other users. */
function refuseOtherMode({ place, name }: Slot, origin: Slot): void {
  const { mode } = origin.place;
  if (place.mode === undefined || mode === undefined || place.mode === mode) return;
  throw new Fault(
    'PATCH_CONFLICT',
    `the patch swaps files with different modes: ${name} has ${octal(place.mode)}, ${origin.name} has ${octal(mode)}`,
    { hint: 'move them in several patches', details: { path: name } },
  );
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8);
}

/** Creates a file, or replaces its whole content. */
function replaced(slot: Slot, bytes: Uint8Array, text: string, mode: number | undefined): Settled {
  const { place } = slot;
  if (place.stamp === undefined) {
    const splices = text === '' ? [] : [{ start: 0, end: 0, text }];
    return {
      change: { file: place.file, create: bytes, ...(mode === undefined ? {} : { mode }) },
      effect: { action: 'add', slot, text: '', splices },
    };
  }
  const size = Number(place.stamp.size);
  return {
    change: { file: place.file, stamp: place.stamp, edit: { splices: [{ start: 0, end: size, bytes }] } },
    effect: { action: 'modify', slot, newText: text, replaced: { bytesBefore: size, bytesAfter: bytes.length } },
  };
}

/** The difference between the text on disk and the current text. */
function splicesOf(file: VirtualFile): readonly Splice[] {
  if (file.splices !== undefined) return file.splices;
  return changedLines(file.loaded!.source.text, file.text!);
}

function patched(bytes: Uint8Array, splices: readonly ByteSplice[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const splice of splices) {
    pieces.push(bytes.subarray(at, splice.start), splice.bytes);
    at = splice.end;
  }
  pieces.push(bytes.subarray(at));
  const out = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    out.set(piece, end);
    end += piece.length;
  }
  return out;
}

/** A path cannot be a file and the folder of another file. */
function refuseFilesAsFolders(slots: readonly Slot[]): void {
  const files = new Map<string, string>();
  for (const { now, place, name } of slots) if (typeof now !== 'string') files.set(place.file.path, name);
  for (const path of files.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const name = files.get(path.slice(0, at));
      if (name !== undefined)
        throw new Fault('PATCH_CONFLICT', `the patch uses ${name} as a file and as a folder`, {
          hint: 'choose another name for one of them',
          details: { path: name },
        });
    }
  }
}
