/**
 * The workspace as a patch would leave it, kept in memory. Every operation sees what the ones before it did; the disk
 * is only read, and only after every path of the patch has passed the gate.
 */
import { Fault } from '../../base/fault.ts';
import type { ByteSource, Files, Place, Stamp } from '../../hosts/files/shape.ts';
import { decodeFile, type DecodedFile } from '../../text/edit/decoded-file.ts';
import { applySplices, type Splice } from '../../text/lines/splice.ts';
import { pathVariants } from '../../text/patch/list-patch.ts';
import { bytesSource } from '../../text/scan/source.ts';
import type { HiddenPart } from '../secrets/redact.ts';
import { hiddenPart, hidesName, type SecretsView } from '../secrets/secrets.ts';

/** One path of the patch: what stands there on the disk and what stands there now. */
export interface Slot {
  readonly place: Place;
  readonly name: string;
  /** How to ask the host for it. */
  readonly asked: string;
  now: VirtualFile | MovedLink | 'gone' | 'as-is';
}

/** A link that the patch moved here; it leads to the same path as before. */
export interface MovedLink {
  readonly link: string;
  readonly from: Slot;
}

/** A file in the overlay; it may have been moved since it was read. */
export interface VirtualFile {
  /** Where it stands on the disk; undefined when the patch makes it. */
  readonly origin: Slot | undefined;
  /** What was read from there, when its content was needed. */
  loaded: Loaded | undefined;
  /** Its text now; undefined as long as nobody needs it. */
  text: string | undefined;
  /** What one update does to the text as it was read; undefined when several changed it, and then its text is there. */
  splices: readonly Splice[] | undefined;
  /** The mode that a file of the patch asks for. */
  readonly mode?: number | undefined;
}

export interface Loaded {
  readonly source: DecodedFile;
  readonly stamp: Stamp;
  readonly bytes: Uint8Array;
}

const NOTHING = bytesSource(new Uint8Array());
/** Of a deleted file that is larger, no line is shown. */
export const MOST_SHOWN = 64 * 1024;
/** Text of this size is patched in memory; beyond it a string of the whole file is no longer possible. */
const MOST_BYTES = 256 * 1024 * 1024;

export class Overlay {
  readonly slots = new Map<string, Slot>();
  private readonly places = new Map<string, { readonly place: Place; readonly asked: string }>();
  private readonly unlinked = new Set<string>();
  private readonly hidden = new Map<Slot, { readonly part: HiddenPart | undefined }>();
  private readonly files: Files;
  private readonly view: SecretsView;

  constructor(files: Files, view: SecretsView = {}) {
    this.files = files;
    this.view = view;
  }

  /** Whether the name of a slot alone keeps its lines from the agent. */
  hidesName({ asked, place }: Slot): boolean {
    return hidesName([asked, place.file.path], this.view);
  }

  /** What of the lines that stand in a slot is kept from the agent. */
  hides(slot: Slot): HiddenPart | undefined {
    const known = this.hidden.get(slot);
    if (known !== undefined) return known.part;
    const part = hiddenPart([slot.asked, slot.place.file.path], this.contentOf(slot), this.view);
    this.hidden.set(slot, { part });
    return part;
  }

  /** The bytes of a slot on the disk; none where there are none, or where they may not be read. */
  private contentOf(slot: Slot): ByteSource {
    const { now, place } = slot;
    const isShown = now !== 'gone' || Number(place.stamp?.size ?? 0) <= MOST_SHOWN;
    if (place.stands !== 'file' || !isShown) return NOTHING;
    if (typeof now !== 'string' && !isMovedLink(now) && now.origin === slot && now.loaded !== undefined)
      return bytesSource(now.loaded.bytes);
    try {
      return bytesSource(this.read(slot).bytes);
    } catch (error) {
      if (error instanceof Fault) return NOTHING; // whoever needs the bytes says why there are none
      throw error;
    }
  }

  /** Lets a path pass the gate; with `itself` a link at its end is not followed. */
  check(path: string, leaf: 'target' | 'itself'): void {
    const key = `${leaf} ${path}`;
    if (this.places.has(key)) return;
    const [literal, inner] = pathVariants(path);
    const place = this.files.placeOf(literal!, leaf);
    if (place.stands !== 'nothing' || inner === undefined) this.places.set(key, { place, asked: literal! });
    else this.places.set(key, { place: this.files.placeOf(inner, leaf), asked: inner });
  }

