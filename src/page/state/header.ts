/** The subtitle of the shown screen, next to its name. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export const subtitle = signal('');

/** Sets the subtitle while the component is shown. */
export function useSubtitle(text: string): void {
  useEffect(() => {
    subtitle.value = text;
  }, [text]);
  useEffect(
    () => () => {
      subtitle.value = '';
    },
    [],
  );
}
