/**
 * Scripts of sed that only change the text that they print. All else is not accepted: `e` and the flag `e` start a program, `w`, `W`
 * and the flag `w` write a file, `r` and `R` read one, and `a`, `i`, `c` and labels end where dialects disagree.
 */
import { Cursor } from './cursor.ts';
import { endOfExpression, endWithoutBrackets, hasAmbiguousBytes } from './regular-expression.ts';

const COMMANDS = 'p d = n N h H g G x P D';
const PLAIN = new Set(COMMANDS.split(' '));
/** Characters that may stand around the parts of `s` and `y`. */
const DELIMITERS = new Set('/|,#@%!:;_~+=');
const DEEPEST_BLOCKS = 16;

const BLANKS = /[ \t]*/y;
const BETWEEN = /[ \t\n;]*/y;
const COMMENT = /#[^\n]*/y;
const LINE = /\d+(?:~\d+)?|\$/y;
const SECOND_LINE = /[+~]\d+|\d+|\$/y;
const FLAGS = /[gpiI\d]*/y;
const EXIT_STATUS = /[ \t]*\d{0,3}/y;

/** Why a script is not accepted. */
export function sedProblem(script: string): string | undefined {
  if (/[\0\r]/.test(script)) return 'it has a control character';
  if (hasAmbiguousBytes(script)) return 'it means different things in different locales';
  return new SedScript(script).problem();
}

class SedScript {
  readonly #text: string;
  readonly #cursor: Cursor;

  constructor(text: string) {
    this.#text = text;
    this.#cursor = new Cursor(text);
  }

  problem(): string | undefined {
    let depth = 0;
    for (;;) {
      this.#cursor.take(BETWEEN);
      if (this.#cursor.isAtEnd()) return depth === 0 ? undefined : 'a block has no end';
      if (this.#cursor.take(COMMENT) !== undefined) continue;
      if (this.#cursor.peek() === '}') {
        this.#cursor.shift();
        if (--depth < 0) return 'a block ends that did not begin';
        if (!this.#atEndOfCommand()) return `${this.#shown()} follows a block`;
        continue;
      }
      const wrong = this.#addresses();
      if (wrong !== undefined) return wrong;
      if (this.#cursor.peek() === '{') {
        this.#cursor.shift();
        if (++depth > DEEPEST_BLOCKS) return 'its blocks are nested too deeply';
        continue;
      }
      const problem = this.#command();
      if (problem !== undefined) return problem;
    }
  }

  #shown(): string {
    return this.#cursor.isAtEnd() ? 'the end of the script' : JSON.stringify(this.#cursor.peek());
  }

  #addresses(): string | undefined {
    if (this.#cursor.peek() === '/') {
      if (!this.#expressionAddress()) return 'a regular expression has no clear end';
    } else if (this.#cursor.take(LINE) === undefined) return undefined;
    this.#cursor.take(BLANKS);
    if (this.#cursor.peek() === ',') {
      this.#cursor.shift();
      this.#cursor.take(BLANKS);
      if (this.#cursor.peek() === '/') {
        if (!this.#expressionAddress()) return 'a regular expression has no clear end';
      } else if (this.#cursor.take(SECOND_LINE) === undefined) return `${this.#shown()} is not an address`;
    }
    this.#cursor.take(BLANKS);
    if (this.#cursor.peek() === '!') this.#cursor.shift();
    this.#cursor.take(BLANKS);
    return undefined;
  }

  #expressionAddress(): boolean {
    const end = endOfExpression(this.#text, this.#cursor.at + 1, '/');
    if (end === undefined) return false;
    this.#cursor.at = end + 1;
    if (this.#cursor.peek() === 'I') this.#cursor.shift();
    return true;
  }

  #command(): string | undefined {
    const name = this.#cursor.shift();
    if (name === 's') return this.#substitution();
    if (name === 'y') return this.#parts('y', endWithoutBrackets) ?? this.#end(name);
    if (name === 'q' || name === 'Q') {
      this.#cursor.take(EXIT_STATUS);
      return this.#end(name);
    }
    if (PLAIN.has(name)) return this.#end(name);
    return name === ''
      ? 'an address has no command'
      : `the command ${JSON.stringify(name)} is none of ${COMMANDS} q Q s y`;
  }

  #substitution(): string | undefined {
    const problem = this.#parts('s', endOfExpression);
    if (problem !== undefined) return problem;
    this.#cursor.take(FLAGS);
    return this.#end('s');
  }

  /** The two parts of `s` or `y`, each up to the delimiter. */
  #parts(name: string, endOfFirst: typeof endOfExpression): string | undefined {
    const delimiter = this.#cursor.shift();
    if (!DELIMITERS.has(delimiter)) return `${JSON.stringify(delimiter)} is not a known delimiter of ${name}`;
    const middle = endOfFirst(this.#text, this.#cursor.at, delimiter);
    const end = middle === undefined ? undefined : endWithoutBrackets(this.#text, middle + 1, delimiter);
    if (end === undefined) return `the parts of ${name} have no clear end`;
    this.#cursor.at = end + 1;
    return undefined;
  }

  #end(name: string): string | undefined {
    return this.#atEndOfCommand() ? undefined : `${this.#shown()} after ${name} is not accepted`;
  }

  #atEndOfCommand(): boolean {
    this.#cursor.take(BLANKS);
    return this.#cursor.isAtEnd() || /[;\n}#]/.test(this.#cursor.peek());
  }
}
