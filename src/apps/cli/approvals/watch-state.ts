/** State of `approvals watch`, and what a key does in it. Pure: no drawing, no calls. */
import type { ApprovalInfo, Decision } from '../../../wire/approval.ts';
import { nothingStored } from './approval-text.ts';

/** For this long after another request took the selected place, keys do not answer: the person may have meant the old one. */
export const REPLACED_GUARD_MS = 800;

export interface WatchState {
  readonly pending: readonly ApprovalInfo[];
  /** Id of the selected request. */
  readonly chosen?: string;
  /** When another request was selected without a key. */
  readonly replacedAt: number;
  /** Id of the request that waits for a second `A`. */
  readonly confirming?: string;
  readonly message: string;
}

export interface KeyResult {
  readonly state: WatchState;
  readonly answer?: { readonly id: string; readonly decision: Decision; readonly digest?: string };
  readonly leave?: true;
}

export const INITIAL_STATE: WatchState = { pending: [], replacedAt: 0, message: '' };

/** Applies a new list. The selection stays while its request is pending. */
export function withPending(state: WatchState, pending: readonly ApprovalInfo[], now: number): WatchState {
  const { chosen, confirming, message, replacedAt } = state;
  const stays = pending.some(({ id }) => id === chosen);
  const next = stays ? chosen : pending[0]?.id;
  return {
    pending,
    ...(next === undefined ? {} : { chosen: next }),
    replacedAt: stays ? replacedAt : now,
    ...(stays && confirming !== undefined ? { confirming } : {}),
    message,
  };
}

/** `isWhole`: the selected request is fully visible. */
export function onKey(state: WatchState, key: string, now: number, isWhole: boolean): KeyResult {
  const { confirming, ...rest } = { ...state, message: '' };
  switch (key) {
    case 'q':
    case 'C-c':
    case 'Escape':
      return { state: rest, leave: true };
    case 'j':
    case 'Down':
      return { state: moved(rest, 1) };
    case 'k':
    case 'Up':
      return { state: moved(rest, -1) };
    case 'a':
    case 'A':
    case 'd':
      return answered(rest, key, confirming, now, isWhole);
    default:
      return { state: rest };
  }
}

function moved(state: WatchState, by: number): WatchState {
  const { pending, chosen } = state;
  const at = pending.findIndex(({ id }) => id === chosen) + by;
  const next = pending[Math.max(0, Math.min(pending.length - 1, at))];
  return next === undefined ? state : { ...state, chosen: next.id, replacedAt: 0 };
}

function answered(
  state: WatchState,
  key: string,
  confirming: string | undefined,
  now: number,
  isWhole: boolean,
): KeyResult {
  const approval = state.pending.find(({ id }) => id === state.chosen);
  if (approval === undefined) return { state };
  const { id, slug, wouldStore, digest } = approval;
  const shown = { id, ...(digest === undefined ? {} : { digest }) };
  const withMessage = (message: string): KeyResult => ({ state: { ...state, message } });
  if (now - state.replacedAt < REPLACED_GUARD_MS)
    return withMessage('another request has just been selected: check it first');
  if (key === 'd') return { state, answer: { ...shown, decision: 'deny' } };
  if (!isWhole)
    return withMessage(
      `the request does not fit the screen: read it with pincer approvals show ${slug} --env, and answer there`,
    );
  if (key === 'a') return { state, answer: { ...shown, decision: 'allow-once' } };
  if (wouldStore.length === 0) return withMessage(`${nothingStored(approval)}; press a to allow it once`);
  if (confirming === id) return { state, answer: { ...shown, decision: 'allow-always' } };
  return {
    state: { ...state, confirming: id, message: 'press A again to store the entries above and run the command' },
  };
}
