import { describe, expect, it } from 'vitest';
import { escapeText } from '../../../../src/apps/cli/approvals/escape-text.ts';
import { anyCharacter, fc } from '../../../support/property.ts';

describe('hostile text for a person', () => {
  it.each([
    ['plain text', 'ls -l "a b"', 'ls -l "a b"', 0],
    ['a line feed', 'ls\nrm', 'ls\\u000arm', 1],
    ['an escape sequence', '\u001b[2Jls', '\\u001b[2Jls', 1],
    ['a turn of direction', 'a\u202eb', 'a\\u202eb', 1],
    ['an invisible blank', 'a\u200bb', 'a\\u200bb', 1],
    ['a hard blank', 'a\u00a0b', 'a\\u00a0b', 1],
    ['a filler that fonts leave out', 'a\u3164b\ufe0f', 'a\\u3164b\\ufe0f', 2],
    ['tags', 'a\u{e0041}', 'a\\u{e0041}', 1],
    ['half a pair', 'a\ud800', 'a\\ud800', 1],
    ['letters of the world', 'ls été 中文 é', 'ls été 中文 é', 0],
  ])('shows %s', (_, text, shown, escaped) => {
    expect(escapeText(text)).toEqual({ text: shown, escaped });
  });

  it.each([
    ['a word', 'ls | rm', { start: 5, end: 7 }, '     ^^'],
    ['behind an escape', 'a\u202eb;c', { start: 3, end: 4 }, '        ^'],
    ['an escape', 'a\u202eb', { start: 1, end: 2 }, ' ^^^^^^'],
    ['behind wide letters', '中 ;', { start: 2, end: 3 }, '   ^'],
    ['behind a pair', '\u{1f600};', { start: 2, end: 3 }, '  ^'],
    ['the end', 'ls', { start: 2, end: 2 }, '  ^'],
    ['an empty part', 'ls', { start: 0, end: 0 }, '^'],
  ])('points at %s', (_, text, at, carets) => {
    expect(escapeText(text, at).carets).toBe(carets);
  });

  it('never gives a terminal anything to obey, and leaves nothing out', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const { text: shown } = escapeText(text);
        expect(shown).not.toMatch(/(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u); // U+200D joins two pictures to one
        expect([...shown].length).toBeGreaterThanOrEqual([...text].length);
      }),
    );
  });
});
