/** Keys of one letter. They act on what is shown, and only while no other part of the page takes the keyboard. */
import { useEffect, useRef } from 'preact/hooks';
import { singleKeys } from './preferences.ts';

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

export type KeyActions = Readonly<Record<string, () => void>>;

/** The second key of `g a` must follow within this time. */
const SEQUENCE_MS = 1500;
/** Elements that take keys themselves; `data-keys="own"` marks a terminal. */
const OWN_KEYS = 'input, textarea, select, [contenteditable], [data-keys="own"]';
/** A focused button or link acts on Enter itself; a summary and a tab on Space too. */
const PRESSED_BY_ENTER = 'a[href], button, summary';
/** A region that scrolls, with the focus on it or inside: its arrow keys are for scrolling. */
const SCROLLED_BY_ARROWS = '[tabindex="0"]';
/** Keys that only change other keys. */
const MODIFIERS = /^(?:Alt|AltGraph|Caps|Control|Fn|Hyper|Meta|Num|Scroll|Shift|Super|Symbol)(?:Lock)?$/u;

/** Finds the action of a key, with sequences such as `g s`. */
export class KeySequence {
  #first: { readonly key: string; readonly at: number } | undefined;

  /** What a key press means. After a `g` that was too long ago it means nothing: the `a` of a slow `g a` must not allow anything. */
  press(key: string, now: number): string | undefined {
    if (MODIFIERS.test(key)) return undefined;
    const first = this.#first;
    this.#first = key === 'g' ? { key, at: now } : undefined;
    if (first === undefined) return key;
    return now - first.at > SEQUENCE_MS ? undefined : `${first.key} ${key}`;
  }
}

/** After this pause, a letter is a key of the page again. */
const TYPING_PAUSE_MS = 1000;
/** Keys with which a person leaves what they type into. */
const LEAVING = new Set(['Enter', 'Escape', 'Tab']);

/**
 * Text that a person types. A live event can take the field away in the middle of a word: a session ends, a request expires. The
 * rest of the word then arrives at the page, and must not act there.
 */
export class TypedText {
  #lastAt: number | undefined;

  /** Whether a key belongs to the text. `isInField`: an element that takes keys itself has the focus. */
  press(key: string, isInField: boolean, now: number): boolean {
    if (LEAVING.has(key)) this.end();
    else if (isInField || (this.#lastAt !== undefined && now - this.#lastAt < TYPING_PAUSE_MS)) this.#lastAt = now;
    else this.end();
    return this.#lastAt !== undefined;
  }

  /** The person did something else, such as a click. */
  end(): void {
    this.#lastAt = undefined;
  }
}

export function hasModifier({ ctrlKey, metaKey, altKey }: KeyPress): boolean {
  return ctrlKey || metaKey || altKey;
}

const layers: { readonly actions: () => KeyActions }[] = [];
const sequence = new KeySequence();
const typed = new TypedText();

/** Binds keys while the component is shown. A later component wins over an earlier one. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const layer = { actions: () => latest.current };
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

function actionFor(name: string): (() => void) | undefined {
  for (const layer of layers.toReversed()) {
    const action = layer.actions()[name];
    if (action !== undefined) return action;
  }
  return undefined;
}

/** Whether the element that has the focus takes all keys. */
function isInField({ target }: KeyboardEvent): boolean {
  return document.querySelector('dialog[open]') !== null || (target as Element | null)?.closest(OWN_KEYS) != null;
}

/** Whether the element that has the focus takes the key itself. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as Element | null;
  if (isInField(event)) return true;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') return target?.closest(SCROLLED_BY_ARROWS) !== null;
  return (event.key === 'Enter' || event.key === ' ') && target?.closest(PRESSED_BY_ENTER) !== null;
}

export function followKeys(): void {
  let isTyped = false;
  // With `capture`: a terminal lets no key pass.
  addEventListener(
    'keydown',
    (event) => {
      isTyped = typed.press(event.key, isInField(event), performance.now());
    },
    { capture: true },
  );
  addEventListener('click', () => typed.end(), { capture: true });
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.repeat || isTyped) return;
    if (hasModifier(event) || isTaken(event)) return;
    const isLetter = event.key.length === 1;
    if (isLetter && !singleKeys.value) return;
    const name = sequence.press(event.key, performance.now());
    const action = name === undefined ? undefined : actionFor(name);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
