/** The files with changes undone in memory. */
import type { Files, OpenFile, LocatedEntry } from '../shape.ts';
import { Content } from './content.ts';

/** What is, or would be, at a path. */
export type OverlayEntry =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'file';
      readonly content: Content;
      readonly mode: number;
      /** The present path of the same file. */
      readonly origin?: string;
    }
  | { readonly kind: 'link'; readonly text: string }
  | { readonly kind: 'folder'; readonly mode: number }
  /** What is no regular file, or reached through a link: no recorded change leaves that. */
  | { readonly kind: 'other'; readonly what: string };

export interface Present {
  readonly place: LocatedEntry;
  readonly entry: OverlayEntry;
  readonly open: OpenFile | undefined;
}

export type OverlayFiles = Pick<Files, 'placeOf' | 'open' | 'locateOperator'>;

export class Overlay {
  private readonly files: OverlayFiles;
  private readonly presents = new Map<string, Present>();
  private readonly entries = new Map<string, OverlayEntry>();

  private readonly operatorPaths: ReadonlySet<string>;

  /** The operator named `operatorPaths`, so that the boundary does not apply to them. */
  constructor(files: OverlayFiles, operatorPaths: ReadonlySet<string> = new Set()) {
    this.files = files;
    this.operatorPaths = operatorPaths;
  }

  get paths(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** What is there now, opened once. */
  present(path: string): Present {
    let present = this.presents.get(path);
    if (present === undefined) {
      present = this.look(path);
      this.presents.set(path, present);
    }
    return present;
  }

  at(path: string): OverlayEntry {
    return this.entries.get(path) ?? this.present(path).entry;
  }

  put(path: string, entry: OverlayEntry): void {
    this.present(path);
    this.entries.set(path, entry);
  }

  close(): void {
    for (const { open } of this.presents.values()) open?.close();
  }

  /** Where a path leads now, without opening it. */
  place(path: string): LocatedEntry {
    if (!this.operatorPaths.has(path)) return this.files.placeOf(path, 'itself');
    return { file: this.files.locateOperator(path), type: 'file', stamp: undefined, mode: undefined };
  }

  private look(path: string): Present {
    const place = this.place(path);
    const other = (what: string): Present => ({ place, entry: { kind: 'other', what }, open: undefined });
    if (place.file.path !== path) return other(`reached through a symlink, as ${place.file.path}`);
    if (place.type === 'nothing') return { place, entry: { kind: 'nothing' }, open: undefined };
    if (place.link !== undefined) return { place, entry: { kind: 'link', text: place.link }, open: undefined };
    if (place.type === 'folder')
      return { place, entry: { kind: 'folder', mode: place.mode ?? 0o755 }, open: undefined };
    if (place.type !== 'file') return other(place.type === 'other' ? 'not a regular file' : `a ${place.type}`);
    const open = this.files.open(place.file);
    const mode = place.mode ?? 0o644;
    return { place, entry: { kind: 'file', content: Content.ofFile(open), mode, origin: path }, open };
  }
}
