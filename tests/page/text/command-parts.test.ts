import { describe, expect, it } from 'vitest';
import { commandParts } from '../../../src/page/text/command-parts.ts';
import type { StageReport, Verdict } from '../../../src/wire/policy.ts';
import { anyCharacter, fc } from '../../support/property.ts';

const stage = (start: number, end: number, verdict: Verdict): StageReport => ({
  argv: [],
  span: { start, end },
  verdict,
  code: '',
  reason: '',
});

describe('the parts of a command', () => {
  it('are its stages with the operators between, and the marked characters', () => {
    const judgement = { stages: [stage(0, 5, 'allow'), stage(8, 12, 'ask')], at: { start: 8, end: 10 } };
    expect(commandParts('cat a | sh b', judgement)).toEqual([
      { text: 'cat a', verdict: 'allow', isMarked: false },
      { text: ' | ', isMarked: false },
      { text: 'sh', verdict: 'ask', isMarked: true },
      { text: ' b', verdict: 'ask', isMarked: false },
    ]);
  });

  it('mark the place where something is missing', () => {
    expect(commandParts('ls |', { stages: [], at: { start: 4, end: 4 } })).toEqual([
      { text: 'ls |', isMarked: false },
      { text: '', isMarked: true },
    ]);
  });

  it('are split by positions of the original text, before hidden characters are replaced', () => {
    const judgement = { stages: [], at: { start: 5, end: 6 } };
    expect(commandParts('a\u{1f600}\u202eb;c', judgement).find(({ isMarked }) => isMarked)?.text).toBe(';');
  });

  it('are the whole command, whatever the spans are', () => {
    const span = fc.tuple(fc.nat(60), fc.nat(60)).map(([start, end]) => ({ start, end }));
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), span, fc.array(span), (command, at, spans) => {
        const stages = spans.map(({ start, end }) => stage(start, end, 'ask'));
        const parts = commandParts(command, { stages, at });
        expect(parts.map(({ text }) => text).join('')).toBe(command);
      }),
    );
  });
});
