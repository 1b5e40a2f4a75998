import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TIER } from '../support/budget.ts';
import { whyNoBubblewrap } from '../support/sandbox.ts';
import { allScenarios, needsSandbox, SMOKE } from './smoke.ts';
import { play, readScenario, scenarioMs, writeScenario } from './transcript.ts';

const noBubblewrap = await whyNoBubblewrap();

/** `RECORD=1` writes what is printed into the files, to be read and committed by a person. */
describe.each(TIER === 'quick' ? SMOKE : allScenarios())('%s', (name) => {
  const file = join(import.meta.dirname, name);
  const text = readFileSync(file, 'utf8');
  const scenario = readScenario(text);
  // Where no sandbox can be had, the reason is printed and its scenarios count as skipped.
  it.skipIf(noBubblewrap !== undefined && needsSandbox(name))(scenario.title, { timeout: scenarioMs(scenario) }, () => {
    const played = play(scenario);
    if (process.env['RECORD'] === '1') writeFileSync(file, writeScenario(text, played));
    else expect(played).toEqual(scenario.session);
    expect(scenario.session.length).toBeGreaterThan(0);
  });
});
