import { Fault } from '../../base/fault.ts';

/** The lines of a patch during parsing; `at` is the index of the next one. */
export interface PatchLines {
  readonly lines: string[];
  at: number;
  /** Interpretation stops before this line. */
  readonly until: number;
  /** The line that ends the last block even if it is indented; -1 when there is none. */
  readonly lastEnd: number;
}

export function syntaxFault(index: number, problem: string, hint: string): Fault {
  return new Fault('PATCH_SYNTAX', `line ${index + 1} of the patch ${problem}`, { hint, details: { line: index + 1 } });
}

/** A line of the patch for a message. */
export function quoted(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 77)}...` : line);
}
