/** Where screens subscribe to events that the shared state does not keep, such as entries of the audit log. */
import type { PageEvent } from '../socket/connection.ts';

export interface EventListener {
  event?(event: PageEvent): void;
  /** Events are missing: load the lists again. */
  reset?(): void;
}

const listeners = new Set<EventListener>();

/** The result ends it. */
export function onEvents(listener: EventListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function passEvent(event: PageEvent): void {
  for (const listener of listeners) listener.event?.(event);
}

export function passReset(): void {
  for (const listener of listeners) listener.reset?.();
}
