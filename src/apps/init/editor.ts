/** The interface of the editors for client files, and their faults. */
import { Fault } from '../../base/fault.ts';
import { positionAt } from '../../text/lines/position.ts';

export interface EditResult {
  readonly text: string;
  /** The paths of parents created for the entry; they are removed with it if they are empty then. */
  readonly made: readonly (readonly string[])[];
}

export interface Editor {
  /** Pincer's entry as plain data; undefined if there is none. */
  find(text: string): unknown;
  /** Whether there is any entry with pincer's name. */
  isTaken(text: string): boolean;
  /** Adds or updates the entry, and keeps members that the user added. Throws if the name belongs to another entry. */
  put(text: string): EditResult;
  /** Removes the entry, if it is pincer's, and parents that become empty: those in `made`, or all without a list. */
  take(text: string, made?: readonly (readonly string[])[]): string;
}

export function syntaxFaultAt(path: string, text: string, offset: number, message: string): Fault {
  const { line, column } = positionAt(text, offset);
  return syntaxFault(path, line, column, message);
}

export function syntaxFault(path: string, line: number, column: number, message: string): Fault {
  return new Fault('CONFIG_CLIENT_SYNTAX', `${path}:${line}:${column}: syntax error: ${message}`, {
    hint: 'correct the file first; nothing was written',
    details: { path, line, column },
  });
}

/** The file is valid, but its content conflicts with the entry. */
export function conflictAt(path: string, text: string, offset: number, message: string, hint: string): Fault {
  const { line, column } = positionAt(text, offset);
  return new Fault('CONFIG_CLIENT_CONFLICT', `${path}:${line}:${column}: ${message}`, {
    hint,
    details: { path, line, column },
  });
}

/** An entry with pincer's name that init did not create. */
export function foreignEntry(path: string, text: string, offset: number, at: readonly string[]): Fault {
  const message = `${at.join('.')} is an entry that init did not create`;
  return conflictAt(path, text, offset, message, 'rename or remove it; nothing was written');
}

export function isBlank(text: string): boolean {
  return /^\uFEFF?\s*$/u.test(text);
}
