/** Short messages about what was done. A toast is never the only place of an error. */
import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 5000;
let lastId = 0;
export const toasts = signal<readonly Toast[]>([]);

export function toast(text: string): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, text }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((one) => one.id !== id);
  }, SHOWN_MS);
}
