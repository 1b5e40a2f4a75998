/**
 * Decodes text in any encoding of the Encoding Standard. A line ends at the byte 0x0A in all of them except UTF-16, where it
 * ends at that code unit. Code that counts lines needs to know only this difference.
 */
import { Fault } from '../../base/fault.ts';
import { decodeWindows1252 } from './windows-1252.ts';

export interface Encoding {
  /** The name in the Encoding Standard: `utf-8`, `utf-16le`, `gb18030`, … */
  readonly name: string;
  /** Bytes per code unit. */
  readonly unit: 1 | 2;
  /** Invalid bytes become U+FFFD. A byte order mark stays in the text. */
  decode(bytes: Uint8Array): string;
  fits(bytes: Uint8Array): boolean;
}

const cache = new Map<string, Encoding>();

/** By label, such as `latin1`, `GBK` or `utf-16`. */
export function encodingNamed(label: string): Encoding | undefined {
  const name = standardName(label);
  if (name === undefined) return undefined;
  let encoding = cache.get(name);
  if (encoding === undefined) cache.set(name, (encoding = make(name)));
  return encoding;
}

/** Throws READ_UNKNOWN_ENCODING. */
export function requireEncoding(label: string): Encoding {
  const encoding = encodingNamed(label);
  if (encoding !== undefined) return encoding;
  throw new Fault('READ_UNKNOWN_ENCODING', `unknown encoding ${JSON.stringify(label)}`, {
    hint: 'use utf-8, utf-16le, utf-16be, windows-1250 to windows-1258, koi8-r, gb18030, shift_jis, euc-jp, euc-kr or big5, or omit it to detect the encoding',
    details: { encoding: label },
  });
}

function standardName(label: string): string | undefined {
  try {
    const name = new TextDecoder(label).encoding;
    return name === 'replacement' || name === 'x-user-defined' ? undefined : name;
  } catch {
    return undefined; // a RangeError means that there is no such label
  }
}

function make(name: string): Encoding {
  if (name === 'windows-1252') return { name, unit: 1, decode: decodeWindows1252, fits: () => true };
  const lenient = new TextDecoder(name, { ignoreBOM: true });
  const strict = new TextDecoder(name, { ignoreBOM: true, fatal: true });
  return {
    name,
    unit: name.startsWith('utf-16') ? 2 : 1,
    decode: (bytes) => lenient.decode(bytes),
    fits: (bytes) => {
      try {
        strict.decode(bytes);
        return true;
      } catch {
        return false; // a fatal decoder throws only for invalid bytes
      }
    },
  };
}
