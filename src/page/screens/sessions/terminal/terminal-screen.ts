/** xterm as the screen of a session. Loaded when a session with a terminal is first shown. */
import { Terminal } from '@xterm/xterm';
import './terminal.css';
import type { TerminalSize } from '../../../../wire/session.ts';
import type { DrawnScreen } from './drawing.ts';
import { styleSpansThroughCssom, withConstructedStyles } from './strict-styles.ts';
import { TERMINAL_THEME } from './theme.ts';

/** Lines above the screen that stay. */
const SCROLLBACK = 5000;
const LARGEST_FONT = 14;
const SMALLEST_FONT = 10;
/** Where not even the smallest font shows all columns: the terminal scrolls sideways. */
const SCROLLED_FONT = 12;
/** The lines that the plain text shows. */
const MOST_TEXT_LINES = 1000;

styleSpansThroughCssom();

export interface KeyboardOwner {
  /** Keys of a person who types, as the program expects them. */
  typed(bytes: Uint8Array): void;
  /** Ctrl+Shift+Esc, or Ctrl+Shift+X where the system takes the first. */
  leave(): void;
}

/** With Ctrl and Shift. On Windows, the system takes Ctrl+Shift+Esc. */
const LEAVING = new Set(['escape', 'x']);

export class TerminalScreen implements DrawnScreen {
  readonly #terminal: Terminal;
  readonly #element: HTMLElement;
  readonly #owner: KeyboardOwner;
  readonly #drawnListeners = new Set<() => void>();
  #isTyping = false;

  constructor(element: HTMLElement, size: TerminalSize, owner: KeyboardOwner) {
    this.#element = element;
    this.#owner = owner;
    this.#terminal = new Terminal({
      ...size,
      scrollback: SCROLLBACK,
      disableStdin: true,
      cursorInactiveStyle: 'outline',
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: LARGEST_FONT,
      lineHeight: 1.2,
      theme: TERMINAL_THEME,
      minimumContrastRatio: 4.5, // text in the colour of its background is visible, too
      allowTransparency: true, // the background is that of the element
      linkHandler: { activate: () => undefined }, // the filter drops links; this would open none either
    });
    withConstructedStyles(() => this.#terminal.open(element));
    this.#terminal.textarea!.tabIndex = -1;
    this.#terminal.attachCustomKeyEventHandler((event) => this.#isForProgram(event));
    this.#terminal.onData((text) => this.#typed(new TextEncoder().encode(text)));
    this.#terminal.onBinary((text) => this.#typed(Uint8Array.from(text, (unit) => unit.charCodeAt(0))));
    this.#terminal.onWriteParsed(() => {
      for (const listener of this.#drawnListeners) listener();
    });
  }

  get size(): TerminalSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#terminal.resize(cols, rows);
    this.fitFont();
  }

  reset(): void {
    this.#terminal.reset();
  }

  async holdDrawing(): Promise<void> {
    await this.write('\u001b[?2026h');
  }

  async drawAgain(): Promise<void> {
    await this.write('\u001b[?2026l');
  }

  /** The largest font with which all columns are visible. */
  fitFont(): void {
    const { cell } = this.#measured();
    const now = this.#terminal.options.fontSize!;
    const wanted = (now * this.#element.clientWidth) / (cell.width * this.#terminal.cols);
    if (!Number.isFinite(wanted)) return; // it is not visible
    const size = wanted < SMALLEST_FONT ? SCROLLED_FONT : Math.min(LARGEST_FONT, Math.floor(wanted * 2) / 2);
    if (size !== now) this.#terminal.options.fontSize = size;
  }

  /** The size that fills the element at the largest font. */
  fittingSize(): TerminalSize {
    const { cell } = this.#measured();
    const scale = LARGEST_FONT / this.#terminal.options.fontSize!;
    return {
      cols: Math.max(20, Math.floor(this.#element.clientWidth / (cell.width * scale))),
      rows: Math.max(5, Math.floor(this.#element.clientHeight / (cell.height * scale))),
    };
  }

  setTyping(isTyping: boolean): void {
    this.#isTyping = isTyping;
    this.#terminal.options.disableStdin = !isTyping;
    this.#terminal.textarea!.tabIndex = isTyping ? 0 : -1;
    if (isTyping) this.#terminal.focus();
  }

  /** The last lines, with what has scrolled away. */
  lines(): readonly string[] {
    const { active } = this.#terminal.buffer;
    const end = active.baseY + this.#terminal.rows;
    const first = Math.max(0, end - MOST_TEXT_LINES);
    const lines = Array.from(
      { length: end - first },
      (_, i) => active.getLine(first + i)?.translateToString(true) ?? '',
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }

  scrollPages(pages: number): void {
    this.#terminal.scrollPages(pages);
  }

  scrollLines(lines: number): void {
    this.#terminal.scrollLines(lines);
  }

  /** Calls the function after output was drawn; the result ends it. */
  onDrawn(listener: () => void): () => void {
    this.#drawnListeners.add(listener);
    return () => {
      this.#drawnListeners.delete(listener);
    };
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #measured(): { readonly cell: { readonly width: number; readonly height: number } } {
    const { clientWidth, clientHeight } = this.#element.querySelector('.xterm-screen')!;
    return { cell: { width: clientWidth / this.#terminal.cols, height: clientHeight / this.#terminal.rows } };
  }

  /** A watcher keeps all keys for the page. */
  #isForProgram(event: KeyboardEvent): boolean {
    if (!this.#isTyping) return false;
    if (!event.ctrlKey || !event.shiftKey || !LEAVING.has(event.key.toLowerCase())) return true;
    if (event.type === 'keydown') this.#owner.leave();
    return false;
  }

  #typed(bytes: Uint8Array): void {
    if (this.#isTyping) this.#owner.typed(bytes);
  }
}
