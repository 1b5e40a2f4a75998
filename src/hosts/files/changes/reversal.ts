import { Fault } from '../../../base/fault.ts';
import type { Author, Conflict, FileWriter, Located, Reversal, ReversalOptions, Written } from '../shape.ts';
import type { Recorder } from './recorder-shape.ts';
import { type Choice, notKept } from './choose.ts';
import { explainConflict, laterChanges } from './conflict.ts';
import { fileDiff } from './diff.ts';
import { skippedFiles } from './skipped-files.ts';
import { byGroups, filesOf, recordedGroup, type StoredChange } from './history.ts';
import { keepFile } from './keep-file.ts';
import type { KeptFile } from './kept-file.ts';
import { Overlay, type OverlayFiles } from './overlay.ts';
import { type Plan, planOf } from './plan.ts';
import type { Header } from './record.ts';
import { changeRecorder } from './recorder.ts';
import { reverseFile } from './reverse-file.ts';

export interface ChangesOptions {
  readonly stateDir: string;
  /** The name of the record, as for the recorder: the real path of the workspace, or the name of settings. */
  readonly workspace: string;
  readonly author: Author;
  /** Called before an undo or redo is written that cannot itself be undone. */
  readonly warn?: (warning: string) => void;
  /** The gate: an undo opens and writes only what tools could open and write. */
  readonly files: OverlayFiles;
  /** A writer of this workspace that reports to this recorder. */
  writer(recorder: Recorder, purpose: 'undo' | 'redo'): FileWriter;
}

export interface ReversalSetting extends ChangesOptions {
  readonly nameOf: (path: string) => string;
  /** The record at the time of the call. */
  readonly history: () => readonly StoredChange[];
}

/** How often a choice is repeated because another process changed the record. */
const MOST_TRIES = 50;

interface Loaded {
  readonly change: StoredChange;
  readonly files: readonly KeptFile[];
}

/** Chooses from the present record and reverses the chosen changes: all of them or none, newest first. */
export function reverse(
  verb: 'undo' | 'redo',
  choose: (history: readonly StoredChange[]) => Choice,
  setting: ReversalSetting,
  how: ReversalOptions,
): Reversal {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const choice = choose(setting.history());
    if (!choice.ok) return choice;
    const reversal = reverseChanges(verb, choice.changes, choose, setting, how);
    if (reversal !== undefined) return reversal;
  }
  throw new Fault('CHANGE_BUSY', `other processes keep changing files, so that no change could be chosen to ${verb}`, {
    hint: `name the change: pincer ${verb} <id>`,
  });
}

/** Reverses the changes as the only writer of their files; undefined if the choice would be different by now. */
function reverseChanges(
  verb: 'undo' | 'redo',
  changes: readonly StoredChange[],
  choose: (history: readonly StoredChange[]) => Choice,
  setting: ReversalSetting,
  how: ReversalOptions,
): Reversal | undefined {
  const loaded: Loaded[] = [];
  for (const change of changes) {
    const files = filesOf(change);
    if (files === undefined) return notKept(change, verb === 'undo' ? 'undone' : 'redone');
    loaded.push({ change, files });
    if (verb === 'undo') continue;
    const skipped = skippedFiles(change, setting.history(), setting.nameOf);
    if ('refusal' in skipped) return skipped.refusal;
    // Files of a change are reversed from the last to the first; these are redone in their own order.
    if (skipped.files.length > 0) loaded.push({ change, files: skipped.files.toReversed() });
  }
  const reversal: ReversalHeader = reversalHeader(verb, changes);
  const recorder = changeRecorder({ ...setting, reversal });
  const writer = setting.writer(recorder, verb);
  const overlay = new Overlay(setting.files, operatorPaths(loaded, how));
  try {
    return writer.exclusively(locatedFiles(loaded, overlay), () => {
      // Other processes may have written until now; from here on the lock excludes them.
      const history = setting.history();
      if (!isSameChoice(choose(history), changes)) return undefined;
      const { conflicts, skipped } = reverseInOverlay(loaded, history, overlay, setting);
      const already = skipped.map(({ path }) => setting.nameOf(path));
      if (verb === 'undo' && skipped.length > 0) reversal.already = skipped;
      if (conflicts.length > 0) return changedSince(verb, conflicts);
      const plan = planOf(overlay);
      const diffs = plan.steps.map((step) => fileDiff(keepFile(step), setting.nameOf));
      const about = byGroups(changedChanges(verb, changes, history)).map((group) =>
        recordedGroup(group, setting.nameOf),
      );
      if (how.dryRun === true) return { ok: true, id: undefined, changes: about, written: [], already, diffs };
      const written = carryOut(plan);
      writer.removeEmptyFolders(createdFolders(changes, overlay));
      const state = verb === 'undo' ? 'undone' : 'done';
      const reversed = about.map((change) => ({ ...change, state }) as const);
      return { ok: true, id: recorder.lastId(), changes: reversed, written, already, diffs };
    });
  } finally {
    overlay.close();
  }

  function carryOut(plan: Plan): readonly Written[] {
    for (const path of plan.narrowed)
      setting.warn?.(
        `${setting.nameOf(path)} is restored without its group and ACL: its group gets only the permissions of others`,
      );
    if (plan.changes.length > 0) return writer.commit(plan.changes);
    recorder.begin(verb).publish(); // nothing to write, but the undo or redo must be recorded
    return [];
  }
}

