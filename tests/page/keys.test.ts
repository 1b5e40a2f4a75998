import { describe, expect, it } from 'vitest';
import { hasModifier, KeySequence, TypedText } from '../../src/page/keys.ts';

describe('keys', () => {
  it('name themselves', () => {
    const keys = new KeySequence();
    expect([keys.press('a', 0), keys.press('A', 1)]).toEqual(['a', 'A']);
  });

  it('name a sequence after g', () => {
    const keys = new KeySequence();
    keys.press('g', 0);
    expect(keys.press('s', 100)).toBe('g s');
    expect(keys.press('s', 200)).toBe('s');
  });

  it.each([1, 1_499, 1_501, 60_000])(
    'never act as themselves after g: `g a` with %i ms between must not allow anything',
    (ms) => {
      const keys = new KeySequence();
      keys.press('g', 0);
      expect(keys.press('a', ms)).toBe(ms > 1_500 ? undefined : 'g a');
      expect(keys.press('a', ms + 1)).toBe('a');
    },
  );

  it.each(['Shift', 'CapsLock', 'AltGraph'])('keep the sequence when %s is touched between', (modifier) => {
    const keys = new KeySequence();
    keys.press('g', 0);
    expect(keys.press(modifier, 100)).toBeUndefined();
    expect(keys.press('a', 200)).toBe('g a');
  });

  it('begin a new sequence with another g', () => {
    const keys = new KeySequence();
    keys.press('g', 0);
    keys.press('g', 5_000);
    expect(keys.press('s', 5_100)).toBe('g s');
  });

  it('are not of this page with a modifier', () => {
    const press = { key: 'a', ctrlKey: false, metaKey: false, altKey: false };
    expect(hasModifier(press)).toBe(false);
    for (const name of ['ctrlKey', 'metaKey', 'altKey']) expect(hasModifier({ ...press, [name]: true })).toBe(true);
  });
});

describe('a word that is typed', () => {
  it('goes on when its field is taken away, until the person pauses', () => {
    const typed = new TypedText();
    expect([typed.press('j', true, 0), typed.press('a', false, 400), typed.press('a', false, 1_300)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(typed.press('a', false, 2_300)).toBe(false);
  });

  it.each(['Enter', 'Escape', 'Tab'])('ends with %s, and the next key is one of the page', (key) => {
    const typed = new TypedText();
    typed.press('x', true, 0);
    expect([typed.press(key, true, 10), typed.press('a', false, 20)]).toEqual([false, false]);
  });

  it('ends with a click', () => {
    const typed = new TypedText();
    typed.press('x', true, 0);
    typed.end();
    expect(typed.press('a', false, 10)).toBe(false);
  });
});
