/** The shown request. A live event never changes it, except that the first arrival in an empty inbox is shown. */
import { computed, effect, signal } from '@preact/signals';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { createArming } from '../../arming.ts';
import { isPhone } from '../../phone.ts';
import { navigate, pathTo, place } from '../../router.ts';
import { approvals } from '../../state/approvals.ts';
import { afterRemoval, EMPTY_INBOX, hasId, type Inbox, inboxItems, neighbour, nextInbox } from './inbox.ts';

export const filter = signal('');
export const arming = createArming();
const inbox = signal<Inbox>(EMPTY_INBOX);
const answeredHere = signal<ReadonlySet<string>>(new Set());
/** What is shown where the path names no request. */
const shownId = signal<string | undefined>(undefined);
/** The request that the person moved to in the list: it can be answered at once. */
let chosenId: string | undefined;

export const items = computed(() => inboxItems(inbox.value, approvals.value, filter.value));

/** The id in the path. */
export const wantedId = computed(() => place.value.segments[1]);

export const shown = computed<ApprovalInfo | undefined>(() => {
  const wanted = wantedId.value;
  if (wanted !== undefined) return [...approvals.value.values()].find((approval) => hasId(approval, wanted));
  return shownId.value === undefined ? undefined : approvals.value.get(shownId.value);
});

/** Keeps the inbox up to date while the screen is shown; the result ends it. */
export function followInbox(): () => void {
  const endInbox = effect(() => {
    inbox.value = nextInbox(inbox.peek(), approvals.value, answeredHere.value);
  });
  const endFirst = effect(() => {
    if (wantedId.value !== undefined || isPhone() || shown.value !== undefined) return;
    const first = items.value.find(({ state }) => state === 'pending');
    if (first !== undefined) shownId.value = first.id;
  });
  const endArming = followShown();
  return () => {
    endInbox();
    endFirst();
    endArming();
  };
}

/**
 * Answers wait for a moment when another request is shown, or another content of the same one, unless the person moved to it. The
 * digest is what the answer is about, so its change is a change of the content.
 */
function followShown(): () => void {
  let before: { readonly id?: string; readonly digest?: string | undefined } = {};
  return effect(() => {
    const { id, digest } = shown.value ?? {};
    const isChosen = id !== before.id && id === chosenId;
    if (id !== undefined && !isChosen && (id !== before.id || digest !== before.digest)) arming.disarm();
    before = { ...(id === undefined ? {} : { id }), digest };
    chosenId = undefined;
  });
}

/** What was answered elsewhere leaves the list when the person moves on. */
function dropLingering(): void {
  inbox.value = { ...inbox.peek(), lingering: new Set() };
}

export function move(step: 1 | -1): void {
  const next = neighbour(items.peek(), shown.peek(), step);
  if (next === undefined) return;
  const isOther = next.id !== shown.peek()?.id;
  if (isOther) chosenId = next.id;
  shownId.value = next.id;
  navigate(pathTo('approvals', next.slug), 'replace');
  if (isOther) dropLingering();
}

/** The person chose an item of the list. */
export function choose(approval: ApprovalInfo): void {
  if (approval.id !== shown.peek()?.id) {
    chosenId = approval.id;
    dropLingering();
  }
  shownId.value = approval.id;
}

/** This page has answered the request: the next one is shown, and armed after a moment. */
export function leave(answered: ApprovalInfo): void {
  const isShown = shown.peek()?.id === answered.id;
  const next = afterRemoval(items.peek(), answered);
  answeredHere.value = new Set([...answeredHere.peek(), answered.id]);
  if (!isShown) return;
  shownId.value = next?.id;
  if (wantedId.peek() === undefined) return;
  navigate(next === undefined || isPhone() ? '/' : pathTo('approvals', next.slug), 'replace');
}
