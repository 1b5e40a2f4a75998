/** Detects the encoding of a file from a bounded sample of its bytes. */
import { characterBoundary } from './boundary.ts';
import { type Encoding, requireEncoding, encodingNamed } from './encoding.ts';
import { survey } from './survey.ts';

export interface Detected {
  /** Undefined for binary content. */
  readonly encoding: Encoding | undefined;
  /** The length of the byte order mark in bytes. */
  readonly bom: number;
  /** The sample is ASCII, so it does not determine the encoding of the rest. */
  readonly onlyAscii: boolean;
  /** Another encoding fits about as well. */
  readonly unsure?: true;
}

export interface DetectOptions {
  /** The sample is the whole file. */
  readonly complete: boolean;
  /** Called before an encoding is guessed: bytes that begin like a known binary format are not text. */
  readonly isKnownBinary?: () => Promise<boolean>;
}

/** A larger share of control characters means binary content. */
const MOST_CONTROLS = 0.1;
/** UTF-8 with this share of invalid sequences is still UTF-8. */
const MOST_DAMAGE = 0.1;

/** A larger share of invalid bytes means binary content. */
const MOST_STRAYS = 0.3;

export async function detectEncoding(sample: Uint8Array, options: DetectOptions): Promise<Detected> {
  const marked = byMark(sample);
  if (marked !== undefined) return { ...marked, onlyAscii: false };
  const plain = plainUtf8(sample, options.complete);
  if (plain !== undefined) return plain;
  const seen = survey(sample, options.complete);
  const found = (encoding: Encoding | undefined): Detected => ({ encoding, bom: 0, onlyAscii: seen.high === 0 });
  if (seen.nuls > 0) return found(guessUtf16(sample, options.complete));
  if (seen.controls > sample.length * MOST_CONTROLS) return found(undefined);
  const damaged = seen.strays > seen.sequences * MOST_DAMAGE;
  if (!damaged) return found(encodingNamed('utf-8'));
  if ((await options.isKnownBinary?.()) === true) return found(undefined);
  const { guessLegacy } = await import('./legacy.ts');
  const legacy = await guessLegacy(sample, options.complete);
  if (legacy !== undefined) return { ...found(legacy.encoding), ...(legacy.unsure ? { unsure: true } : {}) };
  return found(seen.strays > sample.length * MOST_STRAYS ? undefined : encodingNamed('utf-8'));
}

/** A fast check with the platform's decoder: most files are UTF-8 without unusual control characters. */
function plainUtf8(sample: Uint8Array, complete: boolean): Detected | undefined {
  const utf8 = requireEncoding('utf-8');
  const whole = complete ? sample : sample.subarray(0, characterBoundary(utf8, sample, Math.max(0, sample.length - 4)));
  if (sample.includes(0) || !utf8.fits(whole)) return undefined;
  const text = utf8.decode(whole);
  return STRANGE.test(text) ? undefined : { encoding: utf8, bom: 0, onlyAscii: text.length === whole.length };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const STRANGE = /[\x01-\x06\x10-\x1a\x1c-\x1f]/u;

/** UTF-32 has a byte order mark too, but is not supported. */
export function byMark(
  bytes: Uint8Array,
): { readonly encoding: Encoding | undefined; readonly bom: number } | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: encodingNamed('utf-8'), bom: 3 };
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return { encoding: undefined, bom: 4 };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: undefined, bom: 4 };
  if (a === 0xff && b === 0xfe) return { encoding: encodingNamed('utf-16le'), bom: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: encodingNamed('utf-16be'), bom: 2 };
  return undefined;
}

const ENOUGH = 0.95;
/** Letters of common scripts, punctuation and white space. */
const SENSIBLE =
  /[\t\n\r\x20-\x7e\u00a0-\u024f\u0370-\u05ff\u0600-\u06ff\p{Script=Devanagari}\p{Script=Thai}\u2010-\u2027\u20a0-\u20bf\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]/gu;
const ASCII = /[\t\n\r\x20-\x7e]/gu;

/** UTF-16 without a byte order mark: the byte order that results in plausible text. Some ASCII is required: all texts have spaces or newlines. */
function guessUtf16(sample: Uint8Array, complete: boolean): Encoding | undefined {
  if (complete && sample.length % 2 === 1) return undefined;
  const even = sample.subarray(0, sample.length - (sample.length % 2));
  let best: Encoding | undefined;
  let most = 0;
  for (const name of ['utf-16le', 'utf-16be']) {
    const encoding = encodingNamed(name);
    if (encoding === undefined) continue;
    const text = encoding.decode(even);
    const ascii = countOf(ASCII, text);
    if (ascii > most && countOf(SENSIBLE, text) >= ENOUGH * text.length) {
      best = encoding;
      most = ascii;
    }
  }
  return best;
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}
