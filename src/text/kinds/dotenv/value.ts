/** A value and the way it is written. */
import type { Eol } from '../../lines/eol.ts';
import type { Quote } from './scan.ts';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** What a value means, given as it is written. A line ending inside of quotes is a newline. */
export function decodeValue(written: string, quote: Quote): string {
  if (quote === '') return written;
  const inner = written.slice(1, -1).replaceAll('\r\n', '\n');
  if (quote !== '"') return inner;
  return inner.replace(/\\([\s\S])/gu, (whole, character: string) => ESCAPES[character] ?? whole);
}

/** How the value that is replaced was written. */
export interface Style {
  readonly quote: Quote;
  /** It went over several lines. */
  readonly isMultiline: boolean;
  readonly eol: Eol;
}

/** Without quotes in every loader and in a shell: no blank, no quote, no backslash, no `#`. */
const PLAIN = /^[^\s"'`#\\]*$/u;
const NEEDS_ESCAPE = /["\\\r]/u;

/**
 * A value as it is written in a style, or in the nearest one that all loaders read alike: escaped quotes and backslashes
 * are avoided, because some loaders keep the backslash.
 */
export function encodeValue(value: string, { quote, isMultiline, eol }: Style): string {
  const oneLine = !/[\r\n]/u.test(value);
  const literal = (mark: string): boolean =>
    !value.includes(mark) && !value.endsWith('\\') && (oneLine || (isMultiline && !value.includes('\r')));
  const raw = (mark: string): string => mark + value.replaceAll('\n', eol) + mark;
  if (quote === '' && PLAIN.test(value)) return value;
  if ((quote === "'" || quote === '`') && literal(quote)) return raw(quote);
  if (!NEEDS_ESCAPE.test(value)) return isMultiline ? raw('"') : `"${value.replaceAll('\n', '\\n')}"`;
  if (oneLine && literal("'")) return raw("'");
  const escaped = value.replace(/["\\]/gu, String.raw`\$&`).replaceAll('\r', String.raw`\r`);
  return `"${isMultiline ? escaped.replaceAll('\n', eol) : escaped.replaceAll('\n', String.raw`\n`)}"`;
}
