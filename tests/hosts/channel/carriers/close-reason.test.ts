import { describe, expect, test } from 'vitest';
import { decodeReason, encodeReason } from '../../../../src/hosts/channel/carriers/close-reason.ts';

describe('the reason of a close', () => {
  test.each([
    ['fits', 'replaced', 123, 'replaced'],
    ['is cut', 'abcdef', 3, 'abc'],
    ['is cut before a character of two bytes', 'aä', 2, 'a'],
    ['is cut before a character of four bytes', 'a😀b', 4, 'a'],
    ['is cut after a character of four bytes', 'a😀b', 5, 'a😀'],
  ])('%s', (_, reason, longest, expected) => {
    expect(encodeReason(reason, longest).toString('utf8')).toBe(expected);
  });

  test.each([
    ['control characters', Buffer.from('a\u001b[31mb\u2028c'), 'a [31mb c'],
    ['bytes that are not UTF-8', Uint8Array.of(0x61, 0xff, 0x62), 'a b'],
    ['nothing', new Uint8Array(0), 'the other end closed the connection'],
    ['only control characters', Uint8Array.of(7, 7), 'the other end closed the connection'],
  ])('is read as text from %s', (_, bytes, expected) => {
    expect(decodeReason(bytes)).toBe(expected);
  });
});
