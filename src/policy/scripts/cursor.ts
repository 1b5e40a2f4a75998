/** Reads a script from left to right. */
export class Cursor {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  /** The next character, or nothing at the end. */
  peek(): string {
    return this.#text[this.at] ?? '';
  }

  /** What the pattern, which must be sticky, matches here; undefined where it does not. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** The character, which is taken. */
  shift(): string {
    const char = this.peek();
    this.at += char.length;
    return char;
  }
}
