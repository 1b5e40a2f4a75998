/** Detects too deep nesting in the lexemes of a text, before the package builds a tree. */
import type { CST } from 'yaml';
import type { YamlLibrary } from './library.ts';
import { MAX_DEPTH } from './tree.ts';

/** Marks that the package inserts between the lexemes; they are not part of the text. */
const DOCUMENT = '\u0002';
const FLOW_END = '\u0018';
const SCALAR = '\u001F';

export class TooDeep extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super(`more than ${MAX_DEPTH} levels`);
    this.offset = offset;
  }
}

/** The tokens of the package's parser. Throws TooDeep at the first lexeme that exceeds `MAX_DEPTH`. */
export function* shallowTokens(text: string, { Lexer, Parser }: YamlLibrary): Generator<CST.Token> {
  const parser = new Parser();
  const nesting = new Nesting();
  for (const lexeme of new Lexer().lex(text)) {
    nesting.take(lexeme);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Counts brackets and consecutive dashes. Indentation is not counted: deep nesting by indentation needs a long text. */
class Nesting {
  #offset = 0;
  #brackets = 0;
  #dashes = 0;
  #isScalar = false;

  take(lexeme: string): void {
    if (lexeme === SCALAR) this.#isScalar = true;
    if (lexeme === DOCUMENT) this.#brackets = 0;
    if (lexeme === SCALAR || lexeme === DOCUMENT || lexeme === FLOW_END) return;
    if (this.#isScalar) this.#dashes = 0;
    else this.#count(lexeme);
    this.#isScalar = false;
    this.#offset += lexeme.length;
  }

  #count(lexeme: string): void {
    if (lexeme === '[' || lexeme === '{') this.#brackets++;
    else if (lexeme === ']' || lexeme === '}') this.#brackets--;
    if (lexeme === '-') this.#dashes++;
    else if (!/^[ \t]+$/u.test(lexeme)) this.#dashes = 0;
    if (this.#brackets > MAX_DEPTH || this.#dashes > MAX_DEPTH) throw new TooDeep(this.#offset);
  }
}
