import { describe, expect, it, test } from 'vitest';
import { nameOf, freshId } from '../../../src/hosts/sessions/names.ts';
import { incompleteSequence, plainText } from '../../../src/hosts/sessions/log/plain-text.ts';
import { decode, incompleteHead, incompleteTail } from '../../../src/hosts/sessions/log/utf8.ts';
import { FIRST_WORDS, SECOND_WORDS } from '../../../src/hosts/sessions/names.ts';
import { anyCharacter, fc } from '../../support/property.ts';
import { processorMs } from '../../support/patience.ts';

test.each([
  ['plain text stays', 'a\tb\n', 'a\tb\n'],
  ['colours go', '\u001b[1;31mred\u001b[0m', 'red'],
  ['titles and links go', '\u001b]0;title\u0007x\u001b]8;;http://a\u001b\\y\u001b]8;;\u001b\\', 'xy'],
  ['device strings go', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['charsets and resets go', '\u001b(B\u001bc\u001b7x', 'x'],
  ['an escape at the end goes', 'x\u001b', 'x'],
  ['an open string is not a veil for what follows', '\u001b]0;never ended\nreal output', '0;never ended\nreal output'],
  ['lines of a terminal end as lines', 'a\r\nb\r\r\n', 'a\nb\n'],
  ['a progress line shows its last state', '10%\r55%\r100%\ndone', '100%\ndone'],
  ['a shorter state leaves the rest of the longer', 'abcdef\rXY', 'XYcdef'],
  ['an erased line leaves nothing', 'abcdef\r\u001b[KXY', 'XY'],
  ['a spinner ends as it ended', '|\b/\b-\bok', 'ok'],
  ['bells, NUL and other controls go', 'a\u0007b\0c\u0085d', 'abcd'],
  ['directions and hidden characters go', 'a\u202eb\u200bc\u{e0041}d\ufeff', 'abcd'],
  ['joiners of scripts and emoji stay', '👩\u200d💻', '👩\u200d💻'],
])('%s', (_, text, expected) => {
  expect(plainText(text)).toBe(expected);
});

describe('plain text', () => {
  it('is idempotent, and never longer than the input', () => {
    const unit = fc.constantFrom(
      'a',
      '\u001b',
      '[',
      ']',
      '1',
      'm',
      'K',
      '\r',
      '\n',
      '\b',
      '\u0007',
      '\\',
      '\u009b',
      '漢',
      'P',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const plain = plainText(text);
        expect(plain.length).toBeLessThanOrEqual(text.length);
        expect(plain).not.toMatch(/(?![\t\n])\p{Cc}/u);
        expect(plainText(plain)).toBe(plain);
      }),
    );
  });

  it('is fast for hostile text', () => {
    const started = processorMs();
    for (const text of [
      '\u001b]'.repeat(200_000),
      '\u001b['.repeat(200_000),
      `\u001bP${'x'.repeat(400_000)}`,
      '\r'.repeat(400_000),
    ]) {
      plainText(text);
    }
    expect(processorMs() - started).toBeLessThan(20_000);
  });
});

test.each([
  ['x\u001b', 1],
  ['x\u001b[1;3', 5],
  ['x\u001b]0;tit', 7],
  ['x\u001b]0;tit\u001b', 8],
  ['x\u001b[1m', 0],
  ['x\u001b]0;title\u0007', 0],
  ['x', 0],
  [`\u001b]${'x'.repeat(400)}`, 0],
])('%j ends with %i characters of an incomplete sequence', (text, expected) => {
  expect(incompleteSequence(text)).toBe(expected);
});

describe('bytes', () => {
  it('are cut between characters at both ends, and only valid prefixes are incomplete', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.nat(), fc.nat(), (text, a, b) => {
        const bytes = Buffer.from(text);
        const whole = bytes.toString();
        const [from, to] = [a % (bytes.length + 1), b % (bytes.length + 1)].sort((x, y) => x - y) as [number, number];
        const slice = bytes.subarray(from, to);
        const head = incompleteHead(slice);
        const inner = slice.subarray(head);
        const shown = decode(inner.subarray(0, inner.length - incompleteTail(inner)));
        expect(whole).toContain(shown);
        expect(Buffer.byteLength(shown)).toBeGreaterThanOrEqual(slice.length - 6);
      }),
    );
  });

  it.each([
    [[0xff], 0],
    [[0xc0], 0],
    [[0xe2, 0x82], 2],
    [[0xf0, 0x9f, 0x98], 3],
    [[0xed, 0xa0], 0],
    [[0xf4, 0x90], 0],
    [[0xe0, 0x80], 0],
    [[0x80, 0x80, 0x80], 0],
    [[0x61], 0],
  ])('%j end with %i bytes of an incomplete character', (bytes, expected) => {
    expect(incompleteTail(Uint8Array.from(bytes))).toBe(expected);
  });
});

describe('names', () => {
  it.each([
    ['npm run build', 'npm run'],
    ['git -C x status', 'git x'],
    ['ls -la', 'ls'],
    ['  grep -n "two words" file', 'grep two words'],
    ['', ''],
    ['echo \u001b[31mx', 'echo x'],
    [`cat ${'x'.repeat(80)}`, `cat ${'x'.repeat(43)}…`],
  ])('of the command %j is %j', (command, expected) => {
    expect(nameOf(command)).toBe(expected);
  });

  it('are two unused words, with a number when all pairs are taken', () => {
    const pairs = FIRST_WORDS.length * SECOND_WORDS.length;
    expect(new Set(FIRST_WORDS).size + new Set(SECOND_WORDS).size).toBe(FIRST_WORDS.length + SECOND_WORDS.length);
    expect(pairs).toBeGreaterThan(10_000);
    expect(freshId(() => false)).toMatch(/^[a-z]+-[a-z]+$/u);
    expect(freshId((id) => !id.endsWith('-2'))).toMatch(/^[a-z]+-[a-z]+-2$/u);
  });
});
