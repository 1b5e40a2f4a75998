/** How lines are compared, from strict to lenient. Folding is only for finding; the found lines keep their bytes. */

export type FuzzLevel = 0 | 1 | 2 | 3 | 4;

/** In the order of tries. */
export const LEVELS: readonly FuzzLevel[] = [0, 1, 2, 3, 4];

/** The names of levels in results. */
export const LEVEL_NAMES = ['exact', 'trailing-blanks', 'indentation', 'punctuation', 'unicode'] as const;

const NOT_ASCII = /[^\0-\x7F]/u;
const DASHES = /[\u2010-\u2015\u2212]/gu;
const SINGLE_QUOTES = /[\u2018-\u201B]/gu;
const DOUBLE_QUOTES = /[\u201C-\u201F]/gu;
const BLANKS = /[\u00A0\u2002-\u200A\u202F\u205F\u3000]/gu;
const INVISIBLE = /\u200B|\u200C|\u200D|\uFEFF/gu;

const OTHER_BLANKS = [
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029,
  0x202f, 0x205f, 0x3000,
];

export function foldLine(line: string, level: FuzzLevel): string {
  switch (level) {
    case 0:
      return line;
    case 1:
      return line.trimEnd();
    case 2:
      return line.trim();
    case 3:
      return NOT_ASCII.test(line) ? foldPunctuation(line).trim() : line.trim();
    case 4:
      if (!NOT_ASCII.test(line)) return line.trim();
      return foldPunctuation(line.normalize('NFC').replace(INVISIBLE, '').replaceAll('…', '...')).trim();
  }
}

export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** Whether `trim` removes this unit. */
export function isBlank(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0xa0) return false;
  return unit === 0xa0 || unit === 0xfeff || (unit >= 0x1680 && OTHER_BLANKS.includes(unit));
}

function foldPunctuation(line: string): string {
  return line.replace(DASHES, '-').replace(SINGLE_QUOTES, "'").replace(DOUBLE_QUOTES, '"').replace(BLANKS, ' ');
}
