const ESC = '\\u001b';
/** Answers of a terminal: its kind (DA), its state (DSR) and where the cursor is (CPR). */
const ANSWER = new RegExp(`^${ESC}\\[(?:[?>=][\\d;]*c|\\??\\d+(?:;\\d+)*R|\\d+n)`, 'u');
const MOMENT = 2000;

/**
 * Two terminals answer when a person is attached: the model and the real one. The program asked once, so an answer that
 * comes with raw keys shortly after the model gave one of the same kind is taken out.
 */
export class GivenAnswers {
  readonly #monotonic: () => number;
  #given: { readonly kind: string; readonly at: number }[] = [];

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The model has answered. */
  note(text: string): void {
    this.#forget();
    if (ANSWER.test(text) && this.#given.length < 64) this.#given.push({ kind: text.slice(-1), at: this.#monotonic() });
  }

  /** Raw keys without the second answers in them. */
  without(raw: Uint8Array): Uint8Array {
    this.#forget();
    if (this.#given.length === 0) return raw;
    let rest = Buffer.from(raw).toString('latin1');
    let out = '';
    for (let at = rest.indexOf('\u001b['); at >= 0; at = rest.indexOf('\u001b[')) {
      out += rest.slice(0, at);
      rest = rest.slice(at);
      const answer = ANSWER.exec(rest)?.[0] ?? '';
      const index = this.#given.findIndex(({ kind }) => kind === answer.at(-1));
      if (index >= 0) {
        this.#given.splice(index, 1);
        rest = rest.slice(answer.length);
      } else {
        out += rest.slice(0, 2);
        rest = rest.slice(2);
      }
    }
    return Buffer.from(out + rest, 'latin1');
  }

  #forget(): void {
    const now = this.#monotonic();
    this.#given = this.#given.filter(({ at }) => now - at < MOMENT);
  }
}
