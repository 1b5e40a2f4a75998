import { expect, it } from 'vitest';
import { hiddenAsNames, piecesOf } from '../../../src/page/text/pieces.ts';
import { anyCharacter, fc } from '../../support/property.ts';

it('puts the numbers of hidden characters between the visible text', () => {
  expect(piecesOf('fix \u202etxt.exe', false)).toEqual([
    { text: 'fix ' },
    { hidden: 0x202e, count: 1 },
    { text: 'txt.exe' },
  ]);
});

it('counts equal hidden characters in a row', () => {
  expect(piecesOf('\0\0\0a\0\u200b\u200b', false)).toEqual([
    { hidden: 0, count: 3 },
    { text: 'a' },
    { hidden: 0, count: 1 },
    { hidden: 0x200b, count: 2 },
  ]);
});

it('keeps line ends and tabs only where a text may have lines', () => {
  expect(piecesOf('a\n\tb', true)).toEqual([{ text: 'a\n\tb' }]);
  expect(piecesOf('a\nb', false)).toEqual([{ text: 'a' }, { hidden: 10, count: 1 }, { text: 'b' }]);
});

it('never gives a character to the document that turns the direction of text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.boolean(), (text, mayHaveLines) => {
      const shown = piecesOf(text, mayHaveLines).map((piece) => (piece.hidden === undefined ? piece.text : ''));
      expect(shown.join('')).not.toMatch(/[\p{Bidi_Control}\u2028\u2029]|(?![\n\t])\p{Cc}/u);
    }),
  );
});

it('loses nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const whole = piecesOf(text, false).map((piece) =>
        piece.hidden === undefined ? piece.text : String.fromCodePoint(piece.hidden).repeat(piece.count),
      );
      expect(whole.join('')).toBe(text);
    }),
  );
});

it('names hidden characters where a badge cannot stand', () => {
  expect(hiddenAsNames('a\u202eb\nc')).toBe('a U+202E b c');
});
