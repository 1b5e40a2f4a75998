import { decodeScalar } from './decode.ts';
import { plainType } from './plain-scalar.ts';
import { DOUBLE, FOLDED, LITERAL, SINGLE } from './tree.ts';

/** The first line of a scalar, and for block styles its other lines without indentation. */
export interface StyledText {
  readonly head: string;
  readonly lines: readonly string[];
}

interface StyleContext {
  readonly inFlow: boolean;
  /** A plain scalar may look like a number, boolean or null. */
  readonly anyType: boolean;
  /** The indentation of a block scalar's lines below their parent. */
  readonly step: number;
  /** Escape line breaks, as in flow context. */
  readonly oneLine?: boolean;
}

/** Characters that must be escaped. The units for bytes of invalid UTF-8 are not among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const ESCAPED = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g;
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};

/** True if the text as a plain scalar parses back to the same string. */
function isPlain(text: string, context: Pick<StyleContext, 'inFlow' | 'anyType'>): boolean {
  if (text === '' || UNPRINTABLE.test(text) || /[\t\n]/.test(text)) return false;
  if (/^[\s,[\]{}#&*!|>'"%@`?:]|^-(?:\s|$)|^(?:---|\.\.\.)|\s$|:$/.test(text)) return false;
  if (text.includes(': ') || text.includes(' #')) return false;
  if (context.inFlow && (/[,[\]{}]/.test(text) || text === '-')) return false;
  return context.anyType || plainType(text) === 'string';
}

export function doubleQuoted(text: string): string {
  const body = text.replace(ESCAPED, (unit) => {
    const short = SHORT[unit];
    return short ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${body}"`;
}

/** Possible for one line of printable text. */
function singleQuoted(text: string): string | undefined {
  return UNPRINTABLE.test(text) || text.includes('\n') ? undefined : `'${text.replaceAll("'", "''")}'`;
}

/** Double quotes, or single quotes if double ones need escapes. */
function quoted(text: string): string {
  return (/["\\]/.test(text) ? singleQuoted(text) : undefined) ?? doubleQuoted(text);
}

/** A literal or folded block scalar; undefined if it would not parse back to the text. */
function blockText(text: string, style: typeof LITERAL | typeof FOLDED, step: number): StyledText | undefined {
  if (UNPRINTABLE.test(text) || text.trim() === '') return undefined;
  const trailing = /\n*$/.exec(text)?.[0].length ?? 0;
  const body = text.slice(0, text.length - trailing);
  const chomp = trailing === 0 ? '-' : trailing === 1 ? '' : '+';
  const blank = Array.from({ length: Math.max(0, trailing - 1) }, () => '');
  const lines = [...(style === FOLDED ? unfold(body) : body.split('\n')), ...blank];
  const indented = lines.find((line) => line !== '')?.startsWith(' ') === true;
  if (lines.some((line) => line !== '' && line.trim() === '')) return undefined;
  const sign = style === LITERAL ? '|' : '>';
  if (
    !indented &&
    decodeScalar([sign + chomp, ...lines.map((line) => line && ` ${line}`)].join('\n'), style) !== text
  ) {
    return undefined;
  }
  return { head: sign + (indented ? String(step) : '') + chomp, lines };
}

/** Lines that fold back to the text: a line break between two unindented lines needs an extra one. */
function unfold(text: string): string[] {
  const lines: string[] = [];
  let before = '';
  for (const line of text.split('\n')) {
    const flush = (one: string) => one !== '' && !/^[ \t]/.test(one);
    if (flush(line) && flush(before)) lines.push('');
    lines.push(line);
    if (line !== '') before = line;
  }
  return lines;
}

/** The candidates for a string, best first: the current style, then the most similar style that fits the text. */
export function styledStrings(text: string, style: number, context: StyleContext): StyledText[] {
  const found: StyledText[] = [];
  const add = (head: string | undefined) => head !== undefined && found.push({ head, lines: [] });
  const addBlock = (as: typeof LITERAL | typeof FOLDED) => {
    const block = context.inFlow || context.oneLine ? undefined : blockText(text, as, context.step);
    if (block) found.push(block);
  };
  if (style === FOLDED) addBlock(FOLDED);
  if (style === FOLDED || style === LITERAL) addBlock(LITERAL);
  else if (style === SINGLE) add(singleQuoted(text));
  else if (style === DOUBLE) add(doubleQuoted(text));
  else if (isPlain(text, context)) add(text);
  if (style !== DOUBLE && text.includes('\n') && !text.startsWith(' ')) addBlock(LITERAL);
  add(quoted(text));
  add(doubleQuoted(text));
  return found;
}
