/**
 * Protects against a key press that was meant for another item: after the shown item changed by itself, answers wait for a moment.
 */
import { signal } from '@preact/signals';
import { ARM_MS } from '../wire/page.ts';

export interface Arming {
  /** The shown item changed without a choice of the person. */
  disarm(): void;
  isArmed(): boolean;
  /** Changes with every `disarm` and when the delay is over, for components that show the state. */
  readonly armed: { readonly value: boolean };
}

export function createArming(now: () => number = () => performance.now()): Arming {
  const armed = signal(true);
  let readyAt = 0;
  return {
    armed,
    disarm() {
      readyAt = now() + ARM_MS;
      armed.value = false;
      setTimeout(() => {
        if (now() >= readyAt) armed.value = true;
      }, ARM_MS + 1);
    },
    isArmed: () => now() >= readyAt,
  };
}
