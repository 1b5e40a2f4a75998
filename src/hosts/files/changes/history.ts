import { statSync } from 'node:fs';
import { actorOf } from '../../../wire/actor.ts';
import type { RecordedChange } from '../shape.ts';
import { type Segment, trustedSegments, keptFolder, logFolder } from './log.ts';
import type { KeptFile } from './kept.ts';
import { decodeFiles, type Header } from './record.ts';
import { type Entry, readBytes, readEntries } from './segment.ts';

/** As far back as anybody looks; older changes stay in the log until their segment is dropped. */
export const MOST_CHANGES = 10_000;
const SHORTEST_PREFIX = 4;
/** The tool of settings from before they had a record of their own. */
const OLD_SETTINGS = 'config';

export interface StoredChange {
  readonly header: Header;
  readonly entry: Entry;
  readonly state: RecordedChange['state'];
}

/** The recorded changes of a workspace that happened, newest first; read again only when something was recorded. */
export function historyOf(stateDir: string, workspace: string): () => readonly StoredChange[] {
  let known: { readonly as: string; readonly history: readonly StoredChange[] } | undefined;
  return () => {
    const segments = trustedSegments(stateDir, logFolder(stateDir, workspace));
    const kept = trustedSegments(stateDir, keptFolder(stateDir, workspace));
    const as = [...segments, ...kept]
      .map(({ path }) => `${path} ${statSync(path, { throwIfNoEntry: false })?.size}`)
      .join('\n');
    if (known?.as !== as)
      known = { as, history: withStates(merged(readLog(segments, workspace), readLog(kept, workspace, Infinity))) };
    return known.history;
  };
}

interface Read {
  readonly header: Header;
  readonly entry: Entry;
}

/** Two logs as one, newest first; in each, the order is that in which it was written. */
function merged(a: readonly Read[], b: readonly Read[]): readonly Read[] {
  const all: Read[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const isFirst = j === b.length || (i < a.length && a[i]!.header.time >= b[j]!.header.time);
    all.push(isFirst ? a[i++]! : b[j++]!);
  }
  return all;
}

/** The newest changes of a log, newest first. */
function readLog(segments: readonly Segment[], workspace: string, most = MOST_CHANGES): readonly Read[] {
  const withdrawn = new Set<string>();
  const entries: Read[] = [];
  for (const segment of segments.toReversed()) {
    for (const entry of readEntries(segment).toReversed()) {
      const { header } = entry;
      if ('void' in header) withdrawn.add(header.void);
      else if (header.workspace === workspace && !withdrawn.has(header.id)) entries.push({ header, entry });
    }
    if (entries.length >= most) break;
  }
  return entries.slice(0, most);
}

/** What was last done to a change decides; a redo stands as long as all that it brought back. */
function withStates(newestFirst: readonly Read[]): readonly StoredChange[] {
  const undone = new Map<string, boolean>();
  const settle = (ids: readonly string[] | undefined, state: boolean): void => {
    for (const id of ids ?? []) if (!undone.has(id)) undone.set(id, state);
  };
  return newestFirst.map(({ header, entry }) => {
    const { id, undoes, redoes, reverses, notKept } = header;
    const isUndone = undone.get(id) === true || (redoes?.some((redone) => undone.get(redone) === true) ?? false);
    settle(undoes, true);
    settle(redoes, false);
    settle(reverses, true);
    const state = notKept !== undefined ? 'not-kept' : isUndone ? 'undone' : 'done';
    return { header, entry, state };
  });
}

/** The one change that this id, or the start of an id, names. */
export function findChange(history: readonly StoredChange[], id: string): StoredChange | undefined {
  const exact = history.find(({ header }) => header.id === id);
  if (exact !== undefined || id.length < SHORTEST_PREFIX) return exact;
  const matching = history.filter(({ header }) => header.id.startsWith(id));
  return matching.length === 1 ? matching[0] : undefined;
}

/** The files of a change with their bytes; undefined when they were not kept or are damaged. */
export function filesOf({ header, entry }: StoredChange): readonly KeptFile[] | undefined {
  return header.notKept === undefined ? decodeFiles(header, readBytes(entry)) : undefined;
}

/** A change made by somebody's own wish, and not by going back or forth. */
export function isOriginal({ undoes, redoes }: Header): boolean {
  return undoes === undefined && redoes === undefined;
}

/** Whether an undo may choose a change that nobody named. */
export function isStanding({ header, state }: StoredChange): boolean {
  return isOriginal(header) && state !== 'undone' && header.tool !== OLD_SETTINGS;
}

export function recordedChange({ header, state }: StoredChange, nameOf: (path: string) => string): RecordedChange {
  const { id, time, tool, undoes, redoes, notKept } = header;
  return {
    id,
    time: new Date(time).toISOString(),
    ...actorOf(header),
    tool,
    files: header.files.map(({ action, path, movedTo, before, after }) => ({
      action,
      path: nameOf(path),
      ...(movedTo === undefined ? {} : { movedTo: nameOf(movedTo) }),
      bytesBefore: before.size,
      bytesAfter: after.size,
    })),
    ...(undoes === undefined ? {} : { undoes }),
    ...(redoes === undefined ? {} : { redoes }),
    ...(notKept === undefined ? {} : { notKept }),
    state,
  };
}
