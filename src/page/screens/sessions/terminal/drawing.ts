import { TerminalFeed } from '../../../../base/terminal/terminal-feed.ts';
import type { TerminalSize } from '../../../../wire/session.ts';
import { DRAWING_SEQUENCES } from './drawing-sequences.ts';

/** A terminal model that shows a screen: xterm in the page. */
export interface DrawnScreen {
  readonly size: TerminalSize;
  /** Resolves when the text is drawn. */
  write(text: string): Promise<void>;
  resize(size: TerminalSize): void;
  /** An empty screen with the modes of the start. */
  reset(): void;
  /** Shows nothing new until `drawAgain`, at most for a second: the screens on the way to a moment would flicker. */
  holdDrawing(): Promise<void>;
  drawAgain(): Promise<void>;
}

/** As much as the gateway's model takes at once, so that both have the same limit on the cost. */
const PIECE = 0x8000;

/** Draws the output of a program, one piece after the other. */
export class Drawing {
  readonly screen: DrawnScreen;
  #feed = this.#newFeed();

  constructor(screen: DrawnScreen) {
    this.screen = screen;
  }

  /** False where a part was too costly to draw: the screen was reset there. */
  async bytes(bytes: Uint8Array): Promise<boolean> {
    let isWhole = true;
    for (let at = 0; at < bytes.length; at += PIECE)
      isWhole = (await this.#draw(this.#feed.take(bytes.subarray(at, at + PIECE)))) && isWhole;
    return isWhole;
  }

  /** The same for text. */
  async text(text: string): Promise<boolean> {
    let isWhole = true;
    for (let at = 0; at < text.length; at += PIECE)
      isWhole = (await this.#draw(this.#feed.takeText(text.slice(at, at + PIECE)))) && isWhole;
    return isWhole;
  }

  resize(size: TerminalSize): void {
    const { cols, rows } = this.screen.size;
    if (cols !== size.cols || rows !== size.rows) this.screen.resize(size);
  }

  reset(): void {
    this.screen.reset();
    this.#feed = this.#newFeed();
  }

  async #draw(pieces: readonly string[] | undefined): Promise<boolean> {
    if (pieces === undefined) this.reset();
    for (const piece of pieces ?? []) await this.screen.write(piece);
    return pieces !== undefined;
  }

  #newFeed(): TerminalFeed {
    return new TerminalFeed(() => this.screen.size, DRAWING_SEQUENCES);
  }
}
