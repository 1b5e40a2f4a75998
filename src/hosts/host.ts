/**
 * THE SHAPE of a host: where files live. Interfaces only, so that tools depend on this file and on nothing below it.
 * Everything is synchronous; what only writing needs is loaded by `writer()` at the moment of need.
 */

/** What identifies the bytes that were read: equal stamps mean that nobody has written since. */
export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** One replacement in a file: the bytes from `start` up to, not including, `end` become `bytes`. */
export interface ByteSplice {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

declare const passedTheGate: unique symbol;

/** A file that passed the boundary; only `locate` and `locateOperator` make one. */
export interface Located {
  readonly [passedTheGate]: true;
  /** The real absolute path: no link, no `..` in it. */
  readonly path: string;
  /** The real folder that holds it and that no later step may leave; undefined when the operator named the file. */
  readonly root: string | undefined;
}

/** An open regular file; offsets are bytes. It fits the scanners' `ByteSource`. */
export interface OpenFile {
  readonly located: Located;
  readonly size: number;
  /** As it was when the file was opened. While the file stays open, no other file can take its inode. */
  readonly stamp: Stamp;
  /** Fills `into` as far as the file goes and says how many bytes that were; 0 at the end. */
  read(offset: number, into: Uint8Array): number;
  readAll(): Uint8Array;
  close(): void;
}

/** What a write left behind. */
export interface Written {
  readonly path: string;
  readonly size: number;
  /** False when there was nothing to write and the file was left alone. */
  readonly changed: boolean;
}

/** One line for the end of a file, without its ending, and the ending to separate it with. */
export interface NewLine {
  readonly line: Uint8Array;
  readonly eol: '\n' | '\r\n';
}

/** What a batch does to one file; a file may stand in a batch once. */
export interface FileChange {
  readonly file: Located;
  /** As read; a file that has another one now stops the whole batch. */
  readonly stamp: Stamp;
  readonly edit: { readonly splices: readonly ByteSplice[] } | { readonly append: NewLine };
}

/** What was found left over from processes that died in the middle of a batch, and what became of it. */
export interface Recovery {
  /** Files that got their new bytes now. */
  readonly completed: readonly string[];
  /** Files of a dead batch that somebody else changed since; they were left alone. */
  readonly conflicts: readonly string[];
  /** Journals that could not be worked off, with the reason; they are tried again next time. */
  readonly failed: readonly { readonly journal: string; readonly reason: string }[];
}

export interface FileWriter {
  /**
   * Runs `work` as the only writer of these files among all Pincer processes. Reading, computing and writing
   * inside it cannot lose anybody's update. `work` is synchronous; calls on the same files nest.
   */
  exclusively<T>(files: readonly Located[], work: () => T): T;
  /** Puts the splices into the file, atomically; refused with FS_CHANGED when it is not as it was read. */
  replace(file: OpenFile, splices: readonly ByteSplice[], expected?: Stamp): Written;
  /** Adds a line at the end in one write; whether the file ends with a newline stays as it was. */
  append(file: Located, line: NewLine): Written;
  /** Changes all the files or none, also when the process dies in between. */
  commit(changes: readonly FileChange[]): readonly Written[];
  /** Completes or clears away what dead processes left; may not be called inside `exclusively`. */
  recover(): Recovery;
}

/** How many newlines files have, kept between runs. */
export interface LineCounts {
  /** The count taken at this very stamp, if there is one. */
  recall(stamp: Stamp): number | undefined;
  remember(stamp: Stamp, newlines: number): void;
}

export interface Files {
  /** The file that an address names: relative, and never outside the workspace. */
  locate(slot: string): Located;
  /** The file that the operator named on the command line: anywhere, links followed. */
  locateOperator(path: string): Located;
  open(file: Located): OpenFile;
  /** `locate` and `open` in one walk. */
  openSlot(slot: string): OpenFile;
  /** Whether `recover` has something to look at; costs one directory listing. */
  hasLeftovers(): boolean;
  lineCounts(): LineCounts;
  writer(): Promise<FileWriter>;
}
