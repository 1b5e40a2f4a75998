/**
 * In single-byte encodings every byte is some character, so that nothing but the text it makes tells whether a reading
 * is right. A few words are enough when one looks at what no text does: letters of several languages side by side,
 * capitals behind small letters, two scripts in a word, signs between letters.
 */
import { ALPHABETS, type Alphabet } from './alphabets.ts';
import { type Encoding, encodingNamed } from './encoding.ts';

/** A reading of the bytes, and how much it looks like text: about 1 when it does, below 0 when it cannot be. */
export interface SingleByteGuess {
  readonly encoding: Encoding;
  readonly score: number;
  /** The next best reading gives other text and is hardly worse. */
  readonly unsure: boolean;
}

/** So much better than the next a reading has to be; twice that where few characters say it is not Western. */
const CLEARLY = 0.12;
/** Fewer characters beyond ASCII than these prove little. */
const FEW = 3;
/** What a reading loses for being of the next rarer kind, and for not being Western at all. */
const RARER = 0.04;
const NOT_WESTERN = 0.06;

/** Statistics of shorter texts count less. */
const LONG_ENOUGH = 24;

/** How much the statistics of a package speak for an encoding: 0 to 1. */
export type Support = (encoding: string) => number;

/** The best reading of bytes that are no UTF-8, of all scripts or only of Latin letters. */
export function guessSingleByte(bytes: Uint8Array, scripts: 'all' | 'latin', support: Support): SingleByteGuess | undefined {
  const weight = 0.5 * Math.min(1, bytes.length / LONG_ENOUGH);
  const readings = ALPHABETS.filter(({ script }) => scripts === 'all' || script === 'latin').flatMap((alphabet, at) =>
    alphabet.encodings.flatMap((name, rank) => {
      const encoding = encodingNamed(name);
      if (encoding === undefined) return [];
      const text = encoding.decode(bytes);
      const score =
        scoreOf(text, alphabet) - (at + rank) * RARER - (at === 0 ? 0 : NOT_WESTERN) + support(encoding.name) * weight;
      return [{ encoding, text, score }];
    }),
  );
  const [best, ...others] = readings.toSorted((a, b) => b.score - a.score);
  if (best === undefined) return undefined;
  const rival = others.find(({ text }) => text !== best.text);
  const isBold = best.encoding.name !== 'windows-1252' && countBeyondAscii(best.text) < FEW;
  const clearly = isBold ? CLEARLY * 2 : CLEARLY;
  const hasRival = rival !== undefined && best.score - rival.score < clearly;
  return { encoding: best.encoding, score: best.score, unsure: hasRival || best.score < SENSIBLE };
}

/** Below this a reading is hardly text. */
const SENSIBLE = 0.5;

function countBeyondAscii(text: string): number {
  return text.match(/[\u0080-\uffff]/gu)?.length ?? 0;
}

/** The best of the alphabet's languages: a text is in one of them, not in several. */
function scoreOf(text: string, alphabet: Alphabet): number {
  const best = Math.max(...alphabet.languages.map((letters) => scoreIn(text, letters, alphabet)));
  return alphabet.script === 'own' && countBeyondAscii(text) < FEW ? best - FEW_OF_A_SCRIPT : best;
}

/** Words of another script are rarely so short that there is nothing else. */
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
/** What stands in texts beside letters; other signs of these encodings are rare. */
const USUAL_SIGN = /^[\u00a0«»„“”‘’‚–—…•€£©®°§№±µ²³½¼·×ºª¿¡™´]$/u;
const IMPOSSIBLE = -1;

/** Signs stand beside words, not inside of them. */
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
  // The capital of Turkish `i` is no ASCII, though the small letter is.
  const rank = char === 'İ' && letters.includes('ı') ? 0 : letters.indexOf(char.toLowerCase());
  if (IS_CAPITAL.test(char) && IS_LETTER.test(before) && !IS_CAPITAL.test(before)) return IMPOSSIBLE;
  if (IS_LETTER.test(after) ? alphabet.last?.includes(char) : alphabet.neverLast?.includes(char)) return IMPOSSIBLE;
  if (alphabet.script === 'latin') return latinScore({ char, before, after }, rank / letters.length, alphabet);
  if (rank < 0 || IS_ASCII_LETTER.test(before) || IS_ASCII_LETTER.test(after)) return IMPOSSIBLE;
  const rarity = rank / letters.length;
  const common = rarity > MOST_USUAL ? 0.1 : 1.35 - rarity;
  // A word of capitals is rarer than one of small letters.
  const isAmongCapitals = IS_CAPITAL.test(char) && (IS_CAPITAL.test(before) || IS_CAPITAL.test(after));
  return isAmongCapitals ? common * 0.6 : common;
}

/** The last letters of an alphabet are so rare that they prove nothing. */
const MOST_USUAL = 0.7;

interface Spot {
  readonly char: string;
  readonly before: string;
  readonly after: string;
}

function latinScore({ char, before, after }: Spot, rarity: number, { languages }: Alphabet): number {
  const small = char.toLowerCase();
  // Names and words of other languages are met, too, but of those that share an encoding.
  if (rarity < 0) return languages.some((letters) => letters.includes(small)) ? -0.4 : IMPOSSIBLE;
  const score = 1 - 0.3 * rarity;
  if (!IS_LETTER.test(before) && !IS_LETTER.test(after)) return score * 0.7;
  return isOddlyPlaced({ char: small, before, after }) ? score - 0.3 : score;
}

/** A consonant between consonants, or a vowel of these kinds behind another: hardly a word can be said so. */
function isOddlyPlaced({ char, before, after }: Spot): boolean {
  if (!IS_LETTER.test(before) || !IS_LETTER.test(after)) return false;
  const isVowel = IS_VOWEL.test(baseOf(char));
  if (isVowel) return IS_GRAVE.test(char) && IS_VOWEL.test(baseOf(before));
  return !IS_VOWEL.test(baseOf(before)) && !IS_VOWEL.test(baseOf(after));
}

function baseOf(letter: string): string {
  return letter.toLowerCase().normalize('NFD')[0] ?? letter;
}
