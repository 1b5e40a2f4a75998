/** THE SHAPE of who keeps a record of changes: writers tell it what they are about to do, so that it can be undone. */
import type { ByteSplice, Located, OpenFile } from '../shape.ts';

/** What happens to one file, told while its old bytes can still be read. */
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
  | {
      readonly action: 'move';
      readonly source: OpenFile;
      readonly movedTo: Located;
      readonly splices: readonly ByteSplice[];
      readonly mode: number;
      /** What the move replaces. */
      readonly over?: OpenFile;
      /** The mode of what the move replaces. */
      readonly overMode?: number;
    };

/** A symbolic link is made or removed; `link` is the path that it leads to, as it is stored. */
export interface LinkStep {
  readonly action: 'add' | 'delete';
  readonly file: Located;
  readonly link: string;
}

/** The record of one change while it is being made. */
export interface OpenRecord {
  /** Called once per file, in order, before anything has changed. Never throws for a file it cannot keep. */
  add(step: RecordedStep): void;
  /**
   * Called right before the first file takes its new content; from here on the change can be undone. `folders` were made
   * for it, the outermost first.
   */
  publish(folders?: readonly Located[]): void;
  /** Called when the change did not happen after all; also after `publish`. */
  withdraw(): void;
}

export interface Recorder {
  begin(purpose: string): OpenRecord;
}
