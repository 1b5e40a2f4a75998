import { describe, expect, it } from 'vitest';
import { parserAgrees } from '../../src/policy/shell/parser-agrees.ts';
import { findInvalidCharacter } from '../../src/policy/shell/characters.ts';
import { BUILTINS } from '../../src/policy/shell/reserved.ts';
import { scanCommand } from '../../src/policy/shell/scan.ts';
import { runs, timeoutFor, withSeed } from '../support/budget.ts';
import { nastyText, PROGRAMS, runInBash, throwAway } from './fuzz.ts';

const TEXTS = runs(600, 30_000);

/** The argvs that policy would run for a text; undefined where it refuses. */
function planned(text: string): readonly string[][] | undefined {
  if (findInvalidCharacter(text) !== undefined) return undefined;
  const { stages } = scanCommand(text);
  if (stages === undefined || !parserAgrees(text, stages)) return undefined;
  return stages.map(({ words }) => words.map((word) => word.text));
}

/** Random texts that policy would run, each with its argvs. */
function acceptedTexts(next: () => number): ReadonlyMap<string, readonly string[][]> {
  const accepted = new Map<string, readonly string[][]>();
  for (let tries = 0; accepted.size < TEXTS && tries < TEXTS * 2000; tries++) {
    const text = nastyText(next);
    const argvs = planned(text);
    // A name without a program starts nothing in either world, and built-ins are refused one step later.
    if (argvs?.every(([name = '']) => PROGRAMS.includes(name) && !BUILTINS.has(name)) === true)
      accepted.set(text, argvs);
  }
  return accepted;
}

describe('the scanner against bash', () => {
  const sandbox = throwAway();
  it.skipIf('unavailable' in sandbox)(
    `agrees on every text that it accepts${'unavailable' in sandbox ? ` (${sandbox.unavailable})` : ''}`,
    { timeout: timeoutFor(180_000) },
    withSeed((next) => {
      if ('unavailable' in sandbox) return;
      const accepted = acceptedTexts(next);
      const texts = [...accepted.keys()];
      const ran = runInBash(sandbox.command, texts);
      const sorted = (argvs: readonly string[][]): readonly string[] =>
        argvs.map((argv) => JSON.stringify(argv)).sort();
      const differences = texts.flatMap((text, i) => {
        const [plan, real] = [sorted(accepted.get(text)!), sorted(ran[i]!)];
        return JSON.stringify(plan) === JSON.stringify(real) ? [] : [{ text, plan, real }];
      });
      expect({ differences, count: texts.length }).toEqual({ differences: [], count: TEXTS });
    }),
  );
});
