/** What `watch` knows and what a key means then. Nothing here draws or speaks to anybody. */
import type { ApprovalInfo, Decision } from '../../../wire/approval.ts';

/** So long a key is not taken as an answer when the question under the eyes of the person was exchanged. */
export const REPLACED_GUARD_MS = 800;

export interface WatchState {
  readonly pending: readonly ApprovalInfo[];
  /** The id of the one that keys are about. */
  readonly chosen?: string;
  /** When it became another one without the person's doing. */
  readonly replacedAt: number;
  /** The id of the one that waits for the second `A`. */
  readonly confirming?: string;
  readonly message: string;
}

export interface KeyResult {
  readonly watching: WatchState;
  readonly answer?: { readonly id: string; readonly decision: Decision };
  readonly leave?: true;
}

export const INITIAL_STATE: WatchState = { pending: [], replacedAt: 0, message: '' };

/** New questions came or old ones went. The choice stays where it is as long as it waits. */
export function withPending(watching: WatchState, pending: readonly ApprovalInfo[], now: number): WatchState {
  const { chosen, confirming, message, replacedAt } = watching;
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

/** What a key does. `isWhole` says whether the chosen question can be seen as a whole. */
export function onKey(watching: WatchState, key: string, now: number, isWhole: boolean): KeyResult {
  const { confirming, ...calm } = { ...watching, message: '' };
  switch (key) {
    case 'q':
    case 'C-c':
    case 'Escape':
      return { watching: calm, leave: true };
    case 'j':
    case 'Down':
      return { watching: moved(calm, 1) };
    case 'k':
    case 'Up':
      return { watching: moved(calm, -1) };
    case 'a':
    case 'A':
    case 'd':
      return answered(calm, key, confirming, now, isWhole);
    default:
      return { watching: calm };
  }
}

function moved(watching: WatchState, by: number): WatchState {
  const { pending, chosen } = watching;
  const at = pending.findIndex(({ id }) => id === chosen) + by;
  const next = pending[Math.max(0, Math.min(pending.length - 1, at))];
  return next === undefined ? watching : { ...watching, chosen: next.id, replacedAt: 0 };
}

function answered(
  watching: WatchState,
  key: string,
  confirming: string | undefined,
  now: number,
  isWhole: boolean,
): KeyResult {
  const approval = watching.pending.find(({ id }) => id === watching.chosen);
  if (approval === undefined) return { watching };
  const { id, slug, wouldStore } = approval;
  const say = (message: string): KeyResult => ({ watching: { ...watching, message } });
  if (now - watching.replacedAt < REPLACED_GUARD_MS) return say('another question has just come here: look again');
  if (key === 'd') return { watching, answer: { id, decision: 'deny' } };
  if (!isWhole)
    return say(`it does not fit the screen: read it with pincer approvals show ${slug} --env, and answer there`);
  if (key === 'a') return { watching, answer: { id, decision: 'allow-once' } };
  if (wouldStore.length === 0) return say('nothing can be stored for this command: a allows it once');
  if (confirming === id) return { watching, answer: { id, decision: 'allow-always' } };
  return {
    watching: { ...watching, confirming: id, message: 'A once more stores what stands above, and lets it run' },
  };
}
