/** Notifications of the browser: opt-in, while the page is open, with the number of waiting requests and nothing else. */
import { effect, signal } from '@preact/signals';
import { store, stored } from '../preferences.ts';
import { waitingCount } from './approvals.ts';

/** `unsupported`: the browser allows none here. `blocked`: the person has refused them in the browser. */
export type NotificationState = 'unsupported' | 'blocked' | 'off' | 'on';

const NAME = 'notifications';
const TAG = 'pincer-approvals';

export const notifications = signal<NotificationState>(currentState());

function currentState(): NotificationState {
  if (globalThis.Notification === undefined || !globalThis.isSecureContext) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && stored(NAME) === 'on' ? 'on' : 'off';
}

/** Asks the browser for its permission where that is needed. */
export async function setNotifications(isOn: boolean): Promise<void> {
  store(NAME, isOn ? 'on' : undefined);
  if (isOn && globalThis.Notification?.permission === 'default') await Notification.requestPermission();
  notifications.value = currentState();
}

/** `3 requests wait` */
export function waitingText(count: number): string {
  return count === 1 ? '1 request waits' : `${count} requests wait`;
}

/** Shows one notification that is replaced, when more requests wait than before and the person looks elsewhere. */
export function startNotifications(): void {
  let before = 0;
  effect(() => {
    const count = waitingCount.value;
    const isMore = count > before;
    before = count;
    if (!isMore || notifications.peek() !== 'on' || document.hasFocus()) return;
    try {
      const shown = new Notification('Pincer', { body: waitingText(count), tag: TAG });
      shown.addEventListener('click', () => window.focus());
    } catch {
      notifications.value = 'unsupported'; // phones allow them only through a service worker
    }
  });
}
