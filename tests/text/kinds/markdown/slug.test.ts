import { describe, expect, test } from 'vitest';
import { slugify } from '../../../../src/text/kinds/markdown/slug.ts';
import { anyCharacter, fc, runs } from '../../../support/property.ts';

describe('slugify', () => {
  test.each([
    ['Tools', 'tools'],
    ['send_email', 'send-email'],
    ['Runtime_Safety', 'runtime-safety'],
    ['Runtime  safety!', 'runtime-safety'],
    ['--a--b--', 'a-b'],
    ['!!', ''],
    ['', ''],
    ['Café', 'café'],
    ['Cafe\u0301', 'café'],
    ['工具', '工具'],
    ['工具 与 Tools', '工具-与-tools'],
    ['ÜBER_uns', 'über-uns'],
    ['⚠️ Warning', 'warning'],
    ['1️⃣ First', '1-first'],
    ['हिन्दी', 'हिन्दी'],
    ['v1.10', 'v1-10'],
  ])('%j is %j', (text, slug) => {
    expect(slugify(text)).toBe(slug);
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(slugify(slugify(text))).toBe(slugify(text));
      }),
      { numRuns: runs(2000) },
    );
  });

  test('returns lower case without leading, trailing or repeated dashes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(slugify(text)).toMatch(/^(?:[^-A-Z_\s]+(?:-[^-A-Z_\s]+)*)?$/);
      }),
    );
  });
});
