import { actorText } from '../../../wire/actor.ts';
import type { Reversal } from '../shape.ts';
import { findChange, groupOf, isInEffect, isOriginal, type StoredChange } from './history.ts';

type Refusal = Extract<Reversal, { ok: false }>;
export type Choice = { readonly ok: true; readonly changes: readonly StoredChange[] } | Refusal;

/** The changes that an author may undo. */
export interface UndoScope {
  includes(change: StoredChange): boolean;
  /** For the refusal. */
  readonly author: string;
}

const SEE_LIST = 'pincer changes lists the recorded changes';

/** The changes to undo, newest first. */
export function chooseUndo(
  history: readonly StoredChange[],
  ids: readonly string[] | undefined,
  scope: UndoScope,
): Choice {
  if (ids === undefined) {
    const newest = history.find((change) => isInEffect(change) && scope.includes(change));
    return newest === undefined
      ? refuse('nothing-to-do', 'there is no change to undo', SEE_LIST)
      : ifKept(inEffect(groupOf(history, newest)), 'undone');
  }
  const chosen = new Set<StoredChange>();
  for (const id of ids) {
    const found = findChange(history, id);
    if (found === undefined) return noSuchChange(id);
    if (!scope.includes(found)) return notYours(found, scope);
    const { header, state } = found;
    if (!isOriginal(header))
      return refuse('nothing-to-do', `${header.id} is itself an undo or redo`, 'pincer redo reverses an undo');
    if (state === 'undone')
      return refuse('nothing-to-do', `${header.id} is already undone`, `pincer redo ${header.id} redoes it`);
    for (const change of inEffect(groupOf(history, found))) chosen.add(change);
  }
  if (chosen.size === 0) return refuse('nothing-to-do', 'there is no change to undo', SEE_LIST);
  return ifKept(inOrder(history, chosen), 'undone');
}

/** The undos to reverse, newest first; an id names an undo or a change that it undid. */
export function chooseRedo(
  history: readonly StoredChange[],
  ids: readonly string[] | undefined,
  scope: UndoScope,
): Choice {
  const undos = history.filter(({ header, state }) => header.undoes !== undefined && state !== 'undone');
  if (ids === undefined) {
    const newest = undos.find((undo) => scope.includes(undo));
    return newest === undefined
      ? refuse('nothing-to-do', 'there is no undo to redo', SEE_LIST)
      : ifKept([newest], 'redone');
  }
  const chosen = new Set<StoredChange>();
  for (const id of ids) {
    const found = findChange(history, id);
    if (found === undefined) return noSuchChange(id);
    if (!scope.includes(found)) return notYours(found, scope);
    const { header } = found;
    const undo = undos.find((one) => one === found || one.header.undoes?.includes(header.id));
    if (undo === undefined) return refuse('nothing-to-do', `${header.id} is not undone`, SEE_LIST);
    if (!scope.includes(undo)) return notYours(undo, scope);
    chosen.add(undo);
  }
  if (chosen.size === 0) return refuse('nothing-to-do', 'there is no undo to redo', SEE_LIST);
  return ifKept(inOrder(history, chosen), 'redone');
}

function inEffect(group: readonly StoredChange[]): readonly StoredChange[] {
  return group.filter(({ state }) => state !== 'undone');
}

function ifKept(changes: readonly StoredChange[], what: string): Choice {
  const lost = changes.find(({ state }) => state === 'not-kept');
  if (lost === undefined) return { ok: true, changes };
  return notKept(lost, what);
}

/** The refusal for a change whose bytes were not kept. */
export function notKept({ header }: StoredChange, what: string): Refusal {
  const why = header.notKept ?? 'its record is damaged';
  return refuse(
    'not-kept',
    `${header.id} cannot be ${what}: ${why}`,
    'change the files by hand; pincer changes lists them',
  );
}

function inOrder(history: readonly StoredChange[], chosen: ReadonlySet<StoredChange>): readonly StoredChange[] {
  return history.filter((change) => chosen.has(change));
}

function notYours({ header }: StoredChange, { author }: UndoScope): Refusal {
  return refuse(
    'not-yours',
    `${header.id} was made by ${actorText(header)}, not by ${author}`,
    'only the operator can undo changes of other clients: pincer undo',
  );
}

function noSuchChange(id: string): Refusal {
  return refuse(
    'no-such-change',
    `no single recorded change has an id that starts with ${JSON.stringify(id)}`,
    SEE_LIST,
  );
}

function refuse(reason: Refusal['reason'], message: string, hint: string): Refusal {
  return { ok: false, reason, message, hint, conflicts: [] };
}