/** The folders that the changes had created and that still exist, none of them reached through a link. */
function createdFolders(changes: readonly StoredChange[], overlay: Overlay): readonly Located[] {
  const paths = new Set(changes.flatMap(({ header }) => header.folders ?? []));
  return [...paths].flatMap((path) => {
    const { file, type } = overlay.place(path);
    return type === 'folder' && file.path === path ? [file] : [];
  });
}

function isSameChoice(choice: Choice, changes: readonly StoredChange[]): boolean {
  const ids = changes.map(({ header }) => header.id).join();
  return choice.ok && choice.changes.map(({ header }) => header.id).join() === ids;
}

/** The header fields of an undo or redo; `already` is known only right before the write. */
type ReversalHeader = Pick<Header, 'undoes' | 'redoes' | 'reverses'> & { already?: NonNullable<Header['already']> };

function reversalHeader(verb: 'undo' | 'redo', changes: readonly StoredChange[]): ReversalHeader {
  const ids = changes.map(({ header }) => header.id);
  if (verb === 'undo') return { undoes: ids };
  return { redoes: changes.flatMap(({ header }) => header.undoes ?? []), reverses: ids };
}

/** The changes that an undo or redo affects; for a redo those that the undo had undone. */
function changedChanges(verb: 'undo' | 'redo', changes: readonly StoredChange[], history: readonly StoredChange[]) {
  if (verb === 'undo') return changes;
  const ids = new Set(changes.flatMap(({ header }) => header.undoes ?? []));
  return history.filter(({ header }) => ids.has(header.id));
}

function operatorPaths(loaded: readonly Loaded[], { operator }: ReversalOptions): ReadonlySet<string> {
  if (operator !== true) return new Set();
  return new Set(
    loaded.flatMap(({ files }) => files.filter((file) => file.byOperator === true).map(({ path }) => path)),
  );
}

function locatedFiles(loaded: readonly Loaded[], overlay: Overlay): readonly Located[] {
  const paths = new Set(loaded.flatMap(({ files }) => files.flatMap(({ path, movedTo = path }) => [path, movedTo])));
  return [...paths].map((path) => overlay.place(path).file);
}

function reverseInOverlay(
  loaded: readonly Loaded[],
  history: readonly StoredChange[],
  overlay: Overlay,
  { nameOf }: ReversalSetting,
): { readonly conflicts: readonly Conflict[]; readonly skipped: NonNullable<Header['already']> } {
  const conflicts: Conflict[] = [];
  const skipped: { readonly change: string; readonly path: string }[] = [];
  const chosen = new Set(loaded.map(({ change }) => change.header.id));
  for (const { change, files } of loaded) {
    for (const file of files.toReversed()) {
      const outcome = reverseFile(file, overlay, (path) => lastWritten(history, path));
      if (outcome === 'reversed') continue;
      const input = { change, file, overlay, history, chosen, nameOf };
      // A later change may have restored the old content; it is in effect and must be undone first.
      if (outcome === 'already' && laterChanges(input).length === 0)
        skipped.push({ change: change.header.id, path: file.path });
      else conflicts.push(explainConflict(input));
    }
    // After a conflict, older changes could only be compared with a state that never existed.
    if (conflicts.length > 0) break;
  }
  return { conflicts, skipped };
}

function lastWritten(history: readonly StoredChange[], wanted: string): number {
  const newest = history.find(({ header }) =>
    header.files.some(({ path, movedTo }) => path === wanted || movedTo === wanted),
  );
  return newest?.header.time ?? 0;
}

function changedSince(verb: 'undo' | 'redo', conflicts: readonly Conflict[]): Reversal {
  const [{ path, change, later }, ...more] = conflicts as [Conflict, ...Conflict[]];
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const by = later.length === 0 ? 'by another program' : `by ${later.join(', ')}`;
  const done = verb === 'undo' ? 'undone' : 'redone';
  return {
    ok: false,
    reason: 'changed-since',
    message: `${path}${others} was changed since ${change} ${by}; nothing was ${done}`,
    hint:
      later.length === 0
        ? 'compare the content after the change with the current content, and change the file by hand'
        : `undo ${later.join(', then ')} first`,
    conflicts,
  };
}
