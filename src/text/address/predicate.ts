/** `[key op value]`. */
export interface Predicate {
  readonly key: string;
  readonly op: '=' | '!=' | '<' | '<=' | '>' | '>=';
  readonly value: string;
}

const OPERATORS = ['!=', '<=', '>=', '<', '>', '='] as const;

/** Parses the text between the brackets: a predicate, `malformed`, or undefined for a literal such as `[frontmatter]`. */
export function readPredicate(body: string): Predicate | 'malformed' | undefined {
  if (body === '') return 'malformed';
  let seen = false;
  for (let i = 0; i < body.length; i++) {
    const op = OPERATORS.find((candidate) => body.startsWith(candidate, i));
    if (op === undefined) continue;
    seen = true;
    const key = body.slice(0, i);
    const value = body.slice(i + op.length);
    if (key !== '' && value !== '') return { key, op, value };
    i += op.length - 1;
  }
  return seen ? 'malformed' : undefined;
}

export interface Comparable {
  readonly valueText: string;
  readonly leafType: string;
}

/** Call it only for leaves that exist: a missing leaf satisfies no predicate, not even `!=`. */
export function satisfies(leaf: Comparable, predicate: Predicate): boolean {
  const { op, value } = predicate;
  if (op === '=') return equal(leaf, value);
  if (op === '!=') return !equal(leaf, value);
  const order = compareNumbers(leaf.valueText, value);
  if (order === undefined) return false;
  if (op === '<') return order < 0;
  if (op === '<=') return order <= 0;
  if (op === '>') return order > 0;
  return order >= 0;
}

/** The same text, or, for a number, the same value in another spelling (`5` and `5.0`). */
function equal(leaf: Comparable, value: string): boolean {
  if (leaf.valueText === value) return true;
  return leaf.leafType === 'number' && compareNumbers(leaf.valueText, value) === 0;
}

/** Undefined unless both texts are finite numbers. Integers of any size are compared exactly. */
function compareNumbers(left: string, right: string): number | undefined {
  const a = finite(left);
  const b = finite(right);
  if (a === undefined || b === undefined) return undefined;
  if (a !== b || Number.isSafeInteger(a)) return a - b;
  const exactA = wholeNumber(left);
  const exactB = wholeNumber(right);
  if (exactA === undefined || exactB === undefined) return 0;
  return exactA < exactB ? -1 : Number(exactA > exactB);
}

function finite(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function wholeNumber(text: string): bigint | undefined {
  return /^\s*-?\d+\s*$/.test(text) ? BigInt(text) : undefined;
}
