/** What a verb works with. */
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { Files, FileWriter, LocatedEntry } from '../shape.ts';
import { Pending } from './pending.ts';

export interface VerbCall {
  readonly files: Files;
  readonly writer: FileWriter;
  /** The real path of the folder that relative operands start in. */
  readonly cwd: string;
  readonly umask: number;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** A verb. Returns its status. */
export type Verb = (args: readonly string[], call: VerbCall) => number;

/** More files than this, or more bytes, are not removed or copied at once: undo has to be able to bring them back. */
export const MOST_FILES = 1000;
export const MOST_BYTES = 64 << 20;

/** An operand that a verb cannot do, with the text behind the name of the verb. */
export class Refused extends Error {}

export class Work {
  readonly call: VerbCall;
  readonly pending: Pending;
  readonly #name: string;
  #status = 0;

  constructor(name: string, call: VerbCall) {
    this.#name = name;
    this.call = call;
    this.pending = new Pending((changes) => void call.writer.commit(changes));
  }

  /** Does each operand; what fails is reported, and the others are still done. Returns the status. */
  each(operands: readonly string[], work: (operand: string) => void): number {
    for (const operand of operands) this.attempt(() => work(operand));
    this.attempt(() => this.pending.flush());
    return this.#status;
  }

  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(messageOf(error));
    }
  }

  fail(message: string): void {
    this.#status = 1;
    this.call.err(`${this.#name}: ${message}\n`);
  }

  usage(message: string): number {
    this.call.err(`${this.#name}: ${message}\n`);
    return 1;
  }

  /** What an operand leads to; changes that wait for it are written first. `itself` does not follow a link at the end. */
  place(operand: string, leaf: 'target' | 'itself' = 'target'): LocatedEntry {
    const { files, cwd } = this.call;
    const path = operand.startsWith('/') ? operand : `${cwd}/${operand}`;
    if (operand === '') throw new Fault('FS_NOT_FOUND', 'an empty name', { hint: 'name the file' });
    const place = files.placeOf(path, leaf);
    this.pending.settle(place.file.path);
    return files.placeOf(path, leaf);
  }

  /** The same, where a path through something that is missing or no folder counts as missing. */
  find(operand: string, leaf: 'target' | 'itself' = 'target'): LocatedEntry | ProblemText {
    try {
      const found = this.place(operand, leaf);
      if (found.type === 'nothing') return { problem: this.#missing(operand) };
      return operand.endsWith('/') && found.type !== 'folder' ? { problem: 'Not a directory' } : found;
    } catch (error) {
      const isMissing = error instanceof Fault && error.code === 'FS_NOT_FOUND';
      return { problem: isMissing ? this.#missing(operand) : systemText(error) };
    }
  }

  /** A path through a file is no missing one. */
  #missing(operand: string): string {
    const at = operand.replace(/\/+[^/]*\/*$/u, '');
    if (at === operand || at === '') return 'No such file or directory';
    const above = this.find(at);
    if ('problem' in above) return above.problem;
    return above.type === 'folder' ? 'No such file or directory' : 'Not a directory';
  }
}

export interface ProblemText {
  readonly problem: string;
}

const TEXTS: Readonly<Record<string, string>> = {
  FS_NOT_FOUND: 'No such file or directory',
  FS_NOT_FOLDER: 'Not a directory',
  FS_IS_FOLDER: 'Is a directory',
};

/** The words of the system for a fault, or its own. */
export function systemText(error: unknown): string {
  return (error instanceof Fault ? TEXTS[error.code] : undefined) ?? messageOf(error);
}

export function quoted(name: string): string {
  return `'${name}'`;
}
