/**
 * THE SHAPE of a host: where files live. Interfaces only, so that tools depend on this file and on nothing below it.
 * Everything is synchronous; what only writing needs is loaded by `writer()` at the moment of need.
 */
import type { Actor } from '../../wire/actor.ts';

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

/** Bytes that are read piece by piece. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, into: Uint8Array): number;
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

/**
 * What a batch does to one file; a path may stand in a batch once. Every `stamp` is as read: a file that has another
 * one now stops the whole batch.
 */
export type FileChange =
  | {
      readonly file: Located;
      readonly stamp: Stamp;
      /** `old` is all that was read under the stamp, where the caller still has it: then it is not read again. */
      readonly edit:
        | { readonly splices: readonly ByteSplice[]; readonly old?: Uint8Array }
        | { readonly append: NewLine };
    }
  /** A new file with its folders; it stops the batch when something stands there already. */
  | { readonly file: Located; readonly create: Uint8Array; readonly mode?: number }
  /** A new symbolic link with its folders; `link` is the path that it leads to, as it is stored. */
  | { readonly file: Located; readonly link: string }
  /** Takes the name away: a file's, or a link's own. */
  | { readonly file: Located; readonly stamp: Stamp; readonly remove: true }
  /** Another name for the same file, changed on the way if there are splices; `over` is what may be replaced there. */
  | {
      readonly file: Located;
      readonly stamp: Stamp;
      readonly moveTo: Located;
      readonly over?: Stamp;
      readonly splices?: readonly ByteSplice[];
    };

/** What stands where a path leads. */
export type Standing = 'file' | 'folder' | 'link' | 'other' | 'nothing';

/** The spot that a path names inside the boundary; nothing need stand there yet, and its folders may be missing. */
export interface Place {
  readonly file: Located;
  readonly stands: Standing;
  /** Of what stands there. */
  readonly stamp: Stamp | undefined;
  readonly mode: number | undefined;
  /** The path that a link there leads to, as it is stored; undefined when it is no text. */
  readonly link?: string;
}

/** Who changes files; kept with every recorded change. */
export interface Author extends Actor {
  readonly client: string;
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
  /** Removes those of these folders that are empty, the innermost first. */
  removeEmptyFolders(folders: readonly Located[]): void;
  /** Refuses what no batch may write, for those who only show what they would do: what git, Pincer, clients and shells obey. */
  refuseProtected(files: readonly Located[]): void;
  /** Completes or clears away what dead processes left; may not be called inside `exclusively`. */
  recover(): Recovery;
}

/** One recorded write: what an edit, a patch, a `path set` did to its files. */
export interface RecordedChange extends Actor {
  /** Sorts by time. */
  readonly id: string;
  readonly time: string;
  /** The tool or verb that wrote. */
  readonly tool: string;
  readonly files: readonly RecordedFile[];
  /** The changes that this one undid or did again. */
  readonly undoes?: readonly string[];
  readonly redoes?: readonly string[];
  /** Why its old bytes were not kept. */
  readonly notKept?: string;
  /** Whether its effect stands, was undone since, or cannot be undone because its old bytes were not kept. */
  readonly state: 'done' | 'undone' | 'not-kept';
}

