/** Staging many changes: the access lists and attributes of their new files are copied for many at a time. */
import { MOST_PAIRS } from '../write/attributes.ts';
import { writeFault } from '../faults.ts';
import { discardDraft, finishDraft, likenDrafts, type Draft } from '../write/prepare.ts';
import { stage, type Drafted, type Planned, type Stage, type Staged } from './stage.ts';

/** Stages the changes in their order. */
export function stageAll(planned: readonly Planned[], setting: Stage): readonly Staged[] {
  const staged: Staged[] = [];
  for (let at = 0; at < planned.length; at += MOST_PAIRS)
    staged.push(...stageSome(planned.slice(at, at + MOST_PAIRS), setting));
  return staged;
}

function stageSome(planned: readonly Planned[], setting: Stage): readonly Staged[] {
  const begun: (Staged | Drafted)[] = [];
  const open = new Set<Draft>();
  try {
    for (const { change, temp } of planned) {
      const one = forFile(change.file.path, () => stage({ change, temp }, setting));
      if ('draft' in one) open.add(one.draft);
      begun.push(one);
    }
    const drafts = [...open];
    const alike = likenDrafts(drafts, setting.options);
    return begun.map((one, at) => {
      if (!('draft' in one)) return one;
      open.delete(one.draft); // closed by what follows, also when it fails
      return forFile(planned[at]!.change.file.path, () =>
        alike[drafts.indexOf(one.draft)] === true
          ? one.finished(finishDraft(one.draft, one.draft.mode, setting.flush))
          : one.instead(),
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
