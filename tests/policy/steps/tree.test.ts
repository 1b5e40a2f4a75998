import { describe, expect, it } from 'vitest';
import { findInvalidCharacter } from '../../../src/policy/shell/characters.ts';
import { bodiesIn, scanProgram } from '../../../src/policy/steps/scan-program.ts';
import { toSteps } from '../../../src/policy/steps/to-steps.ts';
import { treeAgrees } from '../../../src/policy/steps/tree-agrees.ts';
import { runs, withSeed } from '../../support/budget.ts';
import { type GeneratedStep, generateProgram, pick, type Surroundings } from './generate.ts';

const AROUND: Surroundings = {
  home: '/home/u',
  folders: ['sub', '..', 'a/b', '/tmp'],
  programs: ['printf', 'free', 'free', 'cat', 'true', 'false'],
  writes: true,
};
const TEXTS = runs(1_500);

/** The steps that a text means; undefined where it is refused. */
function stepsOf(text: string): { readonly steps?: readonly GeneratedStep[]; readonly why?: string } {
  const invalid = findInvalidCharacter(text, bodiesIn(text));
  if (invalid !== undefined) return { why: invalid.code };
  const { program, refusal } = scanProgram(text);
  if (program === undefined) return { why: `${refusal.code}: ${refusal.reason}` };
  const lowered = toSteps(text, program, AROUND.home);
  if (lowered.steps === undefined) return { why: lowered.refusal.code };
  if (!treeAgrees(text, program)) return { why: 'parsers disagree' };
  return { steps: lowered.steps.map(withoutPlace) };
}

function withoutPlace({ when, does, negate }: GeneratedStep): GeneratedStep {
  return { when, does, ...(negate === undefined ? {} : { negate }) };
}

describe('the steps of a random program', () => {
  it(
    'are those that the generator wrote, and the second parser agrees',
    withSeed((next) => {
      for (let i = 0; i < TEXTS; i++) {
        const { text, steps } = generateProgram(next, AROUND);
        expect({ text, ...stepsOf(text) }).toEqual({ text, steps });
      }
    }),
  );

  it(
    'are the same as those of the second parser after any change of the text, or refused',
    withSeed((next) => {
      let accepted = 0;
      for (let i = 0; i < TEXTS; i++) {
        const { text } = generateProgram(next, AROUND);
        const changed = mutated(text, next);
        const { program } = scanProgram(changed);
        const { steps } = stepsOf(changed);
        // What is accepted has the tree that the second parser finds, and each step is at its place in the text.
        if (steps === undefined) continue;
        accepted++;
        expect({ changed, agrees: treeAgrees(changed, program!) }).toEqual({ changed, agrees: true });
        for (const { span, commands } of program!) {
          expect(span.start <= commands[0]!.span.start && commands.at(-1)!.span.end === span.end).toBe(true);
        }
      }
      expect(accepted).toBeGreaterThan(TEXTS / 20);
    }),
  );
});

const INSERTED = [
  '"',
  "'",
  '\\',
  '$',
  '`',
  '(',
  ')',
  '{',
  '}',
  ';',
  '&',
  '|',
  '<',
  '>',
  '\n',
  ' ',
  '#',
  '!',
  '~',
  '*',
  '[',
  ']',
  '=',
  '<<E',
  '2',
  '$(',
  '&&',
];

function mutated(text: string, next: () => number): string {
  const at = Math.floor(next() * text.length);
  const chance = next();
  if (chance < 0.4) return text.slice(0, at) + text.slice(at + 1);
  const inserted = pick(next, INSERTED);
  return text.slice(0, at) + inserted + text.slice(chance < 0.7 ? at : at + 1);
}
