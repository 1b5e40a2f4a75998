import type { FileDiff, RecordedChange, Reversal } from '../../../hosts/files/shape.ts';
import { changeLine, conflictTexts, countsOf, fileText, someOf, widthsOf } from '../../../tools/changes/change-text.ts';
import type { Output } from '../../terminal/output.ts';
import { printJson } from '../print-json.ts';
import { paint, paintDiff } from '../../terminal/paint.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';

/** Larger changes are listed without line counts, because counting reads all their bytes. */
const MOST_COUNTED = 8 << 20;
/** A longer diff would scroll the answer away; `pincer changes <id>` prints it. */
const MOST_DIFF_LINES = 200;

interface PrintOptions {
  readonly json: boolean;
  readonly output: Output;
}

export function printList(
  changes: readonly RecordedChange[],
  diffOf: (id: string) => readonly FileDiff[] | undefined,
  { json, diff, output }: PrintOptions & { readonly diff: boolean },
): number {
  const diffsOf = (change: RecordedChange) => (diff || isCounted(change) ? diffOf(change.id) : undefined);
  if (json) {
    const full = changes.map((change) => {
      const diffs = diffsOf(change);
      return { ...change, ...(diffs && countsOf(diffs)), ...(diff ? diffMember(diffs) : {}) };
    });
    printJson(output, { changes: full });
  } else if (changes.length === 0) output.out('no recorded changes\n');
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

export function printChange(
  change: RecordedChange,
  diffs: readonly FileDiff[] | undefined,
  { json, output }: PrintOptions,
): number {
  if (json) {
    printJson(output, { ...change, ...(diffs && countsOf(diffs)), ...diffMember(diffs) });
    return 0;
  }
  output.out(`${visibleLine(changeLine(change, diffs))}\n`);
  if (diffs !== undefined) output.out(diffText(diffs, output));
  else {
    for (const file of change.files) output.out(`  ${visibleLine(fileText(file))}\n`);
    output.out(
      `${visibleLine(`the content was not stored${change.notKept === undefined ? '' : `: ${change.notKept}`}`)}\n`,
    );
  }
  return 0;
}

interface ReversalShowing extends PrintOptions {
  readonly dryRun: boolean;
  readonly diff?: boolean;
  /** Extra members of the JSON output. */
  readonly beside?: object;
}

export function printReversal(
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
  const did = verb === 'undo' ? (dry ? 'would undo' : 'undid') : dry ? 'would redo' : 'redid';
  const standing = outcome.changes.map((change) => ({ ...change, state: 'done' }) as const);
  const widths = widthsOf(standing);
  for (const change of standing) output.out(`${style.good(did)} ${visibleLine(changeLine(change, [], widths))}\n`);
  if (outcome.already.length > 0)
    output.out(`${visibleLine(`already in the target state: ${someOf(outcome.already, 'files')}`)}\n`);
  if (!dry && outcome.id === undefined)
    output.out(`note: this ${verb} could not be recorded, so it is not in the list of changes\n`);
  if (diff) output.out(diffText(outcome.diffs, output));
  else if (output.isTerminal) output.out(shortDiffText(outcome, output));
  return 0;
}

/** The diff if it is short or not recorded; otherwise its size, and how to print it. */
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
