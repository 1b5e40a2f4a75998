import { describe, expect, it } from 'vitest';
import { applySplices } from '../../../src/text/lines/splice.ts';
import { planEdits } from '../../../src/text/edit/plan.ts';
import { fc, runs } from '../../support/property.ts';

const indent = fc.constantFrom('', '  ', '    ', '\t');
const word = fc.constantFrom('', '', 'a', 'b', 'a b');
const tail = fc.constantFrom('', ' ', '  ', '\t');
/** A line in two spellings that differ in the blanks at its end. */
const line = fc
  .tuple(indent, word, tail, tail)
  .map(([before, words, there, asked]) => ({ there: before + words + there, asked: before + words + asked }));
const lines = fc.array(line, { minLength: 1, maxLength: 5 });
const bare = (text: string) => text.replaceAll('\r', '').replaceAll(/[ \t]+$/gmu, '');

describe('blanks at the end of lines', () => {
  it('change neither the new text nor its surroundings', () => {
    fc.assert(
      fc.property(lines, lines, fc.nat(), fc.constantFrom('\n', '\r\n'), fc.boolean(), (old, other, cut, eol, open) => {
        const whole = old.map(({ there }) => there).join(eol);
        const text = `<first>${eol}${whole}${open ? '' : `${eol}<last>`}`;
        const at = cut % (old.length + 1);
        const asked = old.map((one) => one.asked);
        const now = [...asked.slice(0, at), ...other.map((one) => one.asked), ...asked.slice(at + other.length)];
        const plan = planEdits(text, [
          { oldText: `<first>\n${asked.join('\n')}`, newText: `<first>\n${now.join('\n')}` },
        ]);
        if (!plan.ok || plan.found[0]!.level === 'indentation' || plan.found[0]!.level === 'whitespace') return;
        const after = applySplices(text, plan.splices);
        expect(bare(after)).toBe(bare(`<first>\n${now.join('\n')}${open ? '' : '\n<last>'}`));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('before an old text are replaced together with its own', () => {
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n'), (old, eol) => {
        const text = `<first>${eol}${old.map(({ there }) => there + eol).join('')}x${eol}`;
        const oldText = `${old.map(({ asked }) => `${asked}\n`).join('')}x\n`;
        const plan = planEdits(text, [{ oldText, newText: 'x\n' }]);
        if (!plan.ok || plan.found[0]!.level !== 'trailing-blanks') return;
        const after = applySplices(text, plan.splices);
        expect(after.endsWith(`x${eol}`)).toBe(true);
        expect(text.startsWith(after.slice(0, -1 - eol.length))).toBe(true);
        expect(bare(after).replaceAll(/\n+/gu, '\n').startsWith('<first>\n')).toBe(true);
        expect(/\n[ \t]+x/u.test(after)).toBe(false);
      }),
      { numRuns: runs(1000) },
    );
  });
});
