/** How long a child that keeps the output open can delay the news of the end. */
const LINGER_MS = 500;
/** The event loop fires a timer before it reads. After a pause of this process the output may be there, still unread. */
const QUIET_TURNS = 3;
const MOST_TURNS = 20;

/** The time between the end of a command and the news of it, in which its last output arrives. */
export class Linger {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;
  #hasArrived = false;

  constructor(over: () => void) {
    this.#over = over;
  }

  start(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#awaitQuiet(0, MOST_TURNS), LINGER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }

  /** Output has come. */
  arrived(): void {
    this.#hasArrived = true;
  }

  /** It is over after some turns of the event loop that brought no output, or after so many that did. */
  #awaitQuiet(quiet: number, left: number): void {
    if (quiet === QUIET_TURNS || left === 0) {
      this.#over();
      return;
    }
    this.#hasArrived = false;
    this.#turn = setImmediate(() => this.#awaitQuiet(this.#hasArrived ? 0 : quiet + 1, left - 1));
  }
}
