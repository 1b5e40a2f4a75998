/** Which sessions are listed, and which one is shown. A live event never changes the shown one. */
import { computed, effect, signal } from '@preact/signals';
import type { SessionInfo } from '../../../wire/session.ts';
import { isPhone } from '../../phone.ts';
import { navigate, pathTo, place } from '../../router.ts';
import { peekServerNow } from '../../state/clock.ts';
import { sessions, withSession } from '../../state/sessions.ts';
import { type ListView, listed } from './search.ts';

export const view = signal<ListView>('all');
export const search = signal('');
/** What is shown where the path names no session. */
const firstShown = signal<string | undefined>(undefined);

export const items = computed(() => listed(sessions.value.values(), view.value, search.value, peekServerNow()));

export const shownId = computed<string | undefined>(() => place.value.segments[1] ?? firstShown.value);

/** On a wide window the first session of the list is shown, also where it starts later; on a phone the list is. */
export function showFirst(): () => void {
  return effect(() => {
    if (shownId.value === undefined && !isPhone()) firstShown.value = items.value[0]?.id;
  });
}

export function move(step: 1 | -1): void {
  const list = items.peek();
  const at = list.findIndex(({ id }) => id === shownId.peek());
  const next = list[at < 0 ? 0 : Math.min(list.length - 1, Math.max(0, at + step))];
  if (next !== undefined) navigate(pathTo('sessions', next.id), 'replace');
}

/** The person wants to read the session: its output takes the focus when it is there. */
export const wantsFocus = signal(false);

export function open(): void {
  const id = shownId.peek();
  if (id === undefined) return;
  if (place.peek().segments[1] === undefined) navigate(pathTo('sessions', id));
  wantsFocus.value = true;
}

/** A session as a call or a subscription has reported it. */
export function noteSession(session: SessionInfo): void {
  sessions.value = withSession(sessions.peek(), session);
}
