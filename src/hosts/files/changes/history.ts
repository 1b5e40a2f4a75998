import { statSync } from 'node:fs';
import { actorOf } from '../../../wire/actor.ts';
import type { RecordedChange } from '../shape.ts';
import { type Segment, trustedSegments, keptFolder, logFolder } from './log.ts';
import type { KeptFile } from './kept-file.ts';
import { decodeFiles, type Header } from './record.ts';
import { type Entry, readBytes, readEntries } from './segment.ts';

/** How many changes are read; older ones stay in the log until their segment is removed. */
export const MOST_CHANGES = 10_000;
const SHORTEST_PREFIX = 4;
/** The tool of settings changes from before they had their own record. */
const OLD_SETTINGS = 'config';

export interface StoredChange {
  readonly header: Header;
  readonly entry: Entry;
  readonly state: RecordedChange['state'];
}

/** The recorded changes of a workspace, newest first, without withdrawn ones; read again only after a new record. */
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

interface LogEntry {
  readonly header: Header;
  readonly entry: Entry;
}

/** Merges two logs, newest first; within each, the order of writing stays. */
function merged(a: readonly LogEntry[], b: readonly LogEntry[]): readonly LogEntry[] {
  const all: LogEntry[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const isFirst = j === b.length || (i < a.length && a[i]!.header.time >= b[j]!.header.time);
    all.push(isFirst ? a[i++]! : b[j++]!);
  }
  return all;
}

function readLog(segments: readonly Segment[], workspace: string, most = MOST_CHANGES): readonly LogEntry[] {
  const withdrawn = new Set<string>();
  const entries: LogEntry[] = [];
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

/** The newest undo or redo of a change decides its state; a redo is undone as soon as one of its changes is. */
function withStates(newestFirst: readonly LogEntry[]): readonly StoredChange[] {
  const undone = new Map<string, boolean>();
  const setUndone = (ids: readonly string[] | undefined, state: boolean): void => {
    for (const id of ids ?? []) if (!undone.has(id)) undone.set(id, state);
  };
  return newestFirst.map(({ header, entry }) => {
    const { id, undoes, redoes, reverses, notKept } = header;
    const isUndone = undone.get(id) === true || (redoes?.some((redone) => undone.get(redone) === true) ?? false);
    setUndone(undoes, true);
    setUndone(redoes, false);
    setUndone(reverses, true);
    const state = notKept !== undefined ? 'not-kept' : isUndone ? 'undone' : 'done';
    return { header, entry, state };
  });
}

/** All changes of the same group, newest first; a change without a group is on its own. */
export function groupOf(history: readonly StoredChange[], change: StoredChange): readonly StoredChange[] {
  const { group } = change.header;
  if (group === undefined || !isOriginal(change.header)) return [change];
  return history.filter(({ header }) => header.group === group && isOriginal(header));
}

/** The changes as they are shown: those of a group once, where its newest change is. */
export function byGroups(changes: readonly StoredChange[]): readonly (readonly StoredChange[])[] {
  const groups: StoredChange[][] = [];
  const known = new Map<string, StoredChange[]>();
  for (const change of changes) {
    const { group } = change.header;
    const same = group === undefined || !isOriginal(change.header) ? undefined : known.get(group);
    if (same !== undefined) {
      same.push(change);
      continue;
    }
    const started = [change];
    groups.push(started);
    if (group !== undefined && isOriginal(change.header)) known.set(group, started);
  }
  return groups;
}

/** The change with this id, or with the only id that starts like this. */
export function findChange(history: readonly StoredChange[], id: string): StoredChange | undefined {
  const exact = history.find(({ header }) => header.id === id);
  if (exact !== undefined || id.length < SHORTEST_PREFIX) return exact;
  const matching = history.filter(({ header }) => header.id.startsWith(id));
  return matching.length === 1 ? matching[0] : undefined;
}

/** The files of a change with their bytes; undefined if these were not kept or are damaged. */
export function filesOf({ header, entry }: StoredChange): readonly KeptFile[] | undefined {
  return header.notKept === undefined ? decodeFiles(header, readBytes(entry)) : undefined;
}

/** Whether a change is neither an undo nor a redo. */
export function isOriginal({ undoes, redoes }: Header): boolean {
  return undoes === undefined && redoes === undefined;
}

/** Whether an undo without ids may choose this change. */
export function isInEffect({ header, state }: StoredChange): boolean {
  return isOriginal(header) && state !== 'undone' && header.tool !== OLD_SETTINGS;
}

/** Changes of a group, newest first, as one: its id is that of the first change. */
export function recordedGroup(group: readonly StoredChange[], nameOf: (path: string) => string): RecordedChange {
  const [first, ...later] = group.map((change) => recordedChange(change, nameOf)).toReversed();
  if (first === undefined) throw new TypeError('a group without changes');
  if (later.length === 0) return first;
  const all = [first, ...later];
  const notKept = all.find((change) => change.notKept !== undefined)?.notKept;
  return {
    ...first,
    files: all.flatMap(({ files }) => files),
    ...(notKept === undefined ? {} : { notKept }),
    state: notKept === undefined ? (all.every(({ state }) => state === 'undone') ? 'undone' : 'done') : 'not-kept',
  };
}

export function recordedChange({ header, state }: StoredChange, nameOf: (path: string) => string): RecordedChange {
  const { id, time, tool, undoes, redoes, notKept } = header;
  return {
    id,
    time: new Date(time).toISOString(),
    ...actorOf(header),
    tool,
    files: header.files.map(({ action, path, movedTo, before, after, isFolder, mode, modeAfter }) => ({
      action,
      path: nameOf(path),
      ...(movedTo === undefined ? {} : { movedTo: nameOf(movedTo) }),
      ...(isFolder === true ? { isFolder } : {}),
      ...(modeAfter === undefined ? {} : { mode: { before: mode, after: modeAfter } }),
      bytesBefore: before.size,
      bytesAfter: after.size,
    })),
    ...(undoes === undefined ? {} : { undoes }),
    ...(redoes === undefined ? {} : { redoes }),
    ...(notKept === undefined ? {} : { notKept }),
    state,
  };
}
