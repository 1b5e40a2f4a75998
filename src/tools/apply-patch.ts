/** `apply_patch`: adds, changes, moves and deletes files, all or none. */
import { LEVEL_NAMES } from '../text/patch/fold.ts';
import { boolean, object, string } from '../wire/schema.ts';
import { applyPatch, type PatchOutcome } from './apply-patch/apply.ts';
import type { Effect } from './apply-patch/reduce.ts';
import { fateOf, staleNote } from './edit/staleness.ts';
import { defineTool, type ToolContext } from './tool.ts';
import type { Content, ToolResult } from '../wire/tool.ts';

export { applyPatch, type PatchOptions, type PatchOutcome } from './apply-patch/apply.ts';
export { listPatch, type ListedOperation } from '../text/patch/list-patch.ts';

const DESCRIPTION = `Apply a patch to one or more files, completely or not at all. The input has this form:
*** Begin Patch
*** Add File: path
+every line of the new file
*** Update File: path
*** Move to: new path (optional)
@@ a line above the change, such as a function header (optional)
 context line
-old line
+new line
*** Delete File: path
*** End Patch
Give about three lines of context around a change, exactly as they are in the file, enough to make the place unique.`;

export const applyPatchTool = defineTool({
  name: 'apply_patch',
  description: DESCRIPTION,
  input: object(
    { input: string({ description: 'Patch content using the *** Begin Patch/End Patch format.' }) },
    {
      dryRun: boolean({ description: 'Show what the patch would do, change nothing.' }),
      overwrite: boolean({ description: 'Let Add File and Move to replace existing files.' }),
    },
  ),
  aliases: [{ keys: ['input', 'patch'], allowEmpty: true }],
  effects: 'writes',
  prepare: withInput,
  run: async ({ input, dryRun = false, overwrite = false }, context) => {
    const outcome = await applyPatch(input, {
      files: context.files,
      dryRun,
      overwrite,
      ...(context.signal === undefined ? {} : { signal: context.signal }),
      ...(context.reads === undefined ? {} : { reads: context.reads }),
      ...(context.showSecrets === undefined ? {} : { showSecrets: context.showSecrets }),
      ...(context.secrets === undefined ? {} : { secrets: context.secrets }),
    });
    return resultOf(outcome, dryRun, context);
  },
});

/** Treats a missing or invalid patch as an empty one, so that every entry point refuses it with the same message. */
function withInput(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { input, patch, ...others } = sent;
  return typeof input === 'string' || typeof patch === 'string' ? sent : { ...others, input: '' };
}

function resultOf(outcome: PatchOutcome, dryRun: boolean, { files }: ToolContext): ToolResult {
  const { effects, warnings, diff, stale } = outcome;
  const staleDiff = stale.map((one) => one.diff ?? '').join('');
  const names = (...actions: readonly Effect['action'][]) =>
    effects.filter(({ action }) => actions.includes(action)).map(({ slot }) => slot.name);
  const summary = { added: names('add'), modified: names('modify', 'move'), deleted: names('delete') };
  const unchanged = names('unchanged');
  const notes = [
    ...warnings.map((warning) => `Warning: ${warning}.`),
    ...stale.map((one) => staleNote(one, fateOf(one))),
  ];
  const content: Content[] = [{ type: 'text', text: summaryText(summary, unchanged, dryRun) }];
  if (dryRun && diff !== '') content.push({ type: 'text', text: diff });
  if (notes.length > 0) content.push({ type: 'text', text: notes.join('\n') });
  return {
    content,
    details: {
      summary,
      moved: effects.flatMap(({ slot, from }) => (from === undefined ? [] : [{ from: from.name, to: slot.name }])),
      unchanged,
      warnings,
      diff,
      workspaceOnly: files.workspaceOnly,
      ...(dryRun ? { dryRun } : {}),
      ...extras('fuzz', fuzzOf(outcome)),
      ...extras(
        'replaced',
        effects.flatMap(({ slot, replaced }) => (replaced === undefined ? [] : [{ path: slot.name, ...replaced }])),
      ),
      ...extras(
        'stale',
        stale.map(({ name }) => name),
      ),
      ...(staleDiff === '' ? {} : { staleDiff }),
    },
  };
}

function extras(name: string, list: readonly unknown[]): Readonly<Record<string, unknown>> {
  return list.length === 0 ? {} : { [name]: list };
}

interface Summary {
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
}

function summaryText({ added, modified, deleted }: Summary, unchanged: readonly string[], dryRun: boolean): string {
  const lines = [
    ...added.map((name) => `A ${name}`),
    ...modified.map((name) => `M ${name}`),
    ...deleted.map((name) => `D ${name}`),
  ];
  const same = unchanged.map((name) => `No changes made to ${name}.`);
  if (lines.length === 0) return same.length === 0 ? 'The patch has no effect.' : same.join('\n');
  const head = dryRun
    ? 'Dry run. The patch would update the following files:'
    : 'Success. Updated the following files:';
  return [head, ...lines, ...same].join('\n');
}

/** Per file, the number of hunks that matched at each lenient level. */
function fuzzOf({ lenient }: PatchOutcome): readonly unknown[] {
  const levels = new Map<string, Record<string, number>>();
  for (const { name, match } of lenient) {
    const counts = levels.get(name) ?? {};
    const level = LEVEL_NAMES[match.level];
    counts[level] = (counts[level] ?? 0) + 1;
    levels.set(name, counts);
  }
  return [...levels].map(([path, counts]) => ({ path, levels: counts }));
}
