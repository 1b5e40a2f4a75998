/**
 * Encodes key names of tmux as the bytes that a terminal sends. A name is a key with prefixes:
 *   name = { 'C-' | 'M-' | 'S-' } key  |  '^' character
 */
import { Fault } from '../../../base/fault.ts';
import { type Key, KEY_NAMES, KEYS } from './key-table.ts';

export interface KeyModes {
  /** Whether cursor keys send ESC O instead of ESC [. */
  readonly applicationCursor: boolean;
  /** What Enter sends: CR to a terminal, LF to a pipe. */
  readonly enter: '\r' | '\n';
}

interface Modifiers {
  readonly shift: boolean;
  readonly alt: boolean;
  readonly control: boolean;
}

const ESC = '\u001b';
const DEL = '\u007f';

/** The bytes of literal text, then of hexadecimal bytes, then of named keys. Throws if one of them is unknown. */
export function encodeKeys(
  input: { readonly literal?: string; readonly hex?: readonly string[]; readonly keys?: readonly string[] },
  modes: KeyModes,
): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from(input.literal ?? '', 'utf8')];
  for (const token of input.hex ?? []) {
    const digits = /^(?:0x)?([0-9a-f]{1,2})$/iu.exec(token.trim())?.[1];
    if (digits === undefined) throw notByte(token);
    parts.push(Uint8Array.of(Number.parseInt(digits, 16)));
  }
  for (const name of input.keys ?? []) {
    parts.push(Buffer.from(encodeKey(name, modes), 'utf8'));
  }
  return Buffer.concat(parts);
}

function encodeKey(name: string, modes: KeyModes): string {
  if (/^\^.$/su.test(name)) return control(name.slice(1), name);
  let key = name;
  let modifiers: Modifiers = { shift: false, alt: false, control: false };
  for (let prefix = /^([cms])-(?=.)/isu.exec(key); prefix !== null; prefix = /^([cms])-(?=.)/isu.exec(key)) {
    const letter = prefix[1]!.toLowerCase();
    modifiers = {
      shift: modifiers.shift || letter === 's',
      alt: modifiers.alt || letter === 'm',
      control: modifiers.control || letter === 'c',
    };
    key = key.slice(2);
  }
  const known = KEYS.get(key.toLowerCase());
  if (known !== undefined) return named(known, modifiers, modes);
  if ([...key].length !== 1) throw unknownKey(name);
  const shifted = modifiers.shift && /^[a-z]$/u.test(key) ? key.toUpperCase() : key;
  const inner = modifiers.control ? control(shifted, name) : shifted;
  return modifiers.alt ? ESC + inner : inner;
}

/** The control character of a key: `@` to `_` and the letters; `?` is DEL, and space is NUL as on keyboards. */
function control(character: string, name: string): string {
  if (character === '?') return DEL;
  if (character === ' ') return '\0';
  const code = character.toUpperCase().codePointAt(0)!;
  if (code < 64 || code > 95) throw unknownKey(name);
  return String.fromCharCode(code & 31);
}

function named(key: Key, { shift, alt, control: ctrl }: Modifiers, modes: KeyModes): string {
  const parameter = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  switch (key.kind) {
    case 'letter':
      if (parameter > 1) return `${ESC}[1;${parameter}${key.letter}`;
      return key.function || modes.applicationCursor ? `${ESC}O${key.letter}` : `${ESC}[${key.letter}`;
    case 'number':
      return parameter > 1 ? `${ESC}[${key.number};${parameter}~` : `${ESC}[${key.number}~`;
    case 'keypad':
      return (alt ? ESC : '') + `${ESC}O${key.letter}`;
    case 'text': {
      if (key.text === '\t' && shift) return (alt ? ESC : '') + `${ESC}[Z`;
      const text = key.text === '\r' ? modes.enter : key.text === ' ' && ctrl ? '\0' : key.text;
      return (alt ? ESC : '') + text;
    }
  }
}

function unknownKey(name: string): Fault {
  return new Fault('PARAM_INVALID', `process: unknown key ${JSON.stringify(name.slice(0, 80))}; nothing was sent`, {
    hint: `a key is one character or ${KEY_NAMES.join(', ')}, with C-, M- or S- in front, or ^c; send text with literal`,
    details: { parameter: 'keys' },
  });
}

function notByte(token: string): Fault {
  return new Fault(
    'PARAM_INVALID',
    `process: hex ${JSON.stringify(token.slice(0, 80))} is not a byte; nothing was sent`,
    {
      hint: 'a byte is two hexadecimal digits, as in ["1b", "5b"]',
      details: { parameter: 'hex' },
    },
  );
}
