/** Which changes an undo or redo means. */
import { actorText } from '../../../wire/actor.ts';
import type { Reversal } from '../shape.ts';
import { findChange, isOriginal, isStanding, type StoredChange } from './history.ts';

type Refusal = Extract<Reversal, { ok: false }>;
export type Choice = { readonly ok: true; readonly changes: readonly StoredChange[] } | Refusal;

/** Which changes an author may take back. */
export interface Reach {
  of(change: StoredChange): boolean;
  /** The author, for the refusal. */
  readonly whose: string;
}

const SEE_LIST = 'pincer changes lists what was recorded';

/** The changes to take back, newest first. */
export function chooseUndo(history: readonly StoredChange[], ids: readonly string[] | undefined, reach: Reach): Choice {
  if (ids === undefined) {
    const newest = history.find((change) => isStanding(change) && reach.of(change));
    return newest === undefined
      ? refuse('nothing-to-do', 'there is no change to undo', SEE_LIST)
      : keepable([newest], 'undone');
  }
  const chosen = new Set<StoredChange>();
  for (const id of ids) {
    const found = findChange(history, id);
    if (found === undefined) return noSuchChange(id);
    if (!reach.of(found)) return notYours(found, reach);
    const { header, state } = found;
    if (!isOriginal(header))
      return refuse('nothing-to-do', `${header.id} is itself an undo or redo`, 'pincer redo takes an undo back');
    if (state === 'undone')
      return refuse('nothing-to-do', `${header.id} is undone already`, `pincer redo ${header.id} does it again`);
    chosen.add(found);
  }
  if (chosen.size === 0) return refuse('nothing-to-do', 'there is no change to undo', SEE_LIST);
  return keepable(inOrder(history, chosen), 'undone');
}

/** The undos to take back, newest first; an id is an undo's own or that of a change that it took back. */
export function chooseRedo(history: readonly StoredChange[], ids: readonly string[] | undefined, reach: Reach): Choice {
  const standing = history.filter(({ header, state }) => header.undoes !== undefined && state !== 'undone');
  if (ids === undefined) {
    const newest = standing.find((undo) => reach.of(undo));
    return newest === undefined
      ? refuse('nothing-to-do', 'there is no undo to take back', SEE_LIST)
      : keepable([newest], 'done again');
  }
  const chosen = new Set<StoredChange>();
  for (const id of ids) {
    const found = findChange(history, id);
    if (found === undefined) return noSuchChange(id);
    if (!reach.of(found)) return notYours(found, reach);
    const { header } = found;
    const undo = standing.find((one) => one === found || one.header.undoes?.includes(header.id));
    if (undo === undefined) return refuse('nothing-to-do', `${header.id} is not undone`, SEE_LIST);
    if (!reach.of(undo)) return notYours(undo, reach);
    chosen.add(undo);
  }
  if (chosen.size === 0) return refuse('nothing-to-do', 'there is no undo to take back', SEE_LIST);
  return keepable(inOrder(history, chosen), 'done again');
}

function keepable(changes: readonly StoredChange[], what: string): Choice {
  const lost = changes.find(({ state }) => state === 'not-kept');
  if (lost === undefined) return { ok: true, changes };
  return notKept(lost, what);
}

/** A change whose bytes are not there. */
export function notKept({ header }: StoredChange, what: string): Refusal {
  const why = header.notKept ?? 'its record is damaged';
  return refuse(
    'not-kept',
    `${header.id} cannot be ${what}: ${why}`,
    'change the files by hand; pincer changes says which they are',
  );
}

function inOrder(history: readonly StoredChange[], chosen: ReadonlySet<StoredChange>): readonly StoredChange[] {
  return history.filter((change) => chosen.has(change));
}

function notYours({ header }: StoredChange, { whose }: Reach): Refusal {
  return refuse(
    'not-yours',
    `${header.id} was made by ${actorText(header)}, not by ${whose}`,
    'only the operator takes back what others wrote: pincer undo',
  );
}

function noSuchChange(id: string): Refusal {
  return refuse('no-such-change', `there is no recorded change ${JSON.stringify(id)}, or several begin so`, SEE_LIST);
}

function refuse(reason: Refusal['reason'], message: string, hint: string): Refusal {
  return { ok: false, reason, message, hint, conflicts: [] };
}
