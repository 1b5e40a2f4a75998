/** Characters that people and models confuse. */

const LOOKALIKES: readonly (readonly [plain: string, others: string])[] = [
  ["'", '\u2018\u2019\u201A\u201B\u2032\u00B4\u02BC\uFF07'],
  ['"', '\u201C\u201D\u201E\u201F\u2033\uFF02'],
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\uFE58\uFE63\uFF0D'],
  [' ', '\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000'],
  ['...', '\u2026'],
  // Joiners, direction marks, soft hyphens and byte order marks are invisible.
  ['', '\u00AD\u200B\u200C\u200D\u200E\u200F\u2060\uFEFF'],
];

const PLAIN: ReadonlyMap<number, string> = new Map(
  LOOKALIKES.flatMap(([plain, others]) => Array.from(others, (other) => [other.charCodeAt(0), plain] as const)),
);

const MARK = /^\p{M}$/u;

/** The plain form of a character beyond ASCII; undefined when it has no other form. */
export function plainForm(unit: number): string | undefined {
  // Models see a byte that is not UTF-8 as U+FFFD.
  if (unit >= 0xdc80 && unit <= 0xdcff) return '\uFFFD';
  return PLAIN.get(unit);
}

/** Whether a character may compose with those before it: an accent, or a later part of a Hangul syllable. */
export function isMark(unit: number): boolean {
  if (unit < 0x300) return false;
  return (unit >= 0x1160 && unit <= 0x11ff) || MARK.test(String.fromCharCode(unit));
}

/** Space, tab, or with `wide` any character that looks like a space. */
export function isBlank(unit: number, wide: boolean): boolean {
  return unit === 32 || unit === 9 || (wide && unit >= 0xa0 && PLAIN.get(unit) === ' ');
}
