/** Those who listen to notices: each hears all that come after the number it knows, in order, once. */
import type { Notice } from '../../wire/notice.ts';
import type { ApprovalStore } from '../approvals/shape.ts';

export interface NoticeBoard {
  /** There are new notices in the store. */
  told(): void;
  follow(after: number, listener: (notice: Notice) => void, signal: AbortSignal): Promise<void>;
}

const AT_ONCE = 500;

export function createNoticeBoard(store: Pick<ApprovalStore, 'notices'>): NoticeBoard {
  const waiting = new Set<() => void>();
  return {
    told() {
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
          const fresh = store.notices(seen, AT_ONCE);
          for (const notice of fresh) {
            listener(notice);
            seen = notice.seq;
          }
          if (fresh.length < AT_ONCE && !signal.aborted)
            await new Promise<void>((resolve) => {
              wake = resolve;
              // One may have come while the last ones were told.
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
