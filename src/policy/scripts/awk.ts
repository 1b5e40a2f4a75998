/**
 * Scripts of awk that only read their input and print. Not accepted: what starts a program (`system`, `|`), opens a file (`getline`,
 * `>`, `>>`, `ARGV`), shows variables (`ENVIRON`, `PROCINFO`), or loads code (`@`). A `/` that could begin a regular expression in one
 * awk and divide in another is not accepted either.
 */
import { Cursor } from './cursor.ts';
import { endOfExpression, hasAmbiguousBytes } from './regular-expression.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const FUNCTIONS = words(
  'length substr index split sub gsub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand gensub strftime systime strtonum',
);
/** A `/` after one of these begins a regular expression. */
const BEFORE_EXPRESSION = words('print printf return else do exit');
const KEYWORDS = words('BEGIN END if while for in break continue next nextfile delete function func');
/** These begin a condition in parentheses: what follows it is a statement. */
const CONDITIONS = words('if while for');
/** Names in capitals are reserved for awk, which gives some of them a meaning. */
const VARIABLES = words(
  'NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH CONVFMT OFMT IGNORECASE RT FPAT FIELDWIDTHS',
);
const NEVER = words('getline system close fflush switch case default namespace');

const BLANKS = /(?:[ \t]|\\\n)+/y;
const COMMENT = /#[^\n]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y;
const OPERATOR = /\+\+|--|&&|\|\||[-+*/%^!<>=]=|\*\*=?|!~|[-+*%^!<>=~?:,;$(){}[\]\n]/y;

/** Why a script is not accepted. */
export function awkProblem(script: string): string | undefined {
  if (/[\0\r]/.test(script)) return 'it has a control character';
  if (hasAmbiguousBytes(script)) return 'it means different things in different locales';
  return new AwkScript(script).problem();
}

/** What was read last, which decides what a `/` means. */
type Before = 'operand' | 'operator' | 'unclear';

class AwkScript {
  readonly #text: string;
  readonly #cursor: Cursor;
  readonly #defined = new Set<string>();
  readonly #called = new Set<string>();
  #definition = false;
  #before: Before = 'operator';
  /** For each open parenthesis: whether it is a condition. */
  readonly #open: { readonly bracket: string; readonly isCondition: boolean }[] = [];
  /** The number of open brackets where `print` began; undefined outside of it. */
  #print: number | undefined;
  #condition = false;

  constructor(text: string) {
    this.#text = text;
    this.#cursor = new Cursor(text);
  }

  problem(): string | undefined {
    while (!this.#cursor.isAtEnd()) {
      const problem = this.#token();
      if (problem !== undefined) return problem;
    }
    const unknown = [...this.#called].find((name) => !this.#defined.has(name));
    if (unknown !== undefined) return `the function ${unknown} is not accepted`;
    const open = this.#open.at(-1);
    return open === undefined ? undefined : `${open.bracket} has no end`;
  }

  #token(): string | undefined {
    if (this.#cursor.take(BLANKS) !== undefined) return undefined;
    const comment = this.#cursor.take(COMMENT);
    if (comment !== undefined) return comment.endsWith('\\') ? 'a comment ends with a backslash' : undefined;
    if (this.#cursor.take(STRING) !== undefined) {
      this.#before = 'operand';
      return undefined;
    }
    if (this.#cursor.take(NUMBER) !== undefined) {
      this.#before = 'operand';
      // gawk and mawk read `0xfgetline` as `0xf getline`.
      return /[\w.]/.test(this.#cursor.peek()) ? 'a number ends where a name begins' : undefined;
    }
    const name = this.#cursor.take(NAME);
    if (name !== undefined) return this.#name(name);
    if (this.#cursor.peek() === '/') return this.#slash();
    const operator = this.#cursor.take(OPERATOR);
    return operator === undefined ? `${JSON.stringify(this.#cursor.peek())} is not accepted` : this.#operator(operator);
  }

  #name(name: string): string | undefined {
    this.#condition = CONDITIONS.has(name);
    if (NEVER.has(name)) return `${name} is not accepted`;
    const isDefinition = this.#definition;
    this.#definition = name === 'function' || name === 'func';
    if (BEFORE_EXPRESSION.has(name)) {
      if (name.startsWith('print')) this.#print = this.#open.length;
      this.#before = 'operator';
      return undefined;
    }
    if (KEYWORDS.has(name)) {
      this.#before = 'unclear';
      return undefined;
    }
    const isCalled = /^[ \t]*\(/.test(this.#text.slice(this.#cursor.at, this.#cursor.at + 200));
    if (isDefinition) this.#defined.add(name);
    else if (isCalled && !FUNCTIONS.has(name)) this.#called.add(name);
    if (!isCalled && /^[A-Z][A-Z0-9_]+$/.test(name) && !VARIABLES.has(name))
      return `the variable ${name} is not accepted: name it in small letters`;
    // `length` needs no parentheses, and mawk reads a regular expression after it.
    this.#before = FUNCTIONS.has(name) ? 'unclear' : 'operand';
    return undefined;
  }

  #slash(): string | undefined {
    if (this.#before === 'unclear') return 'a "/" is here a division in one awk and a regular expression in another';
    if (this.#before === 'operand') {
      this.#cursor.shift();
      if (this.#cursor.peek() === '=') this.#cursor.shift();
      this.#before = 'operator';
      return undefined;
    }
    const end = endOfExpression(this.#text, this.#cursor.at + 1, '/');
    if (end === undefined) return 'a regular expression has no clear end';
    this.#cursor.at = end + 1;
    this.#before = 'operand';
    return undefined;
  }

  #operator(operator: string): string | undefined {
    const condition = this.#condition;
    this.#condition = false;
    switch (operator) {
      case '(':
      case '[':
      case '{':
        this.#open.push({ bracket: operator, isCondition: operator === '(' && condition });
        this.#before = 'operator';
        if (operator === '{') this.#print = undefined;
        return undefined;
      case ')':
      case ']':
      case '}':
        return this.#close(operator);
      case ';':
        this.#print = undefined;
        this.#before = 'operator';
        return undefined;
      case '>':
      case '>=':
        if (this.#print !== undefined && !this.#isInParentheses()) return `"${operator}" after print opens a file`;
        if (this.#cursor.peek() === '>') return '">>" opens a file';
        this.#before = 'operator';
        return undefined;
      case '++':
      case '--':
        this.#before = 'unclear';
        return undefined;
      default:
        this.#before = 'operator';
        return undefined;
    }
  }

  /** Between parentheses that were opened after `print`. */
  #isInParentheses(): boolean {
    return this.#open.slice(this.#print).some(({ bracket }) => bracket === '(');
  }

  #close(bracket: string): string | undefined {
    const opened = this.#open.pop();
    if (opened === undefined || !`${opened.bracket}${bracket}`.match(/^(?:\(\)|\[\]|\{\})$/))
      return `"${bracket}" closes nothing`;
    if (this.#print !== undefined && this.#open.length < this.#print) this.#print = undefined;
    this.#before = bracket === '}' ? 'operator' : opened.isCondition ? 'unclear' : 'operand';
    return undefined;
  }
}
