/**
 * The workspace in memory, with the effects of a patch. Every operation sees the effects of the earlier ones. The disk is only
 * read, and only after every path of the patch has passed the gate.
 */
import { Fault } from '../../base/fault.ts';
import type { ByteSource, Files, LocatedEntry, Stamp } from '../../hosts/files/shape.ts';
import { decodeFile, type DecodedFile } from '../../text/edit/decoded-file.ts';
import { applySplices, type Splice } from '../../text/lines/splice.ts';
import { pathVariants } from '../../text/patch/list-patch.ts';
import { bytesSource } from '../../text/scan/source.ts';
import type { HiddenPart } from '../secrets/redact.ts';
import { hiddenPart, hidesName, type SecretsView } from '../secrets/secrets.ts';

/** One path of the patch: its state on disk (`place`) and in the overlay (`now`). */
export interface Slot {
  readonly place: LocatedEntry;
  readonly name: string;
  /** The path for the host. */
  readonly asked: string;
  now: VirtualFile | MovedLink | 'gone' | 'as-is';
}

/** A symlink that the patch moved here; its target does not change. */
export interface MovedLink {
  readonly link: string;
  readonly from: Slot;
}

/** A file in the overlay; it may have been moved since it was read. */
export interface VirtualFile {
  /** Its place on disk; undefined when the patch creates it. */
  readonly origin: Slot | undefined;
  /** Its content on disk, read on demand. */
  loaded: Loaded | undefined;
  /** Its current text, computed on demand. */
  text: string | undefined;
  /** The splices of a single update; undefined after several updates, when `text` is set. */
  splices: readonly Splice[] | undefined;
  /** The mode that the patch sets. */
  readonly mode?: number | undefined;
}

export interface Loaded {
  readonly source: DecodedFile;
  readonly stamp: Stamp;
  readonly bytes: Uint8Array;
}

const NOTHING = bytesSource(new Uint8Array());
/** The diff of a larger deleted file has no lines. */
export const MOST_SHOWN = 64 * 1024;
/** A larger file may not fit into one string. */
const MOST_BYTES = 256 * 1024 * 1024;

export class Overlay {
  readonly slots = new Map<string, Slot>();
  private readonly places = new Map<string, { readonly place: LocatedEntry; readonly asked: string }>();
  private readonly unlinked = new Set<string>();
  private readonly hidden = new Map<Slot, { readonly part: HiddenPart | undefined }>();
  private readonly files: Files;
  private readonly view: SecretsView;

  constructor(files: Files, view: SecretsView = {}) {
    this.files = files;
    this.view = view;
  }

  hidesName({ asked, place }: Slot): boolean {
    return hidesName([asked, place.file.path], this.view);
  }

  hides(slot: Slot): HiddenPart | undefined {
    const known = this.hidden.get(slot);
    if (known !== undefined) return known.part;
    const part = hiddenPart([slot.asked, slot.place.file.path], this.contentOf(slot), this.view);
    this.hidden.set(slot, { part });
    return part;
  }

  /** The content on disk; empty where there is no readable file. */
  private contentOf(slot: Slot): ByteSource {
    const { now, place } = slot;
    const isShown = now !== 'gone' || Number(place.stamp?.size ?? 0) <= MOST_SHOWN;
    if (place.type !== 'file' || !isShown) return NOTHING;
    if (typeof now !== 'string' && !isMovedLink(now) && now.origin === slot && now.loaded !== undefined)
      return bytesSource(now.loaded.bytes);
    try {
      return bytesSource(this.read(slot).bytes);
    } catch (error) {
      if (error instanceof Fault) return NOTHING; // the operation that needs the bytes reports the fault
      throw error;
    }
  }

  /** Checks a path at the gate; with `itself` a final symlink is not followed. */
  check(path: string, leaf: 'target' | 'itself'): void {
    const key = `${leaf} ${path}`;
    if (this.places.has(key)) return;
    const [literal, inner] = pathVariants(path);
    const place = this.files.placeOf(literal!, leaf);
    if (place.type !== 'nothing' || inner === undefined) this.places.set(key, { place, asked: literal! });
    else this.places.set(key, { place: this.files.placeOf(inner, leaf), asked: inner });
  }

