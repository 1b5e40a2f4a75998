/** Stages many changes: one process copies the ACLs and attributes of many new files. */
import { MOST_PAIRS } from '../write/attributes.ts';
import { writeFault } from '../faults.ts';
import { discardDraft, finishDraft, copyAttributesToDrafts, type Draft } from '../write/prepare.ts';
import { stage, type Drafted, type Planned, type StageContext, type Staged } from './stage.ts';

export function stageAll(planned: readonly Planned[], context: StageContext): readonly Staged[] {
  const staged: Staged[] = [];
  for (let at = 0; at < planned.length; at += MOST_PAIRS)
    staged.push(...stageSome(planned.slice(at, at + MOST_PAIRS), context));
  return staged;
}

function stageSome(planned: readonly Planned[], context: StageContext): readonly Staged[] {
  const begun: (Staged | Drafted)[] = [];
  const open = new Set<Draft>();
  try {
    for (const { change, temp } of planned) {
      const one = forFile(change.file.path, () => stage({ change, temp }, context));
      if ('draft' in one) open.add(one.draft);
      begun.push(one);
    }
    const drafts = [...open];
    const hasAttributes = copyAttributesToDrafts(drafts, context.options);
    return begun.map((one, at) => {
      if (!('draft' in one)) return one;
      open.delete(one.draft); // the next call closes it, also if it fails
      return forFile(planned[at]!.change.file.path, () =>
        hasAttributes[drafts.indexOf(one.draft)] === true
          ? one.withAttributes(finishDraft(one.draft, one.draft.mode, context.flush))
          : one.withoutAttributes(),
      );
    });
  } finally {
    for (const draft of open) discardDraft(draft);
  }
}

function forFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw writeFault(error, path);
  }
}