export interface RecordedFile {
  readonly action: 'add' | 'modify' | 'delete' | 'move';
  readonly path: string;
  readonly movedTo?: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface ChangeFilter {
  /** At or after this moment, in milliseconds. */
  readonly since?: number;
  readonly agent?: string;
  /** As `requestedClient` gives it. */
  readonly client?: string;
  readonly conversation?: string;
  /** A file or folder, as a real absolute path. */
  readonly path?: string;
  /** Only changes that an undo can take back. */
  readonly standing?: true;
  readonly limit?: number;
}

/** What a change did to one file, as a unified diff that names it from the workspace. */
export interface FileDiff {
  readonly path: string;
  readonly movedTo?: string;
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** What an undo or redo did, or why it did nothing at all. */
export type Reversal =
  | {
      readonly ok: true;
      /** The change that the undo or redo itself was recorded as; undefined for a dry run. */
      readonly id: string | undefined;
      /** The changes that were undone or done again, newest first. */
      readonly changes: readonly RecordedChange[];
      readonly written: readonly Written[];
      /** Files that stood already as they should, named from the workspace; they were left alone. */
      readonly already: readonly string[];
      /** What it does to the files, or would do in a dry run. */
      readonly diffs: readonly FileDiff[];
    }
  | {
      readonly ok: false;
      readonly reason: 'nothing-to-do' | 'changed-since' | 'not-kept' | 'no-such-change' | 'not-yours';
      readonly message: string;
      readonly hint: string;
      /** For `changed-since`, per file: as it was left, as it stands now, as the undo would have it. */
      readonly conflicts: readonly Conflict[];
    };

export interface Conflict {
  /** Named from the workspace. */
  readonly path: string;
  readonly change: string;
  /** How it stands: as left by the change, now, and as it would become. */
  readonly leftAs: string;
  readonly isNow: string;
  readonly wouldBecome: string;
  /** Later recorded changes of the file that stand; empty when somebody else changed it. */
  readonly later: readonly string[];
  /** Unified diffs: what happened to the file since the change, and what going back would do; empty when unknown. */
  readonly since: string;
  readonly back: string;
}

export interface ReversalOptions {
  /** Shows what would be written, and writes nothing. */
  readonly dryRun?: boolean;
  /**
   * The operator asks: changes of others are taken back, too, and files outside of the boundary that the operator had named
   * may be written.
   */
  readonly operator?: boolean;
}

export interface Changes {
  /** Who undoes and redoes here. */
  readonly author: Author;
  /** Newest first, of this workspace. */
  list(filter?: ChangeFilter): readonly RecordedChange[];
  /** The one change that this id, or the start of an id, names. */
  find(id: string): RecordedChange | undefined;
  /** What a change did, file by file; undefined when there is no such change or its bytes were not kept. */
  diff(id: string): readonly FileDiff[] | undefined;
  /** All of them or none, newest first; without ids the newest that stands. Only the author's own, unless the operator asks. */
  undo(ids?: readonly string[], options?: ReversalOptions): Reversal;
  /** Takes undos back: those named, or those of the changes named; without ids the newest that stands. */
  redo(ids?: readonly string[], options?: ReversalOptions): Reversal;
}

/** How many newlines files have, kept between runs. */
export interface LineCounts {
  /** The count taken at this very stamp, if there is one. */
  recall(stamp: Stamp): number | undefined;
  remember(stamp: Stamp, newlines: number): void;
}

export interface Files {
  /** The real path of the workspace: what relative paths start from. */
  readonly workspace: string;
  /** Identifies the folder that was pinned: another folder of the same path has another id. */
  readonly workspaceId: string;
  /** Whether the workspace is also the boundary. */
  readonly workspaceOnly: boolean;
  /**
   * Opens the regular file that a tool's path names, in one walk: relative to the workspace or absolute, `@` and `~/`
   * and `file:` understood; inside the boundary, links inside followed.
   */
  openPath(path: string): OpenFile;
  /** The spot that a tool's path names. With `itself` a link at the end is not followed (for removing it). */
  placeOf(path: string, leaf?: 'target' | 'itself'): Place;
  /** How an answer names a file: from the workspace, with `/`; absolute when it stands outside. */
  nameOf(file: Located): string;
  /** The names in a folder inside the boundary, sorted, folders with a `/` at the end. */
  list(path: string): readonly string[];
  /** The file that an address names: relative, and never outside the workspace. */
  locate(slot: string): Located;
  /** The file that the operator named on the command line: anywhere, links followed. */
  locateOperator(path: string): Located;
  open(file: Located): OpenFile;
  /** `locate` and `open` in one walk. */
  openSlot(slot: string): OpenFile;
  /** The SHA-256 of a content, in hexadecimal; what is not in memory is read in windows. */
  hashOf(content: Uint8Array | ByteSource): string;
  /** Whether `recover` has something to look at; costs one directory listing. */
  hasLeftovers(): boolean;
  lineCounts(): LineCounts;
  /** `purpose` is the tool or verb that writes; it is kept with the change that the writer records. */
  writer(purpose: string): Promise<FileWriter>;
  /** What the writes since the last call lose, such as a change that cannot be undone; each is a sentence. */
  takeWarnings?(): readonly string[];
  /** Hears before the work how many characters of what was read it goes through; throws where it has to run elsewhere. */
  countWork?(characters: number): void;
  /** Hears before the work how many names are on the paths that it will write; throws where it has to run elsewhere. */
  checkNames?(names: number): void;
  /**
   * The record of changes that writers made, and the way back. With `toWrite`, for undo and redo, the workspace is searched in
   * steps first, as for a writer; without it a write searches in one piece.
   */
  changes(use?: { readonly toWrite: boolean }): Promise<Changes>;
}
