/** THE SHAPE of a recorder of changes: writers report each change before they make it, so that it can be undone. */
import type { ByteSplice, Located, OpenFile } from '../shape.ts';

/** What happens to one file, reported while its old bytes can still be read. */
export type RecordedStep =
  | {
      readonly action: 'modify';
      readonly source: OpenFile;
      readonly splices: readonly ByteSplice[];
      readonly mode: number;
    }
  | { readonly action: 'add'; readonly file: Located; readonly bytes: Uint8Array; readonly mode: number }
  /** `unkept` is why the bytes may not be kept; then there is no source. */
  | {
      readonly action: 'delete';
      readonly file: Located;
      readonly source?: OpenFile;
      readonly unkept?: string;
      readonly mode: number;
    }
  | LinkStep
  | FolderStep
  | ModeStep
  | {
      readonly action: 'move';
      readonly source: OpenFile;
      readonly movedTo: Located;
      readonly splices: readonly ByteSplice[];
      readonly mode: number;
      /** The file that the move replaces. */
      readonly over?: OpenFile;
      readonly overMode?: number;
    };

/** The creation or removal of a symbolic link; `link` is its target as the link stores it. */
export interface LinkStep {
  readonly action: 'add' | 'delete';
  readonly file: Located;
  readonly link: string;
}

/** The creation or removal of an empty folder. */
export interface FolderStep {
  readonly action: 'add' | 'delete';
  readonly file: Located;
  readonly isFolder: true;
  readonly mode: number;
}

/** A change of permissions. */
export interface ModeStep {
  readonly action: 'modify';
  readonly file: Located;
  readonly isFolder?: true;
  readonly mode: number;
  readonly modeAfter: number;
}

/** The record of one change while it is being made. */
export interface OpenRecord {
  /** Called once per file, in order, before anything changes. Never throws for a file that it cannot keep. */
  add(step: RecordedStep): void;
  /** Called right before the first file changes; from then on the change can be undone. `folders` were created for it. */
  publish(folders?: readonly Located[]): void;
  /** Called if the change did not happen; also after `publish`. */
  withdraw(): void;
}

export interface Recorder {
  begin(purpose: string): OpenRecord;
}
