/** UTF-16 without a byte order mark: recognised by how sensible the text is that it gives. */
import { type Encoding, encodingNamed } from './encoding.ts';

const ENOUGH = 0.95;
/** Letters of living scripts, punctuation, white space: what stands in texts. */
const SENSIBLE =
  /[\t\n\r\x20-\x7e\u00a0-\u024f\u0370-\u05ff\u0600-\u06ff\p{Script=Devanagari}\p{Script=Thai}\u2010-\u2027\u20a0-\u20bf\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]/gu;
const ASCII = /[\t\n\r\x20-\x7e]/gu;

/** Which of the two byte orders gives text, if any. At least some characters have to be ASCII: all texts have spaces or newlines. */
export function guessUtf16(sample: Uint8Array, complete: boolean): Encoding | undefined {
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
