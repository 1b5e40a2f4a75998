import { useEffect, useState } from 'preact/hooks';
import { HostileText } from '../../../components/hostile-text.tsx';
import type { TerminalScreen } from './terminal-screen.ts';

/** Lines are read again at most this often. */
const READ_AGAIN_MS = 250;

/** What the terminal shows, as text without colours: the lines of its screen and those that have scrolled away. */
export function PlainText({ screen, label }: { readonly screen: TerminalScreen; readonly label: string }) {
  const [lines, setLines] = useState(screen.lines());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = screen.onDrawn(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setLines(screen.lines());
      }, READ_AGAIN_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [screen]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="output-text" data-output aria-label={label} tabIndex={0}>
      <pre dir="ltr">{lines.length === 0 ? 'The screen is empty.' : <HostileText text={lines.join('\n')} lines />}</pre>
    </section>
  );
}
