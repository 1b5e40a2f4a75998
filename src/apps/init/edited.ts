/** What an editor of one format makes of a client's file. */
import { Fault } from '../../base/fault.ts';
import { positionAt } from '../../text/lines/position.ts';

/** A text with our entry in it or out of it. */
export interface Edited {
  readonly text: string;
  /** The members that had to be made for the entry, from the root: they go when it goes and nothing else is in them. */
  readonly made: readonly (readonly string[])[];
}

/** What is done to a file; paths are members from the root. */
export interface Editor {
  /** Our entry as it stands there, in plain data; undefined where there is none. */
  find(text: string): unknown;
  /** Whether something stands where our entry would, ours or not. */
  isTaken(text: string): boolean;
  /** The text with the entry; one that is there keeps the members that are not ours to say. Throws where another's stands. */
  put(text: string): Edited;
  /** The text without it; an entry of somebody else stays. Parents that are empty then go too, if they are among `made`, or all of them without a list. */
  take(text: string, made?: readonly (readonly string[])[]): string;
}

/** A file that is not understood is not touched. */
export function notUnderstood(path: string, text: string, offset: number, message: string): Fault {
  const { line, column } = positionAt(text, offset);
  return syntaxFault(path, line, column, message);
}

export function syntaxFault(path: string, line: number, column: number, message: string): Fault {
  return new Fault('CONFIG_CLIENT_SYNTAX', `${path}:${line}:${column} is not understood: ${message}`, {
    hint: 'correct the file first; nothing was written',
    details: { path, line, column },
  });
}

/** A file that is sound, but says something where our entry should stand that init does not take over. */
export function inTheWay(path: string, text: string, offset: number, message: string, hint: string): Fault {
  const { line, column } = positionAt(text, offset);
  return new Fault('CONFIG_CLIENT_CONFLICT', `${path}:${line}:${column}: ${message}`, {
    hint,
    details: { path, line, column },
  });
}

/** An entry that has our name, and is not ours. */
export function notOurs(path: string, text: string, offset: number, at: readonly string[]): Fault {
  const message = `${at.join('.')} is an entry that init did not make`;
  return inTheWay(path, text, offset, message, 'give it another name or take it out; nothing was written');
}

/** A text that holds nothing yet. */
export function isBlank(text: string): boolean {
  return /^\uFEFF?\s*$/u.test(text);
}
