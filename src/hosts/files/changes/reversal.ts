import { Fault } from '../../../base/fault.ts';
import type { Author, Conflict, FileWriter, Located, Reversal, ReversalOptions, Written } from '../shape.ts';
import type { Recorder } from './recorder-shape.ts';
import { type Choice, notKept } from './choose.ts';
import { explain, laterChanges } from './conflict.ts';
import { fileDiff } from './diff.ts';
import { leftAlone as filesLeftAlone } from './forward.ts';
import { filesOf, recordedChange, type StoredChange } from './history.ts';
import { keepFile } from './keep.ts';
import type { KeptFile } from './kept.ts';
import { Overlay, type OverlayFiles } from './overlay.ts';
import { type Plan, planOf } from './plan.ts';
import type { Header } from './record.ts';
import { changeRecorder } from './recorder.ts';
import { reverseFile } from './reverse.ts';

export interface ChangesOptions {
  readonly stateDir: string;
  /** The name of the record, the same that the recorder got: the real path of the workspace, or the name of settings. */
  readonly workspace: string;
  readonly author: Author;
  /** Called before an undo or redo is written that cannot be taken back, with a sentence that says why. */
  readonly warn?: (warning: string) => void;
  /** The gate: undoing opens and writes what the tools could open and write, and nothing else. */
  readonly files: OverlayFiles;
  /** A writer like any other of this workspace, which tells this recorder what it does. */
  writer(recorder: Recorder, purpose: 'undo' | 'redo'): FileWriter;
}

export interface ReversalSetting extends ChangesOptions {
  readonly nameOf: (path: string) => string;
  /** The record as it is at the moment of the call. */
  readonly history: () => readonly StoredChange[];
}

/** A choice is made again when others were faster, but not for ever. */
const MOST_TRIES = 50;

interface Loaded {
  readonly change: StoredChange;
  readonly files: readonly KeptFile[];
}

/** Chooses from the record as it is, and takes the chosen back: all of them or none, newest first. */
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
  throw new Fault('CHANGE_BUSY', `others keep changing files, so that no change could be chosen to ${verb}`, {
    hint: `name the change: pincer ${verb} <id>`,
  });
}

/** As the only writer of the files; undefined when the choice would be another one by now. */
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
    if (files === undefined) return notKept(change, verb === 'undo' ? 'undone' : 'done again');
    loaded.push({ change, files });
    if (verb === 'undo') continue;
    const rest = filesLeftAlone(change, setting.history(), setting.nameOf);
    if ('refusal' in rest) return rest.refusal;
    // Files of a change are taken back from the last to the first; these are done again in their own order.
    if (rest.files.length > 0) loaded.push({ change, files: rest.files.toReversed() });
  }
  const mark: Mark = markOf(verb, changes);
  const recorder = changeRecorder({ ...setting, reversal: mark });
  const writer = setting.writer(recorder, verb);
  const overlay = new Overlay(setting.files, operatorPaths(loaded, how));
  try {
    return writer.exclusively(locatedFiles(loaded, overlay), () => {
      // Others may have written until this moment; from here on nobody does.
      const history = setting.history();
      if (!isSameChoice(choose(history), changes)) return undefined;
      const { conflicts, leftAlone: left } = takeBack(loaded, history, overlay, setting);
      const already = left.map(({ path }) => setting.nameOf(path));
      if (verb === 'undo' && left.length > 0) mark.already = left;
      if (conflicts.length > 0) return changedSince(verb, conflicts);
      const plan = planOf(overlay);
      const diffs = plan.steps.map((step) => fileDiff(keepFile(step), setting.nameOf));
      const about = changedChanges(verb, changes, history).map((change) => recordedChange(change, setting.nameOf));
      if (how.dryRun === true) return { ok: true, id: undefined, changes: about, written: [], already, diffs };
      const written = carryOut(plan);
      writer.removeEmptyFolders(madeFolders(changes, overlay));
      const state = verb === 'undo' ? 'undone' : 'done';
      const settled = about.map((change) => ({ ...change, state }) as const);
      return { ok: true, id: recorder.lastId(), changes: settled, written, already, diffs };
    });
  } finally {
    overlay.close();
  }

  function carryOut(plan: Plan): readonly Written[] {
    for (const path of plan.narrowed)
      setting.warn?.(
        `${setting.nameOf(path)} comes back without its group and access list: its group has the rights of others only`,
      );
    if (plan.changes.length > 0) return writer.commit(plan.changes);
    recorder.begin(verb).publish(); // nothing to write, but the record has to know
    return [];
  }
}

/** The folders that the changes had made and that are still folders, none of them reached through a link. */
function madeFolders(changes: readonly StoredChange[], overlay: Overlay): readonly Located[] {
  const paths = new Set(changes.flatMap(({ header }) => header.folders ?? []));
  return [...paths].flatMap((path) => {
    const { file, stands } = overlay.place(path);
    return stands === 'folder' && file.path === path ? [file] : [];
  });
}

function isSameChoice(choice: Choice, changes: readonly StoredChange[]): boolean {
  const ids = changes.map(({ header }) => header.id).join();
  return choice.ok && choice.changes.map(({ header }) => header.id).join() === ids;
}

/** What the record says of an undo or redo; what was left alone is known right before it is written. */
type Mark = Pick<Header, 'undoes' | 'redoes' | 'reverses'> & { already?: NonNullable<Header['already']> };

function markOf(verb: 'undo' | 'redo', changes: readonly StoredChange[]): Mark {
  const ids = changes.map(({ header }) => header.id);
  if (verb === 'undo') return { undoes: ids };
  return { redoes: changes.flatMap(({ header }) => header.undoes ?? []), reverses: ids };
}

/** The changes that an undo or redo is about; for a redo those that the undo had taken back. */
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

function takeBack(
  loaded: readonly Loaded[],
  history: readonly StoredChange[],
  overlay: Overlay,
  { nameOf }: ReversalSetting,
): { readonly conflicts: readonly Conflict[]; readonly leftAlone: NonNullable<Header['already']> } {
  const conflicts: Conflict[] = [];
  const leftAlone: { readonly change: string; readonly path: string }[] = [];
  const chosen = new Set(loaded.map(({ change }) => change.header.id));
  for (const { change, files } of loaded) {
    for (const file of files.toReversed()) {
      const outcome = reverseFile(file, overlay, (path) => lastWritten(history, path));
      if (outcome === 'back') continue;
      const question = { change, file, overlay, history, chosen, nameOf };
      // A later change may have brought the old content back; that one stands, and has to go first.
      if (outcome === 'already' && laterChanges(question).length === 0)
        leftAlone.push({ change: change.header.id, path: file.path });
      else conflicts.push(explain(question));
    }
    // What lies below a conflict could only be compared with a state that never was.
    if (conflicts.length > 0) break;
  }
  return { conflicts, leftAlone };
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
  const done = verb === 'undo' ? 'undone' : 'done again';
  return {
    ok: false,
    reason: 'changed-since',
    message: `${path}${others} was changed since ${change} ${by}; nothing was ${done}`,
    hint:
      later.length === 0
        ? 'compare what the change left with what stands now, and change the file by hand'
        : `undo ${later.join(', then ')} first`,
    conflicts,
  };
}
