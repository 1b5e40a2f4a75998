import { describe, expect, it } from 'vitest';
import { findCandidates, needleOf } from '../../../src/text/scan/needle.ts';
import { borrowScanner, LAYOUT } from '../../../src/text/scan/scan.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';

const encode = (text: string) => new TextEncoder().encode(text);

/** The numbers (from 0) and texts of the lines that may contain the value. */
function candidates(lines: readonly string[], value: string): { line: number; text: string }[] {
  const needle = needleOf(value);
  if (needle === undefined) throw new Error(`${value} has no needle`);
  const bytes = encode(lines.map((line) => `${line}\n`).join(''));
  const scanner = borrowScanner(bytes.length);
  scanner.bytes.set(bytes, LAYOUT.window);
  scanner.pad(LAYOUT.window + bytes.length);
  const end = LAYOUT.window + bytes.length;
  const found: { line: number; text: string }[] = [];
  let before = 0;
  for (let from: number = LAYOUT.window; from < end; ) {
    const count = findCandidates(scanner, needle, from, end);
    for (let i = 0; i < count; i++) {
      const [line, begin, stop] = scanner.words.subarray(LAYOUT.candidates / 4 + i * 3);
      found.push({ line: before + line!, text: new TextDecoder().decode(scanner.bytes.subarray(begin, stop)) });
    }
    before += scanner.wasm.candidateLines.value as number;
    from = scanner.wasm.candidateResume.value as number;
  }
  scanner.release();
  expect(before).toBe(lines.length);
  return found;
}

describe('the needle of a value', () => {
  it.each([
    ['its quoted spelling', '{"a":"tool_call"}', true],
    ['its letters without the quotes', '{"a":"the tool_call"}', false],
    ['an escape of one of its letters', '{"a":"\\u0074x"}', true],
    ['an escape with upper-case digits', '{"a":"tool\\u005Fcall"}', true],
    ['an escape of another letter', '{"a":"\\u001b[0m"}', false],
    ['escapes that do not spell letters', '{"a":"\\n\\t\\\\"}', false],
    ['an escape that is cut', '{"a":"\\u00', false],
  ])('sees %s', (_name, line, isCandidate) => {
    expect(candidates(['{}', line, '{}'], 'tool_call')).toEqual(isCandidate ? [{ line: 1, text: line }] : []);
  });

  it.each([
    ['a/b', '{"a":"a\\/b"}', true],
    ['é', '{"a":"é"}', true],
    ['é', '{"a":"\\u00e9"}', true],
    ['💀', '{"a":"\\ud83d\\udc80"}', true],
    ['x', '{"a":"\\/"}', false],
  ])('sees %s in %s: %s', (value, line, isCandidate) => {
    expect(candidates([line], value)).toHaveLength(isCandidate ? 1 : 0);
  });

  it.each(['', 'a"b', 'a\\b', 'a\nb', 'a\u0085b', 'x'.repeat(5000)])(
    'does not exist where spellings are too many',
    (value) => {
      expect(needleOf(value)).toBeUndefined();
    },
  );

  it('never skips a line with the value, however it is spelled, and counts lines', () => {
    const value = fc
      .string({ minLength: 1, maxLength: 8, unit: anyCharacter })
      .filter((text) => needleOf(text) !== undefined);
    const noise = fc.array(
      fc.constantFrom('{"a":1}', '', 'x'.repeat(63), 'y'.repeat(64), '"\\u0041"', '"\\n\\u001b"', '"a_"'),
      { maxLength: 90 },
    );
    fc.assert(
      fc.property(
        value,
        noise,
        noise,
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 }),
        (text, above, below, dice) => {
          const spelled = Array.from({ length: text.length }, (_, i) => {
            const unit = text.charCodeAt(i);
            const isPlain = dice[i % 8] !== 0 && (unit < 0xd800 || unit > 0xdfff);
            return isPlain ? text[i] : `\\u${unit.toString(16).padStart(4, '0')}`;
          }).join('');
          const line = `{"k": "${spelled}"}`;
          expect(candidates([...above, line, ...below], text)).toContainEqual({ line: above.length, text: line });
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('continues after the candidate area is full', () => {
    const lines = Array.from({ length: 12_000 }, (_, i) => `{"a":"x","i":${i}}`);
    expect(candidates(lines, 'x').map(({ line }) => line)).toEqual(lines.map((_, i) => i));
  });
});
