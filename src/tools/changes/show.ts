/** Changes as lines of text, the same for agents and for people. */
import { actorText } from '../../wire/actor.ts';
import type { Conflict, FileDiff, RecordedChange, RecordedFile } from '../../hosts/files/shape.ts';
import { diffName } from '../../text/lines/unified.ts';

const LETTERS: Readonly<Record<RecordedFile['action'], string>> = { add: 'A', modify: 'M', delete: 'D', move: 'R' };

/** More names than these are counted instead; data has them all. */
const MOST_NAMED = 3;
/** More conflicts than these are counted, since each brings its diffs. */
const MOST_EXPLAINED = 5;
/** A longer name of an actor or tool stands out of its column, so that it does not push away what is right of it. */
const WIDEST = 24;

/** How wide the columns of a list are. */
export interface Widths {
  readonly actor: number;
  readonly tool: number;
  readonly mark: number;
}

/** The widths that fit all of these changes. */
export function widthsOf(changes: readonly RecordedChange[]): Widths {
  const longest = (textOf: (change: RecordedChange) => string) =>
    changes.reduce((most, change) => Math.max(most, Math.min(WIDEST, textOf(change).length)), 0);
  return { actor: longest(actorText), tool: longest(({ tool }) => tool), mark: longest(markOf) };
}

/** One line: id, when, who, with what, whether it still stands, and what happened to which files. */
export function changeLine(
  change: RecordedChange,
  diffs: readonly FileDiff[] = [],
  widths: Widths = widthsOf([change]),
): string {
  const { id, time, tool } = change;
  const columns = [
    id,
    ago(Date.now() - Date.parse(time)).padStart(4),
    actorText(change).padEnd(widths.actor),
    tool.padEnd(widths.tool),
    ...(widths.mark === 0 ? [] : [markOf(change).padEnd(widths.mark)]),
    what(change) + counts(diffs),
  ];
  return columns.join('  ');
}

/** Nothing for a change whose effect stands. */
function markOf({ state }: RecordedChange): string {
  return state === 'done' ? '' : `[${state}]`;
}

function what({ files, undoes, redoes }: RecordedChange): string {
  const parts = [
    ...(redoes === undefined ? [] : [`redoes ${someOf(redoes, 'changes')}`]),
    ...(undoes === undefined ? [] : [`undoes ${someOf(undoes, 'changes')}`]),
    ...(files.length === 0 ? [] : [someOf(files.map(fileText), 'files')]),
  ];
  return parts.join('; ');
}

/** What happened to a file: `R old -> new`. */
export function fileText({ action, path, movedTo }: RecordedFile): string {
  return `${LETTERS[action]} ${diffName(path)}${movedTo === undefined ? '' : ` -> ${diffName(movedTo)}`}`;
}

/** All names where they are few; else how many there are, and the first: `500 files: a, b, c, …`. */
export function someOf(names: readonly string[], noun: string): string {
  if (names.length <= MOST_NAMED) return names.join(', ');
  return `${names.length} ${noun}: ${names.slice(0, MOST_NAMED).join(', ')}, …`;
}

function counts(diffs: readonly FileDiff[]): string {
  if (diffs.length === 0) return '';
  const { added, removed } = countsOf(diffs);
  return `  +${added} -${removed}`;
}

/** How many lines come and go in all of these diffs. */
export function countsOf(diffs: readonly FileDiff[]): { readonly added: number; readonly removed: number } {
  return {
    added: diffs.reduce((sum, one) => sum + one.added, 0),
    removed: diffs.reduce((sum, one) => sum + one.removed, 0),
  };
}

/** How long ago, in the largest unit that fits. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** A text for each conflict, and one for those that are too many to explain. */
export function conflictTexts(conflicts: readonly Conflict[]): readonly string[] {
  const left = conflicts.slice(MOST_EXPLAINED).map(({ path }) => diffName(path));
  const more = left.length === 0 ? [] : [`and in the same way ${someOf(left, 'more files')}`];
  return [...conflicts.slice(0, MOST_EXPLAINED).map(conflictText), ...more];
}

/** The three sides of a conflict, and the diffs between them. */
function conflictText({ path, change, leftAs, isNow, wouldBecome, later, since, back }: Conflict): string {
  const by = later.length === 0 ? 'another program' : later.join(', ');
  const sides = `${diffName(path)}: ${change} left it as ${leftAs}, it is now ${isNow}, and would become ${wouldBecome}; changed by ${by}`;
  return [
    sides,
    ...(since === '' ? [] : [`since the change:\n${since.trimEnd()}`]),
    ...(back === '' ? [] : [`going back:\n${back.trimEnd()}`]),
  ].join('\n');
}
