const ESC = '\\u001b';
/** Reports of a terminal: device attributes (DA), device status (DSR) and cursor position (CPR). */
const REPORT = new RegExp(`^${ESC}\\[(?:[?>=][\\d;]*c|\\??\\d+(?:;\\d+)*R|\\d+n)`, 'u');
const DUPLICATE_MS = 2000;

/**
 * While a client is attached, two terminals report: the model and the real one. The program asked once, so a report that comes
 * with raw keys shortly after one of the same kind from the model is removed.
 */
export class ModelReports {
  readonly #monotonic: () => number;
  #sent: { readonly kind: string; readonly at: number }[] = [];

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  note(text: string): void {
    this.#expire();
    if (REPORT.test(text) && this.#sent.length < 64) this.#sent.push({ kind: text.slice(-1), at: this.#monotonic() });
  }

  /** Raw keys without duplicate reports. */
  without(raw: Uint8Array): Uint8Array {
    this.#expire();
    if (this.#sent.length === 0) return raw;
    let rest = Buffer.from(raw).toString('latin1');
    let out = '';
    for (let at = rest.indexOf('\u001b['); at >= 0; at = rest.indexOf('\u001b[')) {
      out += rest.slice(0, at);
      rest = rest.slice(at);
      const report = REPORT.exec(rest)?.[0] ?? '';
      const index = this.#sent.findIndex(({ kind }) => kind === report.at(-1));
      if (index >= 0) {
        this.#sent.splice(index, 1);
        rest = rest.slice(report.length);
      } else {
        out += rest.slice(0, 2);
        rest = rest.slice(2);
      }
    }
    return Buffer.from(out + rest, 'latin1');
  }

  #expire(): void {
    const now = this.#monotonic();
    this.#sent = this.#sent.filter(({ at }) => now - at < DUPLICATE_MS);
  }
}
