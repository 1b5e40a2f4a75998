/** The encoding of a named key; its final letter or number decides where modifiers go. */
export type Key =
  | { readonly kind: 'text'; readonly text: string }
  /** Arrows (ESC [ letter, or ESC O letter in application mode) and F1 to F4 (always ESC O letter). */
  | { readonly kind: 'letter'; readonly letter: string; readonly function: boolean }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'keypad'; readonly letter: string };

const TEXTS: Readonly<Record<string, string>> = {
  enter: '\r',
  return: '\r',
  tab: '\t',
  btab: '\u001b[Z',
  space: ' ',
  escape: '\u001b',
  esc: '\u001b',
  bspace: '\u007f',
  backspace: '\u007f',
};
const ARROWS: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D' };
const FUNCTIONS: Readonly<Record<string, string>> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };
const NUMBERS: Readonly<Record<string, number>> = {
  home: 1,
  end: 4,
  insert: 2,
  ic: 2,
  delete: 3,
  dc: 3,
  del: 3,
  pageup: 5,
  pgup: 5,
  ppage: 5,
  pagedown: 6,
  pgdn: 6,
  npage: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};
const KEYPAD: Readonly<Record<string, string>> = {
  'kp/': 'o',
  'kp*': 'j',
  'kp-': 'm',
  'kp+': 'k',
  'kp.': 'n',
  kpenter: 'M',
  ...Object.fromEntries([...'pqrstuvwxy'].map((letter, digit) => [`kp${digit}`, letter])),
};

/** One name of each key, as in tmux. */
export const KEY_NAMES: readonly string[] = [
  'Enter',
  'Tab',
  'BTab',
  'Space',
  'Escape',
  'BSpace',
  'Up',
  'Down',
  'Right',
  'Left',
  'Home',
  'End',

  'Insert',
  'Delete',
  'PageUp',
  'PageDown',
  'F1 to F12',
  'KP0 to KP9',
  'KP/',
  'KP*',
  'KP-',
  'KP+',
  'KP.',
  'KPEnter',
];

/** The named keys by their names in lower case. */
export const KEYS: ReadonlyMap<string, Key> = new Map<string, Key>([
  ...Object.entries(TEXTS).map(([name, text]): [string, Key] => [name, { kind: 'text', text }]),
  ...Object.entries(ARROWS).map(([name, letter]): [string, Key] => [name, { kind: 'letter', letter, function: false }]),
  ...Object.entries(FUNCTIONS).map(([name, letter]): [string, Key] => [
    name,
    { kind: 'letter', letter, function: true },
  ]),
  ...Object.entries(NUMBERS).map(([name, number]): [string, Key] => [name, { kind: 'number', number }]),
  ...Object.entries(KEYPAD).map(([name, letter]): [string, Key] => [name, { kind: 'keypad', letter }]),
]);
