/** What a component loads while it is shown. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { link } from './link.ts';

export interface Loaded<T> {
  readonly value?: T;
  /** Why the last load failed. The value of an earlier load stays. */
  readonly error?: unknown;
}

export interface Loading<T> extends Loaded<T> {
  readonly reload: () => void;
  /** Replaces the value by what a write has answered; a load that began before it is dropped. */
  readonly set: (value: T) => void;
}

interface Kept<T> extends Loaded<T> {
  readonly key: string;
}

/**
 * Loads again when the key is another one, when `version` changes, and when the link is back. What was loaded for the same key
 * stays until the new value is there. Without a key there is nothing to load.
 */
export function useLoaded<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  version: unknown = 0,
): Loading<T> {
  const [kept, setKept] = useState<Kept<T> | undefined>(undefined);
  const [round, setRound] = useState(0);
  const running = useRef<AbortController | undefined>(undefined);
  const isLive = link.value.kind === 'live';
  useEffect(() => {
    if (key === undefined || !isLive) return undefined;
    const abort = new AbortController();
    running.current = abort;
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setKept({ key, value });
      },
      (error: unknown) => {
        if (abort.signal.aborted || link.peek().kind !== 'live') return; // it loads again when the link is back
        setKept((before) => ({ ...(before?.key === key ? before : { key }), error }));
      },
    );
    return () => abort.abort();
  }, [key, version, round, isLive]);
  return {
    ...(kept === undefined || kept.key !== key ? {} : kept),
    reload: () => setRound((count) => count + 1),
    set: (value) => {
      running.current?.abort();
      if (key !== undefined) setKept({ key, value });
    },
  };
}
