import { applySplices } from '../../../src/text/lines/splice.ts';
import type { Hunk } from '../../../src/text/patch/operation.ts';
import { parsePatch } from '../../../src/text/patch/parse.ts';
import { planFile, type Refusal } from '../../../src/text/patch/plan.ts';

/** The hunks of an update with these lines. */
export function hunksOf(...body: readonly string[]): readonly Hunk[] {
  const [operation] = parsePatch(
    ['*** Begin Patch', '*** Update File: f', ...body, '*** End Patch'].join('\n'),
  ).operations;
  if (operation?.kind !== 'update') throw new Error('expected an update');
  return operation.hunks;
}

/** What the lines of an update make of a text; a refusal as its reason and the lines it names. */
export function patched(text: string, ...body: readonly string[]): string {
  const plan = planFile(text, hunksOf(...body));
  return plan.ok ? applySplices(text, plan.splices) : shortOf(plan);
}

function shortOf({ reason, places }: Refusal): string {
  return places.length === 0 ? `refused: ${reason}` : `refused: ${reason} ${places.join(',')}`;
}
