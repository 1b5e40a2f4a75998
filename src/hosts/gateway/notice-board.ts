/** Subscribers to notices: each receives every notice after the number it knows, in order, once. */
import type { Notice } from '../../wire/notice.ts';
import type { ApprovalStore } from '../approvals/shape.ts';

export interface NoticeBoard {
  /** Call after notices were stored. */
  notify(): void;
  follow(after: number, listener: (notice: Notice) => void, signal: AbortSignal): Promise<void>;
}

const BATCH_SIZE = 500;

export function createNoticeBoard(store: Pick<ApprovalStore, 'notices'>): NoticeBoard {
  const waiting = new Set<() => void>();
  return {
    notify() {
      for (const wake of waiting) wake();
    },
    async follow(after, listener, signal) {
      let seen = after;
      let wake: () => void = () => undefined;
      const woken = () => wake();
      waiting.add(woken);
      signal.addEventListener('abort', woken);
      try {
        while (!signal.aborted) {
          const batch = store.notices(seen, BATCH_SIZE);
          for (const notice of batch) {
            listener(notice);
            seen = notice.seq;
          }
          if (batch.length < BATCH_SIZE && !signal.aborted)
            await new Promise<void>((resolve) => {
              wake = resolve;
              // One may have arrived while the last ones were delivered.
              if (store.notices(seen, 1).length > 0) resolve();
            });
        }
      } finally {
        waiting.delete(woken);
        signal.removeEventListener('abort', woken);
      }
    },
  };
}
