import type { Drawing } from '../terminal/drawing.ts';
import { CAST_START, type RecordedEvent } from './cast-reader.ts';
import type { IndexedPage, Recording } from './recording.ts';

/**
 * The screen of a moment is drawn from the output before it, at most this many characters. A browser draws them in about half a
 * second. What an earlier part set (modes, the alternate screen) is then missing, and the page says so.
 */
export const MOST_REDRAWN = 4 << 20;
/** Output of several events is drawn together. */
const DRAWN_TOGETHER = 0x8000;

/** The next event to draw. */
interface Cursor {
  page: number;
  event: number;
}

/** Draws the screen of any moment of a recording. */
export class Replay {
  readonly #recording: Recording;
  readonly #drawing: Drawing;
  #cursor: Cursor = { page: 0, event: 0 };
  #isStarted = false;
  #ms = 0;
  #wanted = 0;
  #work: Promise<void> | undefined;
  #isFromStart = true;

  constructor(recording: Recording, drawing: Drawing) {
    this.#recording = recording;
    this.#drawing = drawing;
  }

  /** The moment that is drawn, in milliseconds. */
  get ms(): number {
    return this.#ms;
  }

  /** False where the beginning of the recording is too far away to be drawn first. */
  get isFromStart(): boolean {
    return this.#isFromStart;
  }

  /** Resolves when the screen of the last wanted moment is drawn. A later call changes the moment that is drawn. */
  seek(ms: number): Promise<void> {
    this.#wanted = Math.min(Math.max(0, ms), this.#recording.durationMs);
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  /** The time of the next event; undefined at the end. */
  async nextEventMs(): Promise<number | undefined> {
    return (await this.#peek())?.ms;
  }

  async #run(): Promise<void> {
    let target = Number.NaN;
    while (target !== this.#wanted) {
      target = this.#wanted;
      await this.#startAt(target);
      await this.#drawUntil(target);
    }
    await this.#drawing.screen.drawAgain();
    this.#ms = target;
  }

  /** Continues from the shown moment where possible. */
  async #startAt(target: number): Promise<void> {
    const { pages } = this.#recording;
    const last = Math.max(
      0,
      pages.findLastIndex(({ start }) => start.ms <= target),
    );
    const first = pages.findIndex(({ outputBefore }) => outputOf(pages[last]) - outputBefore <= MOST_REDRAWN);
    if (this.#isStarted && target >= this.#ms && this.#cursor.page >= first) return;
    this.#isStarted = true;
    this.#isFromStart = first <= 0;
    this.#cursor = { page: Math.max(0, first), event: 0 };
    this.#drawing.reset();
    const start = pages[this.#cursor.page]?.start ?? CAST_START;
    this.#ms = start.ms;
    this.#drawing.resize(start.size);
    await this.#drawing.screen.holdDrawing();
  }

  async #drawUntil(target: number): Promise<void> {
    let text = '';
    for (let event = await this.#peek(); event !== undefined && event.ms <= target; event = await this.#peek()) {
      this.#cursor.event++;
      this.#ms = event.ms;
      if (event.kind === 'output') text += event.text;
      if (event.kind !== 'resize' && text.length < DRAWN_TOGETHER) continue;
      await this.#drawing.text(text);
      text = '';
      if (event.kind === 'resize') this.#drawing.resize(event.size);
      if (this.#wanted < this.#ms) return; // the person has moved on, to an earlier moment
    }
    await this.#drawing.text(text);
  }

  /** The next event, which may be on the next page. */
  async #peek(): Promise<RecordedEvent | undefined> {
    const cursor = this.#cursor;
    for (;;) {
      const event = (await this.#recording.events(cursor.page))[cursor.event];
      if (event !== undefined || cursor.page >= this.#recording.pages.length - 1) return event;
      cursor.page++;
      cursor.event = 0;
    }
  }
}

function outputOf(page: IndexedPage | undefined): number {
  return page?.outputBefore ?? 0;
}
