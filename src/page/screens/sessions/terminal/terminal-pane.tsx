import { FaultNote } from '../../../components/callout.tsx';
import { PlainText } from './plain-text.tsx';
import type { MountedTerminal } from './use-terminal.ts';

interface TerminalPaneProps {
  readonly terminal: MountedTerminal;
  readonly label: string;
  /** Shows the lines as text, for screen readers and for searching in the browser. */
  readonly isText: boolean;
  /** The terminal takes all keys. */
  readonly isTyping: boolean;
}

const PAGES: Readonly<Record<string, number>> = { PageUp: -1, PageDown: 1 };
const LINES: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

export function TerminalPane({ terminal, label, isText, isTyping }: TerminalPaneProps) {
  const { element, screen, problem } = terminal;
  const scroll = (event: KeyboardEvent): void => {
    const pages = PAGES[event.key];
    const lines = LINES[event.key];
    if (isTyping || (pages === undefined && lines === undefined)) return;
    event.preventDefault();
    screen?.scrollPages(pages ?? 0);
    screen?.scrollLines(lines ?? 0);
  };
  if (problem !== undefined) return <FaultNote error={problem} />;
  return (
    <div class="terminal-pane">
      <section
        class="terminal-frame"
        data-output
        hidden={isText}
        aria-label={label}
        tabIndex={isTyping ? -1 : 0}
        data-keys={isTyping ? 'own' : undefined}
        onKeyDown={scroll}
      >
        <div class="terminal" ref={element} />
      </section>
      {isText && screen !== undefined ? <PlainText screen={screen} label={`${label}, as text`} /> : undefined}
    </div>
  );
}
