/**
 * In single-byte encodings every byte is a valid character, so only the decoded text shows whether a guess is right. A few
 * words are enough, because wrong guesses have what no real text has: letters of several languages together, capitals after
 * lower-case letters, two scripts in a word, symbols between letters.
 */
import { ALPHABETS, type Alphabet } from './alphabets.ts';
import { type Encoding, encodingNamed } from './encoding.ts';

export interface SingleByteGuess {
  readonly encoding: Encoding;
  /** About 1 for plausible text, below 0 for impossible text. */
  readonly score: number;
  /** The next best guess decodes to other text and scores almost as well. */
  readonly unsure: boolean;
}

/** The required lead over the next best guess; twice that where only few characters suggest that it is not Western. */
const CLEARLY = 0.12;
/** Fewer characters beyond ASCII prove little. */
const FEW = 3;
/** The penalty for each step to a rarer encoding, and for not being Western. */
const RARER = 0.04;
const NOT_WESTERN = 0.06;

/** Statistics of shorter texts have less weight. */
const LONG_ENOUGH = 24;

/** The statistical confidence in an encoding, from 0 to 1. */
export type Support = (encoding: string) => number;

/** For bytes that are not UTF-8; tries all scripts or only Latin letters. */
export function guessSingleByte(
  bytes: Uint8Array,
  scripts: 'all' | 'latin',
  support: Support,
): SingleByteGuess | undefined {
  const weight = 0.5 * Math.min(1, bytes.length / LONG_ENOUGH);
  const guesses = ALPHABETS.filter(({ script }) => scripts === 'all' || script === 'latin').flatMap((alphabet, at) =>
    alphabet.encodings.flatMap((name, rank) => {
      const encoding = encodingNamed(name);
      if (encoding === undefined) return [];
      const text = encoding.decode(bytes);
      const score =
        scoreOf(text, alphabet) - (at + rank) * RARER - (at === 0 ? 0 : NOT_WESTERN) + support(encoding.name) * weight;
      return [{ encoding, text, score }];
    }),
  );
  const [best, ...others] = guesses.toSorted((a, b) => b.score - a.score);
  if (best === undefined) return undefined;
  const rival = others.find(({ text }) => text !== best.text);
  const isBold = best.encoding.name !== 'windows-1252' && countBeyondAscii(best.text) < FEW;
  const clearly = isBold ? CLEARLY * 2 : CLEARLY;
  const hasRival = rival !== undefined && best.score - rival.score < clearly;
  return { encoding: best.encoding, score: best.score, unsure: hasRival || best.score < SENSIBLE };
}

/** A lower score is hardly text. */
const SENSIBLE = 0.5;

function countBeyondAscii(text: string): number {
  return text.match(/[\u0080-\uffff]/gu)?.length ?? 0;
}

/** The best score of the alphabet's languages: a text is in one of them, not in several. */
function scoreOf(text: string, alphabet: Alphabet): number {
  const best = Math.max(...alphabet.languages.map((letters) => scoreIn(text, letters, alphabet)));
  return alphabet.script === 'own' && countBeyondAscii(text) < FEW ? best - FEW_OF_A_SCRIPT : best;
}

/** Texts in another script rarely have so few characters of it. */
const FEW_OF_A_SCRIPT = 0.5;

function scoreIn(text: string, letters: string, alphabet: Alphabet): number {
  let count = 0;
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char <= '\x7f') continue;
    count++;
    const isSign = USUAL_SIGN.test(char) || !IS_LETTER.test(char);
    sum += isSign ? signScore(text, at) : letterScore(text, at, letters, alphabet);
  }
  return count === 0 ? 0 : sum / count;
}

const IS_LETTER = /^\p{L}$/u;
const IS_ASCII_LETTER = /^[a-z]$/iu;
const IS_CAPITAL = /^\p{Lu}$/u;
const IS_VOWEL = /^[aeiouyæøœı]$/u;
const IS_GRAVE = /^[àèìòùâêîôû]$/u;
/** Common symbols; other symbols of these encodings are rare. */
const USUAL_SIGN = /^[\u00a0«»„“”‘’‚–—…•€£©®°§№±µ²³½¼·×ºª¿¡™´]$/u;
const IMPOSSIBLE = -1;

/** Symbols occur next to words, not inside them. */
function signScore(text: string, at: number): number {
  const sign = text[at]!;
  if (!USUAL_SIGN.test(sign)) return -0.7;
  const isInside = IS_LETTER.test(text[at - 1] ?? ' ') && IS_LETTER.test(text[at + 1] ?? ' ');
  return isInside && sign !== '’' && sign !== '·' ? -0.7 : 0.7;
}

function letterScore(text: string, at: number, letters: string, alphabet: Alphabet): number {
  const char = text[at]!;
  const before = text[at - 1] ?? ' ';
  const after = text[at + 1] ?? ' ';
  // The capital of Turkish `i` is not ASCII, though the lower-case letter is.
  const rank = char === 'İ' && letters.includes('ı') ? 0 : letters.indexOf(char.toLowerCase());
  if (IS_CAPITAL.test(char) && IS_LETTER.test(before) && !IS_CAPITAL.test(before)) return IMPOSSIBLE;
  if (IS_LETTER.test(after) ? alphabet.last?.includes(char) : alphabet.neverLast?.includes(char)) return IMPOSSIBLE;
  if (alphabet.script === 'latin') return latinScore({ char, before, after }, rank / letters.length, alphabet);
  if (rank < 0 || IS_ASCII_LETTER.test(before) || IS_ASCII_LETTER.test(after)) return IMPOSSIBLE;
  const rarity = rank / letters.length;
  const common = rarity > MOST_USUAL ? 0.1 : 1.35 - rarity;
  // A word in capitals is rarer than one in lower case.
  const isAmongCapitals = IS_CAPITAL.test(char) && (IS_CAPITAL.test(before) || IS_CAPITAL.test(after));
  return isAmongCapitals ? common * 0.6 : common;
}

/** Letters after this share of the alphabet are too rare to prove anything. */
const MOST_USUAL = 0.7;

interface Spot {
  readonly char: string;
  readonly before: string;
  readonly after: string;
}

function latinScore({ char, before, after }: Spot, rarity: number, { languages }: Alphabet): number {
  const small = char.toLowerCase();
  // Names and words of other languages occur too, but only of languages with the same encoding.
  if (rarity < 0) return languages.some((letters) => letters.includes(small)) ? -0.4 : IMPOSSIBLE;
  const score = 1 - 0.3 * rarity;
  if (!IS_LETTER.test(before) && !IS_LETTER.test(after)) return score * 0.7;
  return isOddlyPlaced({ char: small, before, after }) ? score - 0.3 : score;
}

/** A consonant between consonants, or an accented vowel after a vowel: hardly pronounceable. */
function isOddlyPlaced({ char, before, after }: Spot): boolean {
  if (!IS_LETTER.test(before) || !IS_LETTER.test(after)) return false;
  const isVowel = IS_VOWEL.test(baseOf(char));
  if (isVowel) return IS_GRAVE.test(char) && IS_VOWEL.test(baseOf(before));
  return !IS_VOWEL.test(baseOf(before)) && !IS_VOWEL.test(baseOf(after));
}

function baseOf(letter: string): string {
  return letter.toLowerCase().normalize('NFD')[0] ?? letter;
}