  /** The slot of a path that was checked before. */
  slot(path: string, leaf: 'target' | 'itself'): Slot {
    const { place, asked } = this.places.get(`${leaf} ${path}`)!;
    if (leaf === 'target' && this.unlinked.size > 0) this.refuseUnlinked(asked);
    const known = this.slots.get(place.file.path);
    if (known !== undefined) return known;
    const slot: Slot = { place, asked, name: this.files.nameOf(place.file), now: 'as-is' };
    this.slots.set(place.file.path, slot);
    return slot;
  }

  /** Makes sure that a link does not lead out of the boundary from its new place. */
  checkLink({ place }: Slot, link: string): void {
    if (link.startsWith('/')) return; // it leads where it led before, which has passed
    // The new place is a real path, so what goes up from it may be taken away from its text.
    const folders = place.file.path.split('/').slice(0, -1);
    const steps = link.split('/');
    while (steps[0] === '..' || steps[0] === '.' || steps[0] === '') if (steps.shift() === '..') folders.pop();
    this.files.placeOf(`${folders.join('/')}/${steps.join('/')}`, 'target');
  }

  /** The slot of a link itself, when a checked path ends at one that is still there. */
  linkAt(path: string): Slot | undefined {
    if (this.places.get(`itself ${path}`)?.place.stands !== 'link') return undefined;
    const slot = this.slot(path, 'itself');
    return slot.now === 'as-is' ? slot : undefined;
  }

  /** Notes that a link is taken away, so that no later path goes through it to its target. */
  unlink(slot: Slot): void {
    this.unlinked.add(slot.place.file.path);
  }

  private refuseUnlinked(asked: string): void {
    if (!this.unlinked.has(this.files.placeOf(asked, 'itself').file.path)) return;
    throw new Fault('PATCH_CONFLICT', `the patch uses the link ${asked} after it deleted or moved it`, {
      hint: 'name the file itself, or delete or move the link in a patch of its own',
      details: { path: asked },
    });
  }

  /** The text of a file as it is now. */
  textOf(file: VirtualFile): string {
    file.text ??= applySplices(this.load(file).source.text, file.splices ?? []);
    return file.text;
  }

  /** Reads a file of the disk, once. */
  load(file: VirtualFile): Loaded {
    file.loaded ??= this.read(file.origin!);
    return file.loaded;
  }

  /** Reads what stands in a slot on the disk. */
  read({ asked, place, name }: Slot): Loaded {
    const open = this.files.openPath(asked);
    try {
      if (open.located.path !== place.file.path) throw changedMeanwhile(name);
      if (open.size > MOST_BYTES)
        throw new Fault('PATCH_TOO_LARGE', `${name} has ${open.size} bytes, too many to patch`, {
          hint: `a file of at most ${MOST_BYTES} bytes can be patched; use edit for one place in a larger one`,
          details: { path: name, bytes: open.size },
        });
      const bytes = open.readAll();
      return { source: decodeFile(bytes), stamp: open.stamp, bytes };
    } finally {
      open.close();
    }
  }

  /** What the host says about names near to one that is not there. */
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

/** Whether a link was moved into a slot. */
export function isMovedLink(now: Slot['now']): now is MovedLink {
  return typeof now !== 'string' && 'link' in now;
}

/** Whether something stands in the slot now. */
export function isFilled({ now, place }: Slot): boolean {
  return now === 'as-is' ? place.stands !== 'nothing' : now !== 'gone';
}

/** The file in a slot that is filled. */
export function fileIn(slot: Slot): VirtualFile {
  if (isMovedLink(slot.now))
    throw new Fault('PATCH_CONFLICT', `the patch uses the link ${slot.name} after it moved it`, {
      hint: 'name the file itself, or move the link in a patch of its own',
      details: { path: slot.name },
    });
  if (typeof slot.now !== 'string') return slot.now;
  return { origin: slot, loaded: undefined, text: undefined, splices: [] };
}

function changedMeanwhile(name: string): Fault {
  return new Fault('FS_CHANGED', `${name} was exchanged while the patch was being planned`, {
    hint: 'send the patch again',
  });
}
