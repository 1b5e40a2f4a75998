import { Fault } from '../../base/fault.ts';

/** The lines of a patch while they are being read; `at` is the next one, from 0. */
export interface PatchLines {
  readonly lines: string[];
  at: number;
  /** Interpretation stops before this line. */
  readonly until: number;
  /** The line that ends the last block even when it is indented; -1 when there is none. */
  readonly lastEnd: number;
}

/** A patch that cannot be read: which line, what is wrong with it, what was expected. */
export function syntaxFault(index: number, problem: string, hint: string): Fault {
  return new Fault('PATCH_SYNTAX', `line ${index + 1} of the patch ${problem}`, { hint, details: { line: index + 1 } });
}

/** A line of the patch as a message shows it. */
export function quoted(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 77)}...` : line);
}
