import { useEffect, useState } from 'preact/hooks';
import { onEvents } from './events.ts';

/** Changes whenever the rules do, for what is computed from them: an answer of yesterday's rules must not stay on the screen. */
export function useRulesVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const changed = (): void => setVersion((before) => before + 1);
    return onEvents({
      event: (event) => {
        if (event.type === 'audit' && event.entry.event === 'rules') changed();
      },
      reset: changed,
    });
  }, []);
  return version;
}
