/** The terminal of the page without a page: the same model, without a display. */
import xterm from '@xterm/headless';
import type { DrawnScreen } from '../../../../src/page/screens/sessions/terminal/drawing.ts';
import type { TerminalSize } from '../../../../src/wire/session.ts';

export interface HeadlessScreen extends DrawnScreen {
  /** The visible rows with the cursor, the modes and the size. */
  picture(): unknown;
  /** What the model would have sent to the program. */
  readonly sent: readonly string[];
  readonly titles: readonly string[];
}

export function headlessScreen(size: TerminalSize): HeadlessScreen {
  const terminal = new xterm.Terminal({ ...size, scrollback: 100, allowProposedApi: true, logLevel: 'off' });
  const sent: string[] = [];
  const titles: string[] = [];
  terminal.onData((text) => sent.push(text));
  terminal.onTitleChange((title) => titles.push(title));
  return {
    sent,
    titles,
    get size() {
      return { cols: terminal.cols, rows: terminal.rows };
    },
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    reset: () => terminal.reset(),
    holdDrawing: async () => undefined,
    drawAgain: async () => undefined,
    picture() {
      const { active } = terminal.buffer;
      return {
        lines: Array.from({ length: terminal.rows }, (_, row) =>
          active.getLine(active.baseY + row)?.translateToString(),
        ),
        cursor: [active.cursorX, active.cursorY],
        type: active.type,
        modes: terminal.modes,
        size: [terminal.cols, terminal.rows],
      };
    },
  };
}
