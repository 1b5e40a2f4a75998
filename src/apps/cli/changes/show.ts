import type { FileDiff, RecordedChange, Reversal } from '../../../hosts/files/shape.ts';
import { changeLine, conflictTexts, countsOf, fileText, someOf, widthsOf } from '../../../tools/changes/change-text.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { paint, paintDiff } from '../../terminal/paint.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';

/** Larger changes are listed without the number of their lines, which would mean to read them all. */
const MOST_COUNTED = 8 << 20;
/** A longer diff of what was just undone would push away the answer; the record has it. */
const MOST_DIFF_LINES = 200;

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
      return { ...change, ...(diffs && countsOf(diffs)), ...(diff ? diffMember(diffs) : {}) };
    });
    printJson(output, { changes: full });
  } else if (changes.length === 0) output.out('no changes are recorded here\n');
  const widths = widthsOf(changes);
  const style = paint(output.colour);
  for (const change of json ? [] : changes) {
    const diffs = diffsOf(change);
    const line = visibleLine(changeLine(change, diffs, widths));
    output.out(`${change.state === 'undone' ? style.quiet(line) : line}\n`);
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
  if (json) {
    printJson(output, { ...change, ...(diffs && countsOf(diffs)), ...diffMember(diffs) });
    return 0;
  }
  output.out(`${visibleLine(changeLine(change, diffs))}\n`);
  if (diffs !== undefined) output.out(diffText(diffs, output));
  else {
    // What no diff shows is listed in full.
    for (const file of change.files) output.out(`  ${visibleLine(fileText(file))}\n`);
    output.out(
      `${visibleLine(`its bytes were not kept${change.notKept === undefined ? '' : `: ${change.notKept}`}`)}\n`,
    );
  }
  return 0;
}

interface ReversalShowing extends Showing {
  readonly dryRun: boolean;
  readonly diff?: boolean;
  /** More members of the answer as JSON. */
  readonly beside?: object;
}

/** What an undo or redo did; a refusal is a clean no with its explanation. */
export function showReversal(
  verb: 'undo' | 'redo',
  outcome: Reversal,
  { json, dryRun: dry, diff = dry, output, beside = {} }: ReversalShowing,
): number {
  if (json) {
    printJson(output, outcome.ok ? { ...outcome, diffs: undefined, ...diffMember(outcome.diffs), ...beside } : outcome);
    return outcome.ok ? 0 : 1;
  }
  const style = paint(output.colour);
  if (!outcome.ok) {
    const refused = outcome.reason === 'nothing-to-do' ? '' : `${style.bad(`${verb} refused:`)} ${outcome.reason} — `;
    output.out(`${refused}${visibleLine(outcome.message)}\n`);
    for (const text of conflictTexts(outcome.conflicts)) output.out(`${paintDiff(visible(text), style)}\n`);
    output.out(`hint: ${visibleLine(outcome.hint)}\n`);
    return 1;
  }
  const did = verb === 'undo' ? (dry ? 'would undo' : 'undid') : dry ? 'would do again' : 'did again';
  const standing = outcome.changes.map((change) => ({ ...change, state: 'done' }) as const);
  const widths = widthsOf(standing);
  for (const change of standing) output.out(`${style.good(did)} ${visibleLine(changeLine(change, [], widths))}\n`);
  if (outcome.already.length > 0)
    output.out(`${visibleLine(`already as it should be, and left alone: ${someOf(outcome.already, 'files')}`)}\n`);
  if (!dry && outcome.id === undefined)
    output.out(`note: this ${verb} could not be recorded, so the list of changes does not know of it\n`);
  if (diff) output.out(diffText(outcome.diffs, output));
  else if (output.isTerminal) output.out(shortDiffText(outcome, output));
  return 0;
}

/** The diff where it is short, or nowhere else to be seen; else its size and where it is. */
function shortDiffText({ id, diffs }: Extract<Reversal, { ok: true }>, output: Output): string {
  const lines = diffs.reduce((sum, { diff }) => sum + diff.split('\n').length, 0);
  if (id === undefined || lines <= MOST_DIFF_LINES) return diffText(diffs, output);
  const { added, removed } = countsOf(diffs);
  return `+${added} -${removed} in ${diffs.length} files; pincer changes ${id} shows the diff\n`;
}

function diffText(diffs: readonly FileDiff[] | undefined, output: Output): string {
  const text = (diffs ?? []).map(({ diff }) => diff).join('');
  return output.isTerminal ? paintDiff(visible(text), paint(output.colour)) : text;
}

function diffMember(diffs: readonly FileDiff[] | undefined) {
  return diffs === undefined ? {} : { diff: diffs.map(({ diff }) => diff).join('') };
}

function printJson(output: Output, answer: object): void {
  jsonOutput(output).out(`${JSON.stringify(answer, null, 2)}\n`);
}
