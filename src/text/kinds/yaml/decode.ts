/** Decodes scalars of the subset that the scanner proves. */
import { DOUBLE, FOLDED, LITERAL, SINGLE } from './tree.ts';

export function decodeScalar(source: string, style: number): string {
  if (style === DOUBLE) return decodeDouble(source);
  if (style === SINGLE) return source.slice(1, -1).replaceAll("''", "'");
  if (style === LITERAL || style === FOLDED) return decodeBlock(source, style === FOLDED);
  return source;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
};

function decodeDouble(source: string): string {
  const body = source.slice(1, -1);
  if (!body.includes('\\')) return body;
  return body.replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gs, (all, x, u, long, letter) => {
    if (letter !== undefined) return ESCAPES[letter as string] ?? all;
    return String.fromCodePoint(Number.parseInt((x ?? u ?? long) as string, 16));
  });
}

/** A literal or folded scalar: header line, then lines with the indentation of the first. */
function decodeBlock(source: string, folded: boolean): string {
  const [header = '', ...raw] = source.split(/\r?\n/);
  const first = raw.find((line) => line.trim() !== '') ?? '';
  const indent = leadingBlanks(first);
  const lines = raw.map((line) => line.slice(indent));
  const chomp = header.charAt(1);
  let kept = lines.length;
  while (kept > 0 && lines[kept - 1] === '') kept--;
  const body = folded ? fold(lines.slice(0, kept)) : lines.slice(0, kept).join('\n');
  if (chomp === '-') return body;
  return body + (chomp === '+' ? '\n'.repeat(lines.length - kept + 1) : '\n');
}

/** Indentation is spaces only; a tab after it is text. */
function leadingBlanks(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 32) at++;
  return at;
}

function fold(lines: readonly string[]): string {
  let out = '';
  let blanks = 0;
  let before: 'none' | 'flush' | 'deeper' = 'none';
  for (const line of lines) {
    if (line === '') {
      blanks++;
      continue;
    }
    const deeper = line.startsWith(' ') || line.startsWith('\t');
    if (before === 'none') out += '\n'.repeat(blanks);
    else if (deeper || before === 'deeper') out += '\n'.repeat(blanks + 1);
    else out += blanks === 0 ? ' ' : '\n'.repeat(blanks);
    out += line;
    before = deeper ? 'deeper' : 'flush';
    blanks = 0;
  }
  return out;
}
