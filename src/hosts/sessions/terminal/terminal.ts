import type { Terminal } from '@xterm/headless';
import { Fault } from '../../../base/fault.ts';
import { TerminalFeed } from '../../../base/terminal/terminal-feed.ts';
import type { Screen, TerminalSize } from '../../../wire/session.ts';
import type { OutputLog } from '../log/log.ts';
import { plainText } from '../log/plain-text.ts';

/** The model gets this many bytes at a time. If it is further behind than FAR_BEHIND, it restarts near the end. */
const FEED_BYTES = 0x8000;
const FAR_BEHIND = 0x8_0000;
const LONGEST_TITLE = 256;
const CATCH_UP_MS = 1000;

/** The models of all sessions take turns, so that this process can do other work after each piece. */
let lastTurn: Promise<void> = Promise.resolve();

function inTurn(draw: () => Promise<void>): Promise<void> {
  const turn = lastTurn.then(draw).then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  lastTurn = turn.catch(() => undefined); // the caller gets the error
  return turn;
}

type ScreenContent = Omit<Screen, 'session'>;

const load = async (): Promise<typeof Terminal> => {
  const loaded: { Terminal?: typeof Terminal; default?: { Terminal: typeof Terminal } } = await import(
    '@xterm/headless'
  );
  return loaded.Terminal ?? loaded.default!.Terminal;
};

/**
 * A model of the terminal of a session: it reads the log as any other reader does, replies to the program's requests (cursor
 * position, device attributes), and provides the screen.
 */
export class TerminalModel {
  readonly #log: OutputLog;
  readonly #reply: (text: string) => void;
  #size: TerminalSize;
  #terminal: Terminal | undefined;
  #position = 0;
  #title = '';
  #feed = new TerminalFeed(() => this.#size);
  #feeding: Promise<void> | undefined;
  #last: ScreenContent | undefined;
  #failed: { readonly cause: unknown } | undefined;

  constructor(log: OutputLog, size: TerminalSize, reply: (text: string) => void) {
    this.#log = log;
    this.#size = size;
    this.#reply = reply;
  }

  /** There is new output; the model reads it after its present work. */
  feed(): void {
    if (this.#failed !== undefined) return;
    this.#feeding ??= this.#catchUp()
      .catch((cause: unknown) => {
        // The session continues without a screen; `screen` throws.
        this.#failed = { cause };
      })
      .finally(() => {
        this.#feeding = undefined;
      });
  }

  /**
   * Whether the program has set application cursor keys and bracketed paste, after all output so far. If the model does not
   * catch up in time, returns its present modes.
   */
  async modes(): Promise<{ readonly applicationCursor: boolean; readonly bracketedPaste: boolean }> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CATCH_UP_MS);
    });
    await Promise.race([this.#upTo(this.#log.end), timeout]);
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

  /** The screen after all output so far. */
  async screen(): Promise<ScreenContent> {
    if (this.#last !== undefined) return this.#last;
    await this.#upTo(this.#log.end);
    if (this.#failed !== undefined) {
      const isMissing = (this.#failed.cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND';
      const why = isMissing ? ': the package @xterm/headless is not installed' : '';
      throw new Fault('EXEC_NO_TERMINAL', `the screen of the session could not be drawn${why}`, {
        hint: isMissing
          ? 'install it next to pincer; the log has the output'
          : 'the log has the output of every session',
        cause: this.#failed.cause,
      });
    }
    return this.#last ?? this.#draw(this.#terminal ?? (await this.#open()));
  }

  /** Draws the final screen and frees the memory of the model. */
  async close(): Promise<void> {
    await this.#upTo(this.#log.end);
    if (this.#failed === undefined) this.#last = await this.screen();
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
        this.#reset(terminal);
        this.#position = this.#log.end - FEED_BYTES;
      }
      const read = this.#log.next(this.#position, FEED_BYTES);
      if (read === undefined) return;
      const pieces = this.#feed.take(read.bytes);
      if (pieces === undefined) this.#reset(terminal);
      for (const piece of pieces ?? []) {
        if (this.#last !== undefined) return; // a disposed model never calls back
        await inTurn(() => new Promise<void>((resolve) => terminal.write(piece, resolve)));
      }
      this.#position = read.start + read.bytes.length;
    }
  }

  /** Discards the screen; the model continues with the next output. */
  #reset(terminal: Terminal): void {
    terminal.reset();
    this.#feed = new TerminalFeed(() => this.#size);
  }

  async #open(): Promise<Terminal> {
    const Model = await load();
    if (this.#terminal !== undefined) return this.#terminal;
    const { cols, rows } = this.#size;
    const terminal = new Model({ cols, rows, scrollback: 0, allowProposedApi: true, logLevel: 'off' });
    terminal.onData((text) => this.#reply(text));
    terminal.onTitleChange((title) => {
      this.#title = plainText(title).slice(0, LONGEST_TITLE);
    });
    this.#terminal = terminal;
    return terminal;
  }

  #draw(terminal: Terminal): ScreenContent {
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
