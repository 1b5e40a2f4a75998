import { describe, expect, it } from 'vitest';
import { codePointName, hiddenCharacters, isOrdinaryInProse, replaceHidden } from '../../src/base/hidden-characters.ts';
import { anyCharacter, fc } from '../support/property.ts';

const names = (text: string): readonly string[] => hiddenCharacters(text).map(({ point }) => codePointName(point));

describe('hidden characters', () => {
  it.each([
    ['printable ASCII', 'ls -l "a b" ~', []],
    ['letters of the world', 'été 中文 é עברית', []],
    ['a line feed and a tab', 'a\n\tb', ['U+000A', 'U+0009']],
    ['C0 and C1', 'a\u001b\u009bb', ['U+001B', 'U+009B']],
    ['a turn of direction', 'a\u202eb', ['U+202E']],
    ['isolates', '\u2066a\u2069', ['U+2066', 'U+2069']],
    ['characters without width', 'a\u200bb\u2060c\ufeff', ['U+200B', 'U+2060', 'U+FEFF']],
    ['a selector without a picture', 'a\ufe0f', ['U+FE0F']],
    ['tags', 'a\u{e0041}', ['U+E0041']],
    ['fillers', '\u115f\u3164\uffa0\u2800', ['U+115F', 'U+3164', 'U+FFA0', 'U+2800']],
    ['spaces that are not the space', 'a\u00a0b\u3000c', ['U+00A0', 'U+3000']],
    ['line separators', 'a\u2028b\u2029', ['U+2028', 'U+2029']],
    ['half a pair', 'a\ud800b', ['U+D800']],
    ['private and unassigned code points', '\ue000\u0378', ['U+E000', 'U+0378']],
    ['parts of a picture', '👩\u200d💻 ❤\ufe0f ❤\ufe0f\u200d🔥', []],
    ['a joiner at the end of a picture', '👩\u200d', ['U+200D']],
  ])('finds %s', (_, text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it('gives positions in UTF-16 units', () => {
    expect(hiddenCharacters('😀\u{e0041}x')).toEqual([{ start: 2, end: 4, text: '\u{e0041}', point: 0xe0041 }]);
  });

  it('leaves none in a text after their replacement', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(hiddenCharacters(replaceHidden(text, () => '.'))).toEqual([]);
      }),
    );
  });

  it('counts as ordinary in prose nothing that controls a terminal or the direction', () => {
    fc.assert(
      fc.property(anyCharacter, (character) => {
        if (/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u.test(character))
          expect(isOrdinaryInProse(character)).toBe(false);
      }),
    );
  });
});
