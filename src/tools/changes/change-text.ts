/** Changes as text, for tools and for the command line. */
import { actorText } from '../../wire/actor.ts';
import type { Conflict, FileDiff, RecordedChange, RecordedFile } from '../../hosts/files/shape.ts';
import { diffName } from '../../text/lines/unified.ts';

const LETTERS: Readonly<Record<RecordedFile['action'], string>> = { add: 'A', modify: 'M', delete: 'D', move: 'R' };

/** A text lists at most this many names; the details have all. */
const MOST_NAMED = 3;
/** Each conflict has diffs, so a text explains only a few. */
const MOST_EXPLAINED = 5;
/** A longer actor or tool overflows its column instead of widening it. */
const MAX_WIDTH = 24;

export interface Widths {
  readonly actor: number;
  readonly tool: number;
  readonly mark: number;
}

export function widthsOf(changes: readonly RecordedChange[]): Widths {
  const longest = (cell: (change: RecordedChange) => string) =>
    changes.reduce((most, change) => Math.max(most, Math.min(MAX_WIDTH, cell(change).length)), 0);
  return { actor: longest(actorText), tool: longest(({ tool }) => tool), mark: longest(markOf) };
}

/** One line: id, age, actor, tool, state, and the files. */
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
    effectText(change) + countsText(diffs),
  ];
  return columns.join('  ');
}

/** Empty for a change that was not undone. */
function markOf({ state }: RecordedChange): string {
  return state === 'done' ? '' : `[${state}]`;
}

function effectText({ files, undoes, redoes }: RecordedChange): string {
  const parts = [
    ...(redoes === undefined ? [] : [`redoes ${someOf(redoes, 'changes')}`]),
    ...(undoes === undefined ? [] : [`undoes ${someOf(undoes, 'changes')}`]),
    ...(files.length === 0 ? [] : [someOf(files.map(fileText), 'files')]),
  ];
  return parts.join('; ');
}

/** Such as `R old -> new`. */
export function fileText({ action, path, movedTo }: RecordedFile): string {
  return `${LETTERS[action]} ${diffName(path)}${movedTo === undefined ? '' : ` -> ${diffName(movedTo)}`}`;
}

/** All names, or the count and the first few: `500 files: a, b, c, …`. */
export function someOf(names: readonly string[], noun: string): string {
  if (names.length <= MOST_NAMED) return names.join(', ');
  return `${names.length} ${noun}: ${names.slice(0, MOST_NAMED).join(', ')}, …`;
}

function countsText(diffs: readonly FileDiff[]): string {
  if (diffs.length === 0) return '';
  const { added, removed } = countsOf(diffs);
  return `  +${added} -${removed}`;
}

export function countsOf(diffs: readonly FileDiff[]): { readonly added: number; readonly removed: number } {
  return {
    added: diffs.reduce((sum, one) => sum + one.added, 0),
    removed: diffs.reduce((sum, one) => sum + one.removed, 0),
  };
}

/** In the largest unit that fits. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** One text per conflict, and one for the rest. */
export function conflictTexts(conflicts: readonly Conflict[]): readonly string[] {
  const left = conflicts.slice(MOST_EXPLAINED).map(({ path }) => diffName(path));
  const more = left.length === 0 ? [] : [`likewise ${someOf(left, 'more files')}`];
  return [...conflicts.slice(0, MOST_EXPLAINED).map(conflictText), ...more];
}

function conflictText({ path, change, leftAs, isNow, wouldBecome, later, since, back }: Conflict): string {
  const by = later.length === 0 ? 'another program' : later.join(', ');
  const sides = `${diffName(path)}: ${change} left it as ${leftAs}, it is now ${isNow}, and would become ${wouldBecome}; changed by ${by}`;
  return [
    sides,
    ...(since === '' ? [] : [`changes since then:\n${since.trimEnd()}`]),
    ...(back === '' ? [] : [`the reversal:\n${back.trimEnd()}`]),
  ].join('\n');
}
