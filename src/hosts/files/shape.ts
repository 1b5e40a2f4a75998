/**
 * THE SHAPE of a host's files. Interfaces only, so that tools depend on this file and on no implementation.
 * Everything is synchronous; `writer()` loads what only writing needs.
 */
import type { Actor } from '../../wire/actor.ts';

/** Identifies the bytes that were read: equal stamps mean that no program has written since. */
export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** One replacement in a file: `bytes` replaces the bytes from `start` (inclusive) to `end` (exclusive). */
export interface ByteSplice {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

declare const passedTheGate: unique symbol;

/** A file that passed the boundary; only `locate` and `locateOperator` create one. */
export interface Located {
  readonly [passedTheGate]: true;
  /** The real absolute path, without links and `..`. */
  readonly path: string;
  /** The real folder that no later step may leave; undefined if the operator named the file. */
  readonly root: string | undefined;
}

/** An open regular file; offsets are in bytes. It is a `ByteSource` for the scanners. */
export interface OpenFile {
  readonly located: Located;
  readonly size: number;
  /** Taken when the file was opened. While it is open, the kernel does not reuse its inode. */
  readonly stamp: Stamp;
  /** Fills `into` up to the end of the file and returns the number of bytes; 0 at the end. */
  read(offset: number, into: Uint8Array): number;
  readAll(): Uint8Array;
  close(): void;
}

export interface ByteSource {
  readonly size: number;
  read(offset: number, into: Uint8Array): number;
}

export interface Written {
  readonly path: string;
  readonly size: number;
  /** False if there was nothing to write. */
  readonly changed: boolean;
}

/** A line to append, without its line ending, and the line ending of the file. */
export interface NewLine {
  readonly line: Uint8Array;
  readonly eol: '\n' | '\r\n';
}

/**
 * What a batch does to one file; a path may occur once per batch. Every `stamp` is the one that was read: if a file has
 * another one now, the whole batch fails.
 */
export type FileChange =
  | {
      readonly file: Located;
      readonly stamp: Stamp;
      /** `old` is the whole content that was read under the stamp, if the caller has it; then it is not read again. */
      readonly edit:
        | { readonly splices: readonly ByteSplice[]; readonly old?: Uint8Array }
        | { readonly append: NewLine };
    }
  /** Creates a file and its missing folders; the batch fails if the path exists. */
  | { readonly file: Located; readonly create: Uint8Array; readonly mode?: number }
  /** Creates a symbolic link and its missing folders; `link` is the target as the link stores it. */
  | { readonly file: Located; readonly link: string }
  /** Creates a folder and its missing parents; the batch fails if the path exists. */
  | { readonly file: Located; readonly makeFolder: true; readonly mode?: number }
  /** Removes a folder after all other changes; it stays where it is not empty then. */
  | { readonly file: Located; readonly removeFolder: true; readonly mode: number }
  /** Changes the permissions of a file or folder. It may follow another change of the same file. */
  | { readonly file: Located; readonly was: number; readonly setMode: number; readonly isFolder?: true }
  /** Removes a file, or a link itself. */
  | { readonly file: Located; readonly stamp: Stamp; readonly remove: true }
  /** Renames a file and applies the splices; `over` is the stamp of the file that it may replace. */
  | {
      readonly file: Located;
      readonly stamp: Stamp;
      readonly moveTo: Located;
      readonly over?: Stamp;
      readonly splices?: readonly ByteSplice[];
    };

export type EntryType = 'file' | 'folder' | 'link' | 'other' | 'nothing';

/** What a path inside the boundary leads to; neither the file nor its folders need exist. */
export interface LocatedEntry {
  readonly file: Located;
  readonly type: EntryType;
  /** Undefined if nothing is there, and for the root itself. */
  readonly stamp: Stamp | undefined;
  readonly mode: number | undefined;
  /** The target of a link as the link stores it; undefined if it is not UTF-8. */
  readonly link?: string;
}

/** The author of a change; every record of a change names it. */
export interface Author extends Actor {
  readonly client: string;
}

/** What recovery did with the batches of dead processes. */
export interface Recovery {
  /** Files that have their new content now. */
  readonly completed: readonly string[];
  /** Files that another program changed since; they stay unchanged. */
  readonly conflicts: readonly string[];
  /** Journals that could not be completed; the next recovery tries again. */
  readonly failed: readonly { readonly journal: string; readonly reason: string }[];
}

export interface FileWriter {
  /**
   * Runs `work` as the only writer of these files among all Pincer processes, so that reading, computing and writing inside
   * it loses no update. `work` is synchronous; calls on the same files nest.
   */
  exclusively<T>(files: readonly Located[], work: () => T): T;
  /** Applies the splices atomically; throws FS_CHANGED if the file has changed since it was read. */
  replace(file: OpenFile, splices: readonly ByteSplice[], expected?: Stamp): Written;
  /** Appends a line with one write; a final newline stays if there was one. */
  append(file: Located, line: NewLine): Written;
  /** Changes all the files or none, even if the process dies in between. */
  commit(changes: readonly FileChange[]): readonly Written[];
  /** Sets the times of a file or folder to now; this is not recorded. */
  touch(file: Located): void;
  /** Removes those of these folders that are empty, the innermost first. */
  removeEmptyFolders(folders: readonly Located[]): void;
  /** Throws for files that no batch may write: those of git and Pincer, and obeyed files. For callers that only preview. */
  refuseProtected(files: readonly Located[]): void;
  /** Completes or removes what dead processes left; must not be called inside `exclusively`. */
  recover(): Recovery;
}

/** One recorded write, such as an edit, a patch or `path set`. */
export interface RecordedChange extends Actor {
  /** Ids sort by time. */
  readonly id: string;
  readonly time: string;
  readonly tool: string;
  readonly files: readonly RecordedFile[];
  /** The changes that this one undid or redid. */
  readonly undoes?: readonly string[];
  readonly redoes?: readonly string[];
  /** Why its old bytes were not kept. */
  readonly notKept?: string;
  /** Whether it is in effect, was undone, or cannot be undone because its old bytes were not kept. */
  readonly state: 'done' | 'undone' | 'not-kept';
}

export interface RecordedFile {
  readonly action: 'add' | 'modify' | 'delete' | 'move';
  readonly path: string;
  readonly movedTo?: string;
  /** It is a folder. */
  readonly isFolder?: true;
  /** Its permissions before and after, where these changed. */
  readonly mode?: { readonly before: number; readonly after: number };
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface ChangeFilter {
  /** Only changes at or after this time, in milliseconds. */
  readonly since?: number;
  readonly agent?: string;
  /** As `requestedClient` returns it. */
  readonly client?: string;
  readonly conversation?: string;
  /** A file or folder, as a real absolute path. */
  readonly path?: string;
  /** Only changes that can be undone. */
  readonly inEffect?: true;
  readonly limit?: number;
}

/** What a change did to one file, as a unified diff with paths relative to the workspace. */
export interface FileDiff {
  readonly path: string;
  readonly movedTo?: string;
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** The result of an undo or redo, or why it changed nothing. */
export type Reversal =
  | {
      readonly ok: true;
      /** The change as which the undo or redo was recorded; undefined for a dry run. */
      readonly id: string | undefined;
      /** The changes that were undone or redone, newest first. */
      readonly changes: readonly RecordedChange[];
      readonly written: readonly Written[];
      /** Files that already had the wanted content, relative to the workspace. */
      readonly already: readonly string[];
      /** What it does to the files; in a dry run, what it would do. */
      readonly diffs: readonly FileDiff[];
    }
  | {
      readonly ok: false;
      readonly reason: 'nothing-to-do' | 'changed-since' | 'not-kept' | 'no-such-change' | 'not-yours';
      readonly message: string;
      readonly hint: string;
      /** For `changed-since`, one per file. */
      readonly conflicts: readonly Conflict[];
    };

export interface Conflict {
  /** Relative to the workspace. */
  readonly path: string;
  readonly change: string;
  /** Its state after the change, now, and after the undo. */
  readonly leftAs: string;
  readonly isNow: string;
  readonly wouldBecome: string;
  /** Later recorded changes of the file that are in effect; empty if another program changed it. */
  readonly later: readonly string[];
  /** Unified diffs since the change, and of the undo; empty if unknown. */
  readonly since: string;
  readonly back: string;
}

export interface ReversalOptions {
  /** Computes what would be written, and writes nothing. */
  readonly dryRun?: boolean;
  /** Undoes also changes of other authors, and writes files outside the boundary that the operator had named. */
  readonly operator?: boolean;
  /** Undoes also changes of all agents whose names begin with this. */
  readonly agentPrefix?: string;
}

export interface Changes {
  readonly author: Author;
  /** The changes of this workspace, newest first. */
  list(filter?: ChangeFilter): readonly RecordedChange[];
  /** The change with this id, or with the only id that starts like this. */
  find(id: string): RecordedChange | undefined;
  /** The diffs of a change; undefined if there is no such change or its bytes were not kept. */
  diff(id: string): readonly FileDiff[] | undefined;
  /** Undoes all or none, newest first (default: the newest in effect). Other authors' changes only for the operator. */
  undo(ids?: readonly string[], options?: ReversalOptions): Reversal;
  /** Redoes undos, or the undone changes, with these ids (default: the newest undo in effect). */
  redo(ids?: readonly string[], options?: ReversalOptions): Reversal;
}

/** The number of newlines of files, stored between runs. */
export interface LineCounts {
  /** The count for exactly this stamp. */
  recall(stamp: Stamp): number | undefined;
  remember(stamp: Stamp, newlines: number): void;
}

export interface Files {
  /** The real path of the workspace, where relative paths start. */
  readonly workspace: string;
  /** Identifies the pinned folder: another folder with the same path has another id. */
  readonly workspaceId: string;
  readonly workspaceOnly: boolean;
  /**
   * Opens the regular file that a tool's path names, in one walk. The path is relative to the workspace or absolute, may
   * start with `@`, `~/` or `file:`, and may pass links that stay inside the boundary.
   */
  openPath(path: string): OpenFile;
  /** What a tool's path leads to. With `itself` a link at the end is not followed (for removing it). */
  placeOf(path: string, leaf?: 'target' | 'itself'): LocatedEntry;
  /** The name of a file in results: relative to the workspace, with `/`; absolute if it is outside. */
  nameOf(file: Located): string;
  /** The names in a folder inside the boundary, sorted, folders with a `/` at the end. */
  list(path: string): readonly string[];
  /** The file that an address names: a relative path that never leaves the workspace. */
  locate(slot: string): Located;
  /** The file that the operator named on the command line: anywhere, following links. */
  locateOperator(path: string): Located;
  open(file: Located): OpenFile;
  /** `locate` and `open` in one walk. */
  openSlot(slot: string): OpenFile;
  /** SHA-256 in hexadecimal. A `ByteSource` is read in windows. */
  hashOf(content: Uint8Array | ByteSource): string;
  /** Whether `recover` has something to do; costs one directory listing. */
  hasLeftovers(): boolean;
  lineCounts(): LineCounts;
  /** `purpose` is the tool or verb that writes; the recorded change names it. */
  writer(purpose: string): Promise<FileWriter>;
  /** Warnings of the writes since the last call, such as a change that cannot be undone. */
  takeWarnings?(): readonly string[];
  /** Called before the work with the number of characters that it processes; throws if a worker has to do it. */
  countWork?(characters: number): void;
  /** Called before the work with the number of names on the paths that it will write; throws if a worker has to do it. */
  checkNames?(names: number): void;
  /**
   * The record of changes, with undo and redo. With `toWrite` it first searches the workspace in steps, as for a writer;
   * without it the first write searches synchronously.
   */
  changes(use?: { readonly toWrite: boolean }): Promise<Changes>;
}
