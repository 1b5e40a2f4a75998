import type { FileDiff, RecordedChange, Reversal } from '../../../hosts/host.ts';
import { changeLine, conflictText, widthsOf } from '../../../tools/changes/show.ts';
import { jsonOutput, type Output } from '../output.ts';
import { paint, paintDiff } from '../paint.ts';
import { visible, visibleLine } from '../visible.ts';

/** Larger changes are listed without the number of their lines, which would mean to read them all. */
const MOST_COUNTED = 8 << 20;

interface Showing {
  readonly json: boolean;
  readonly output: Output;
}

/** The changes, newest first, a line each; with their diffs when asked for. */
export function showList(
  changes: readonly RecordedChange[],
  diffOf: (id: string) => readonly FileDiff[] | undefined,
  { json, diff, output }: Showing & { readonly diff: boolean },
): number {
  const diffsOf = (change: RecordedChange) => (diff || isCounted(change) ? diffOf(change.id) : undefined);
  if (json) {
    const full = changes.map((change) => {
      const diffs = diffsOf(change);
      return { ...change, ...countsOf(diffs), ...(diff ? diffMember(diffs) : {}) };
    });
    printJson(output, { changes: full });
  } else if (changes.length === 0) output.out('no changes are recorded here\n');
  const widths = widthsOf(changes);
  for (const change of json ? [] : changes) {
    const diffs = diffsOf(change);
    output.out(`${visibleLine(changeLine(change, diffs, widths))}\n`);
    if (diff) output.out(diffText(diffs, output));
  }
  return 0;
}

function isCounted({ files }: RecordedChange): boolean {
  return files.reduce((sum, { bytesBefore, bytesAfter }) => sum + bytesBefore + bytesAfter, 0) <= MOST_COUNTED;
}

/** One change with its diff. */
export function showDiffs(
  change: RecordedChange,
  diffs: readonly FileDiff[] | undefined,
  { json, output }: Showing,
): number {
  if (json) printJson(output, { ...change, ...countsOf(diffs), ...diffMember(diffs) });
  else {
    output.out(`${visibleLine(changeLine(change, diffs))}\n`);
    output.out(
      diffs === undefined
        ? `${visibleLine(`its bytes were not kept${change.notKept === undefined ? '' : `: ${change.notKept}`}`)}\n`
        : diffText(diffs, output),
    );
  }
  return 0;
}

/** What an undo or redo did; a refusal is a clean no with its explanation. */
export function showReversal(
  verb: 'undo' | 'redo',
  outcome: Reversal,
  { json, dryRun: dry, output }: Showing & { readonly dryRun: boolean },
): number {
  if (json) {
    printJson(output, outcome.ok ? { ...outcome, diffs: undefined, ...diffMember(outcome.diffs) } : outcome);
    return outcome.ok ? 0 : 1;
  }
  const style = paint(output.colour);
  if (!outcome.ok) {
    output.out(`${style.bad(`${verb} refused:`)} ${outcome.reason} — ${visibleLine(outcome.message)}\n`);
    for (const conflict of outcome.conflicts) output.out(`${paintDiff(visible(conflictText(conflict)), style)}\n`);
    output.out(`hint: ${visibleLine(outcome.hint)}\n`);
    return 1;
  }
  const did = verb === 'undo' ? (dry ? 'would undo' : 'undid') : dry ? 'would do again' : 'did again';
  for (const change of outcome.changes)
    output.out(`${style.good(did)} ${visibleLine(changeLine({ ...change, state: 'done' }))}\n`);
  if (outcome.already.length > 0)
    output.out(`${visibleLine(`already as it should be, and left alone: ${outcome.already.join(', ')}`)}\n`);
  if (!dry && outcome.id === undefined)
    output.out(`note: this ${verb} could not be recorded, so the list of changes does not know of it\n`);
  if (dry || output.isTerminal) output.out(diffText(outcome.diffs, output));
  return 0;
}

function diffText(diffs: readonly FileDiff[] | undefined, output: Output): string {
  const text = (diffs ?? []).map(({ diff }) => diff).join('');
  return output.isTerminal ? paintDiff(visible(text), paint(output.colour)) : text;
}

function diffMember(diffs: readonly FileDiff[] | undefined) {
  return diffs === undefined ? {} : { diff: diffs.map(({ diff }) => diff).join('') };
}

function countsOf(diffs: readonly FileDiff[] | undefined) {
  if (diffs === undefined) return {};
  return {
    added: diffs.reduce((sum, one) => sum + one.added, 0),
    removed: diffs.reduce((sum, one) => sum + one.removed, 0),
  };
}

function printJson(output: Output, answer: object): void {
  jsonOutput(output).out(`${JSON.stringify(answer, null, 2)}\n`);
}
