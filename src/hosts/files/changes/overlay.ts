/** The files as they would stand: the present ones, with changes taken back in memory. */
import type { Files, OpenFile, Place } from '../shape.ts';
import { Content } from './content.ts';

/** What stands, or would stand, at a path. */
export type Spot =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'file';
      readonly content: Content;
      readonly mode: number;
      /** The path that this very file has now. */
      readonly origin?: string;
    }
  | { readonly kind: 'link'; readonly text: string }
  /** A folder, or what is reached through a link now: no change of ours left it so. */
  | { readonly kind: 'other'; readonly what: string };

export interface Present {
  readonly place: Place;
  readonly spot: Spot;
  readonly open: OpenFile | undefined;
}

export type OverlayFiles = Pick<Files, 'placeOf' | 'open' | 'locateOperator'>;

export class Overlay {
  private readonly files: OverlayFiles;
  private readonly presents = new Map<string, Present>();
  private readonly spots = new Map<string, Spot>();

  private readonly operatorPaths: ReadonlySet<string>;

  /** `operatorPaths` are named by the operator, so that the boundary does not hold for them. */
  constructor(files: OverlayFiles, operatorPaths: ReadonlySet<string> = new Set()) {
    this.files = files;
    this.operatorPaths = operatorPaths;
  }

  get paths(): readonly string[] {
    return [...this.spots.keys()];
  }

  /** What stands there now, opened once. */
  present(path: string): Present {
    let present = this.presents.get(path);
    if (present === undefined) {
      present = this.look(path);
      this.presents.set(path, present);
    }
    return present;
  }

  at(path: string): Spot {
    return this.spots.get(path) ?? this.present(path).spot;
  }

  put(path: string, spot: Spot): void {
    this.present(path);
    this.spots.set(path, spot);
  }

  close(): void {
    for (const { open } of this.presents.values()) open?.close();
  }

  /** Where a path leads now; nothing is opened. */
  place(path: string): Place {
    if (!this.operatorPaths.has(path)) return this.files.placeOf(path, 'itself');
    return { file: this.files.locateOperator(path), stands: 'file', stamp: undefined, mode: undefined };
  }

  private look(path: string): Present {
    const place = this.place(path);
    const other = (what: string): Present => ({ place, spot: { kind: 'other', what }, open: undefined });
    if (place.file.path !== path) return other(`reached through a link, as ${place.file.path}`);
    if (place.stands === 'nothing') return { place, spot: { kind: 'nothing' }, open: undefined };
    if (place.link !== undefined) return { place, spot: { kind: 'link', text: place.link }, open: undefined };
    if (place.stands !== 'file') return other(place.stands === 'other' ? 'no regular file' : `a ${place.stands}`);
    const open = this.files.open(place.file);
    const mode = place.mode ?? 0o644;
    return { place, spot: { kind: 'file', content: Content.ofFile(open), mode, origin: path }, open };
  }
}