  /** The path must have been checked. */
  slot(path: string, leaf: 'target' | 'itself'): Slot {
    const { place, asked } = this.places.get(`${leaf} ${path}`)!;
    if (leaf === 'target' && this.unlinked.size > 0) this.refuseUnlinked(asked);
    const known = this.slots.get(place.file.path);
    if (known !== undefined) return known;
    const slot: Slot = { place, asked, name: this.files.nameOf(place.file), now: 'as-is' };
    this.slots.set(place.file.path, slot);
    return slot;
  }

  /** Refuses a relative symlink that would leave the boundary from its new place. */
  checkLink({ place }: Slot, link: string): void {
    if (link.startsWith('/')) return; // the target stays the same, and has been checked
    // The new place is a real path, so each `..` removes its last name.
    const folders = place.file.path.split('/').slice(0, -1);
    const steps = link.split('/');
    while (steps[0] === '..' || steps[0] === '.' || steps[0] === '') if (steps.shift() === '..') folders.pop();
    this.files.placeOf(`${folders.join('/')}/${steps.join('/')}`, 'target');
  }

  /** The slot of the symlink at the end of a checked path, if the patch has not removed it. */
  linkAt(path: string): Slot | undefined {
    if (this.places.get(`itself ${path}`)?.place.type !== 'link') return undefined;
    const slot = this.slot(path, 'itself');
    return slot.now === 'as-is' ? slot : undefined;
  }

  /** Marks a symlink as removed, so that no later path of the patch follows it. */
  unlink(slot: Slot): void {
    this.unlinked.add(slot.place.file.path);
  }

  private refuseUnlinked(asked: string): void {
    if (!this.unlinked.has(this.files.placeOf(asked, 'itself').file.path)) return;
    throw new Fault('PATCH_CONFLICT', `the patch uses the symlink ${asked} after it deleted or moved it`, {
      hint: 'name the file itself, or delete or move the symlink in a separate patch',
      details: { path: asked },
    });
  }

  currentText(file: VirtualFile): string {
    file.text ??= applySplices(this.load(file).source.text, file.splices ?? []);
    return file.text;
  }

  /** Reads a file once. */
  load(file: VirtualFile): Loaded {
    file.loaded ??= this.read(file.origin!);
    return file.loaded;
  }

  read({ asked, place, name }: Slot): Loaded {
    const open = this.files.openPath(asked);
    try {
      if (open.located.path !== place.file.path) throw changedMeanwhile(name);
      if (open.size > MOST_BYTES)
        throw new Fault('PATCH_TOO_LARGE', `${name} has ${open.size} bytes; the limit for patches is ${MOST_BYTES}`, {
          hint: 'use edit for a larger file',
          details: { path: name, bytes: open.size },
        });
      const bytes = open.readAll();
      return { source: decodeFile(bytes), stamp: open.stamp, bytes };
    } finally {
      open.close();
    }
  }

  /** The hint of the host about similar names. */
  nearNames({ asked }: Slot): string | undefined {
    try {
      this.files.openPath(asked).close();
    } catch (error) {
      if (error instanceof Fault) return error.hint;
      throw error;
    }
    return undefined;
  }
}

export function isMovedLink(now: Slot['now']): now is MovedLink {
  return typeof now !== 'string' && 'link' in now;
}

/** Whether the slot has a file or symlink at this point of the patch. */
export function isFilled({ now, place }: Slot): boolean {
  return now === 'as-is' ? place.type !== 'nothing' : now !== 'gone';
}

/** The slot must be filled. */
export function fileIn(slot: Slot): VirtualFile {
  if (isMovedLink(slot.now))
    throw new Fault('PATCH_CONFLICT', `the patch uses the symlink ${slot.name} after it moved it`, {
      hint: 'name the file itself, or move the symlink in a separate patch',
      details: { path: slot.name },
    });
  if (typeof slot.now !== 'string') return slot.now;
  return { origin: slot, loaded: undefined, text: undefined, splices: [] };
}

function changedMeanwhile(name: string): Fault {
  return new Fault('FS_CHANGED', `${name} was replaced while the patch was being planned`, {
    hint: 'send the patch again',
  });
}
