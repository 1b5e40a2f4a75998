/** The first unit of a line in a hunk. */
export const MARK = { context: 32, added: 43, removed: 45 } as const;

/** The line of a unified header. It is only a hint: models count badly. */
export interface RangeHint {
  /** In the old file, from 1. */
  readonly start: number;
  /** The text after the second `@@`, usually the enclosing function. */
  readonly heading: string;
}

export interface Hunk {
  /** Its first line in the patch, from 1. */
  readonly line: number;
  /** The lines of `@@`, outermost first: the change comes after them. */
  readonly anchors: readonly string[];
  readonly range: RangeHint | undefined;
  /**
   * Its lines with their marks. Context may come without a mark: an empty line, which may be layout, and a line with text. If
   * there is one with text, a leading space of other lines may be a mark or content.
   */
  readonly body: readonly string[];
  /** Whether there are lines with text and no mark among them. */
  readonly hasBare: boolean;
  /** Whether `*** End of File` closed it: its last line is the file's last. */
  readonly atEnd: boolean;
  /** Whether `\ No newline at end of file` follows the last old line, and the last new line. */
  readonly oldUnended: boolean;
  readonly newUnended: boolean;
}

export type PatchOperation =
  | {
      readonly kind: 'add';
      readonly line: number;
      readonly path: string;
      readonly content: string;
      /** Absent for the default mode. */
      readonly mode?: number;
    }
  | {
      readonly kind: 'delete';
      readonly line: number;
      readonly path: string;
      /** Hunks that remove every line, where the patch shows them; empty for a file that must be empty. */
      readonly hunks?: readonly Hunk[];
    }
  | {
      readonly kind: 'update';
      readonly line: number;
      readonly path: string;
      readonly moveTo: string | undefined;
      readonly hunks: readonly Hunk[];
    };

export interface ParsedPatch {
  readonly operations: readonly PatchOperation[];
  /** What was ignored, one sentence each. */
  readonly warnings: readonly string[];
}
