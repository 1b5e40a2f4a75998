import type { Terminal } from '@xterm/headless';
import { Fault } from '../../../base/fault.ts';
import type { Screen, TerminalSize } from '../../../wire/session.ts';
import type { OutputLog } from '../log/log.ts';
import { plainText } from '../log/plain-text.ts';
import { TerminalFeed } from './terminal-feed.ts';

/** The model is fed so much at a time, and when it is further behind than that, it starts again near the end. */
const FEED_BYTES = 0x8000;
const FAR_BEHIND = 0x8_0000;
const LONGEST_TITLE = 256;
const PATIENCE = 1000;

/** The models of all sessions take turns, so that others are answered after each piece. */
let lastTurn: Promise<void> = Promise.resolve();

function inTurn(draw: () => Promise<void>): Promise<void> {
  const turn = lastTurn.then(draw).then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  lastTurn = turn.catch(() => undefined); // the failure is told to those who wait for this turn
  return turn;
}

/** What a person would see, without what the session knows about itself. */
export type Picture = Omit<Screen, 'session'>;

const load = async (): Promise<typeof Terminal> => {
  const loaded: { Terminal?: typeof Terminal; default?: { Terminal: typeof Terminal } } = await import(
    '@xterm/headless'
  );
  return loaded.Terminal ?? loaded.default!.Terminal;
};

/**
 * The terminal that a session's program talks to, as a model: it reads the log as any other reader does, answers the
 * program's questions (where is the cursor, what are you), and can be looked at.
 */
export class TerminalModel {
  readonly #log: OutputLog;
  readonly #answer: (text: string) => void;
  #size: TerminalSize;
  #terminal: Terminal | undefined;
  #position = 0;
  #title = '';
  #feed = new TerminalFeed(() => this.#size);
  #feeding: Promise<void> | undefined;
  #last: Picture | undefined;
  #failed: { readonly cause: unknown } | undefined;

  constructor(log: OutputLog, size: TerminalSize, answer: (text: string) => void) {
    this.#log = log;
    this.#size = size;
    this.#answer = answer;
  }

  /** There is new output; it is read when the model has done what it had. */
  feed(): void {
    if (this.#failed !== undefined) return;
    this.#feeding ??= this.#catchUp()
      .catch((cause: unknown) => {
        // The session goes on without a screen; whoever asks for the screen hears of it.
        this.#failed = { cause };
      })
      .finally(() => {
        this.#feeding = undefined;
      });
  }

  /**
   * Whether arrows are to be sent in application mode, and whether the program knows pastes from typing, after the
   * output up to now; a model that does not catch up soon answers with what it knows.
   */
  async modes(): Promise<{ readonly applicationCursor: boolean; readonly bracketedPaste: boolean }> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE);
    });
    await Promise.race([this.#upTo(this.#log.end), patience]);
    clearTimeout(timer);
    const modes = this.#terminal?.modes;
    return {
      applicationCursor: modes?.applicationCursorKeysMode ?? false,
      bracketedPaste: modes?.bracketedPasteMode ?? false,
    };
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.#terminal?.resize(size.cols, size.rows);
  }

  /** The screen after all output up to now. */
  async picture(): Promise<Picture> {
    if (this.#last !== undefined) return this.#last;
    await this.#upTo(this.#log.end);
    if (this.#failed !== undefined) {
      const isMissing = (this.#failed.cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND';
      const why = isMissing ? ': the package @xterm/headless is not installed' : '';
      throw new Fault('EXEC_NO_TERMINAL', `the terminal of the session could not be drawn${why}`, {
        hint: isMissing
          ? 'install it beside pincer; the log shows the output'
          : 'the log shows the output of any session',
        cause: this.#failed.cause,
      });
    }
    return this.#last ?? this.#draw(this.#terminal ?? (await this.#open()));
  }

  /** Draws the last picture and gives the memory of the model back. */
  async close(): Promise<void> {
    await this.#upTo(this.#log.end);
    if (this.#failed === undefined) this.#last = await this.picture();
    this.#terminal?.dispose();
    this.#terminal = undefined;
  }

  async #upTo(end: number): Promise<void> {
    while (this.#position < end && this.#last === undefined && this.#failed === undefined) {
      this.feed();
      await this.#feeding;
    }
  }

  async #catchUp(): Promise<void> {
    const terminal = this.#terminal ?? (await this.#open());
    while (this.#position < this.#log.end && this.#last === undefined) {
      if (this.#log.end - this.#position > FAR_BEHIND) {
        this.#startAgain(terminal);
        this.#position = this.#log.end - FEED_BYTES;
      }
      const read = this.#log.next(this.#position, FEED_BYTES);
      if (read === undefined) return;
      const pieces = this.#feed.take(read.bytes);
      if (pieces === undefined) this.#startAgain(terminal);
      for (const piece of pieces ?? []) {
        if (this.#last !== undefined) return; // a model that is closed answers no write
        await inTurn(() => new Promise<void>((resolve) => terminal.write(piece, resolve)));
      }
      this.#position = read.start + read.bytes.length;
    }
  }

  /** What was drawn is given up; the model goes on with what comes next. */
  #startAgain(terminal: Terminal): void {
    terminal.reset();
    this.#feed = new TerminalFeed(() => this.#size);
  }

  async #open(): Promise<Terminal> {
    const Model = await load();
    if (this.#terminal !== undefined) return this.#terminal;
    const { cols, rows } = this.#size;
    const terminal = new Model({ cols, rows, scrollback: 0, allowProposedApi: true, logLevel: 'off' });
    terminal.onData((text) => this.#answer(text));
    terminal.onTitleChange((title) => {
      this.#title = plainText(title).slice(0, LONGEST_TITLE);
    });
    this.#terminal = terminal;
    return terminal;
  }

  #draw(terminal: Terminal): Picture {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: terminal.rows }, (_, row) =>
      plainText(active.getLine(active.baseY + row)?.translateToString(true) ?? '').trimEnd(),
    );
    return {
      lines,
      cursor: { row: active.cursorY, col: active.cursorX },
      size: { cols: terminal.cols, rows: terminal.rows },
      title: this.#title,
      alternate: active.type === 'alternate',
    };
  }
}
