/** Changes as lines of text, the same for agents and for people. */
import type { Conflict, FileDiff, RecordedChange, RecordedFile } from '../../hosts/host.ts';

const LETTERS: Readonly<Record<RecordedFile['action'], string>> = { add: 'A', modify: 'M', delete: 'D', move: 'R' };

/** How wide the columns of a list are. */
export interface Widths {
  readonly agent: number;
  readonly tool: number;
}

/** The widths that fit all of these changes. */
export function widthsOf(changes: readonly RecordedChange[]): Widths {
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  return { agent: longest(changes.map(({ agent }) => agent)), tool: longest(changes.map(({ tool }) => tool)) };
}

/** One line: id, when, who, with what, and what happened to which files. */
export function changeLine(change: RecordedChange, diffs: readonly FileDiff[] = [], widths?: Widths): string {
  const { id, time, agent, tool, state } = change;
  const mark = state === 'done' ? '' : ` [${state}]`;
  const when = ago(Date.now() - Date.parse(time)).padStart(4);
  const who = `${agent.padEnd(widths?.agent ?? 0)}  ${tool.padEnd(widths?.tool ?? 0)}`;
  return `${id}  ${when}  ${who}${mark}  ${what(change)}${counts(diffs)}`;
}

function what({ files, undoes, redoes }: RecordedChange): string {
  const parts = files.map(({ action, path, movedTo }) => {
    return `${LETTERS[action]} ${path}${movedTo === undefined ? '' : ` -> ${movedTo}`}`;
  });
  if (undoes !== undefined) parts.unshift(`undoes ${undoes.join(' ')}`);
  if (redoes !== undefined) parts.unshift(`redoes ${redoes.join(' ')}`);
  return parts.join(', ');
}

function counts(diffs: readonly FileDiff[]): string {
  if (diffs.length === 0) return '';
  const added = diffs.reduce((sum, one) => sum + one.added, 0);
  const removed = diffs.reduce((sum, one) => sum + one.removed, 0);
  return `  +${added} -${removed}`;
}

/** How long ago, in the largest unit that fits. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** The three sides of a conflict, and the diffs between them. */
export function conflictText({ path, change, leftAs, isNow, wouldBecome, later, since, back }: Conflict): string {
  const by = later.length === 0 ? 'somebody else' : later.join(', ');
  const sides = `${path}: ${change} left it as ${leftAs}, it is now ${isNow}, and would become ${wouldBecome}; changed by ${by}`;
  return [
    sides,
    ...(since === '' ? [] : [`since the change:\n${since.trimEnd()}`]),
    ...(back === '' ? [] : [`going back:\n${back.trimEnd()}`]),
  ].join('\n');
}
