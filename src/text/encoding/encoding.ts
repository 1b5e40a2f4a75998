/**
 * Bytes as text in any encoding that browsers know. A line ends at the byte 0x0A in all of them but UTF-16, where it
 * ends at that code unit: that is the only difference which whoever counts lines has to know.
 */
import { Fault } from '../../base/fault.ts';
import { decodeWindows1252 } from './windows-1252.ts';

export interface Encoding {
  /** As the Encoding Standard names it: `utf-8`, `utf-16le`, `gb18030`, … */
  readonly name: string;
  /** Bytes of a code unit. */
  readonly unit: 1 | 2;
  /** Whole text; what cannot be decoded becomes U+FFFD. A byte order mark stays in it. */
  decode(bytes: Uint8Array): string;
  /** Whether all the bytes can be decoded. */
  fits(bytes: Uint8Array): boolean;
}

const made = new Map<string, Encoding>();

/** The encoding that a label names (`latin1`, `GBK`, `utf-16`); undefined when there is none. */
export function encodingNamed(label: string): Encoding | undefined {
  const name = standardName(label);
  if (name === undefined) return undefined;
  let encoding = made.get(name);
  if (encoding === undefined) made.set(name, (encoding = make(name)));
  return encoding;
}

/** The encoding that a caller asks for, or a fault that says which names there are. */
export function requireEncoding(label: string): Encoding {
  const encoding = encodingNamed(label);
  if (encoding !== undefined) return encoding;
  throw new Fault('READ_UNKNOWN_ENCODING', `there is no encoding ${JSON.stringify(label)}`, {
    hint: 'name one such as utf-8, utf-16le, utf-16be, windows-1250 to windows-1258, koi8-r, gb18030, shift_jis, euc-jp, euc-kr or big5, or leave it out',
    details: { encoding: label },
  });
}

function standardName(label: string): string | undefined {
  try {
    const name = new TextDecoder(label).encoding;
    return name === 'replacement' || name === 'x-user-defined' ? undefined : name;
  } catch {
    return undefined; // a RangeError is how the standard says that it has no such name
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
        return false; // a fatal decoder throws for nothing else
      }
    },
  };
}
