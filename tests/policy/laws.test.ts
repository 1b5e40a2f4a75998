import { describe, expect, it } from 'vitest';
import { judge } from '../../src/policy/judge.ts';
import { explainJudgement } from '../../src/policy/explain.ts';
import { anyCharacter, fc, runs } from '../support/property.ts';
import { ask, machine, rules } from './machine.ts';

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 4, unit: anyCharacter }),
      fc.constantFrom(
        'ls',
        'rm',
        ' ',
        "'",
        '"',
        '\\',
        '$(',
        '`',
        '|',
        '{',
        '[',
        '~',
        '<(',
        '<<E\n',
        'env ',
        'sh -c ',
        '\ud800',
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));
const given = rules({ allowlist: [{ pattern: '/**' }], deny: [{ pattern: '/usr/bin/rm' }], safeBins: ['head'] });

describe('a judgement', () => {
  it('exists for any text, with a span inside of it, and can be explained', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const judgement = judge(text, given, machine(), '/');
        const { at = { start: 0, end: 0 }, hint, hintFor } = judgement;
        expect(hint === undefined).toBe(hintFor === undefined);
        expect(0 <= at.start && at.start <= at.end && at.end <= text.length).toBe(true);
        expect(explainJudgement(text, judgement).length).toBeGreaterThan(10);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('is yes only where every stage is allowed and can run without a shell, and then nothing is proposed', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const { verdict, plan, stages, proposal } = judge(text, given, machine(), '/');
        if (verdict === 'allow')
          expect([plan?.stages.length, stages.every((stage) => stage.verdict === 'allow'), proposal]).toEqual([
            stages.length,
            true,
            undefined,
          ]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('takes every argument in single quotes for itself', () => {
    const argument = fc.string({ maxLength: 20 }).filter((text) => !text.includes("'"));
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 6 }), (args) => {
        const { plan } = ask(['ls', ...args.map((arg) => `'${arg}'`)].join(' '), ['ls']);
        expect(plan?.stages).toEqual([expect.objectContaining({ argv: ['ls', ...args] })]);
      }),
    );
  });
});
