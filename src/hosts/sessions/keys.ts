/**
 * Names of keys, as tmux has them, to the bytes that a terminal sends. A name is a key with prefixes in front:
 *   name = { 'C-' | 'M-' | 'S-' } key  |  '^' character
 */
import { type Key, KEYS } from './key-table.ts';

/** How the receiver wants its keys. */
export interface KeyModes {
  /** The cursor keys send ESC O instead of ESC [. */
  readonly applicationCursor: boolean;
  /** What Enter sends: CR to a terminal, LF to a pipe. */
  readonly enter: '\r' | '\n';
}

export interface EncodedKeys {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
}

interface Modifiers {
  readonly shift: boolean;
  readonly alt: boolean;
  readonly control: boolean;
}

const ESC = '\u001b';
const DEL = '\u007f';

/** The bytes of a literal text, then of hexadecimal bytes, then of named keys. */
export function encodeKeys(
  input: { readonly literal?: string; readonly hex?: readonly string[]; readonly keys?: readonly string[] },
  modes: KeyModes,
): EncodedKeys {
  const warnings: string[] = [];
  const parts: Uint8Array[] = [Buffer.from(input.literal ?? '', 'utf8')];
  for (const token of input.hex ?? []) {
    const digits = /^(?:0x)?([0-9a-f]{1,2})$/iu.exec(token.trim())?.[1];
    if (digits === undefined) warnings.push(`hex ${JSON.stringify(token)} is not a byte: it is left out`);
    else parts.push(Uint8Array.of(Number.parseInt(digits, 16)));
  }
  for (const name of input.keys ?? []) {
    const { text, warning } = encodeKey(name, modes);
    if (warning !== undefined) warnings.push(warning);
    parts.push(Buffer.from(text, 'utf8'));
  }
  return { bytes: Buffer.concat(parts), warnings };
}

function encodeKey(name: string, modes: KeyModes): { readonly text: string; readonly warning?: string } {
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
  if (known !== undefined) return { text: named(known, modifiers, modes) };
  const modified = modifiers.shift || modifiers.alt || modifiers.control;
  if ([...key].length !== 1) {
    return modified
      ? { text: name, warning: `key ${JSON.stringify(name)} is unknown: it is sent as text` }
      : { text: key };
  }
  const shifted = modifiers.shift && /^[a-z]$/u.test(key) ? key.toUpperCase() : key;
  const inner = modifiers.control ? control(shifted, name) : { text: shifted };
  return modifiers.alt ? { ...inner, text: ESC + inner.text } : inner;
}

/** The control character of a key: `@` to `_` and the letters, `?` is DEL, and space is NUL as on keyboards. */
function control(character: string, name: string): { readonly text: string; readonly warning?: string } {
  if (character === '?') return { text: DEL };
  if (character === ' ') return { text: '\0' };
  const code = character.toUpperCase().codePointAt(0)!;
  if (code >= 64 && code <= 95) return { text: String.fromCharCode(code & 31) };
  return { text: character, warning: `key ${JSON.stringify(name)} has no control character: it is sent without one` };
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
