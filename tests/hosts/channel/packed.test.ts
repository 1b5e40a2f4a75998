import { expect, test } from 'vitest';
import { packAnswer } from '../../../src/runner/tools/packing.ts';
import { readToolResult } from '../../../src/hosts/tool-calls/untrusted-result.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';
import type { Content } from '../../../src/wire/tool.ts';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const content = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 3000 }).map((text): Content => ({ type: 'text', text })),
  fc
    .tuple(fc.string({ unit: anyCharacter, minLength: 1 }), fc.integer({ min: 400, max: 4000 }))
    .map(([text, times]): Content => ({ type: 'text', text: text.repeat(times) })),
  fc.uint8Array({ maxLength: 3000 }).map(
    (bytes): Content => ({
      type: 'image',
      data: Buffer.from([...PNG, ...bytes]).toString('base64'),
      mimeType: 'image/png',
    }),
  ),
);

test('a result leaves a sandbox as it is', () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 5 }), fc.option(fc.string()), (parts, error) => {
      const answer = {
        content: parts,
        details: { count: parts.length },
        ...(error === null ? {} : { isError: true as const, error }),
      };
      expect(readToolResult(packAnswer(answer))).toEqual(answer);
    }),
    { numRuns: runs(200) },
  );
});

test.each([
  ['half of a character', `${'x'.repeat(2000)}\ud83d`],
  ['characters that take two places', '\u{1f980}'.repeat(2000)],
  ['a mark of byte order', `\ufeff${'x'.repeat(2000)}`],
])('a long text keeps %s', (_, text) => {
  const answer = { content: [{ type: 'text' as const, text }], details: {} };
  expect(readToolResult(packAnswer(answer))).toEqual(answer);
});
