/** The shapes of a parsed patch: what it wants done, in the order in which it says so. */

/** What the first unit of a line in a hunk says it is. */
export const MARK = { context: 32, added: 43, removed: 45 } as const;

/** The place that a unified header gives, in lines of the old file from 1. It is a hint: models count badly. */
export interface RangeHint {
  readonly start: number;
  /** The text behind the second `@@`, mostly the enclosing function. */
  readonly heading: string;
}

/** One change of a file: lines to find and what becomes of them. */
export interface Hunk {
  /** Where it starts in the patch, from 1. */
  readonly line: number;
  /** The lines behind `@@`, outermost first: the change stands behind them. */
  readonly anchors: readonly string[];
  readonly range: RangeHint | undefined;
  /**
   * Its lines with their marks. Two kinds of context may have come without a mark: an empty line, which may be mere
   * layout, and a line with text, beside which a leading space may be meant either way.
   */
  readonly body: readonly string[];
  /** Whether there are lines with text and no mark among them. */
  readonly hasBare: boolean;
  /** Whether `*** End of File` closed it: its last line is the file's last. */
  readonly atEnd: boolean;
  /** Whether `\ No newline at end of file` stood behind its last old line, and behind its last new line. */
  readonly oldUnended: boolean;
  readonly newUnended: boolean;
}

export type PatchOperation =
  | {
      readonly kind: 'add';
      readonly line: number;
      readonly path: string;
      readonly content: string;
      /** Where the patch gives one that is not the usual one. */
      readonly mode?: number;
    }
  | {
      readonly kind: 'delete';
      readonly line: number;
      readonly path: string;
      /** What takes every line of the file away, where the patch shows them; none for a file that must be empty. */
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
  /** What was overlooked to make sense of it, one sentence each. */
  readonly warnings: readonly string[];
}
