import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNoBubblewrap } from '../support/sandbox.ts';
import { play, readScenario, scenarioMs, writeScenario } from './transcript.ts';

const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const scenarios = folders.flatMap(({ name }) =>
  readdirSync(join(import.meta.dirname, name)).map((file) => `${name}/${file}`),
);

const noBubblewrap = await whyNoBubblewrap();
/** Those that show a real sandbox; where none can be had, the reason is printed and they count as skipped. */
const needsBubblewrap = (name: string) => name.startsWith('sandbox/') && !name.endsWith('-off.txt');

/** `RECORD=1` writes what is printed into the files, to be read and committed by a person. */
describe.each(scenarios.sort())('%s', (name) => {
  const file = join(import.meta.dirname, name);
  const text = readFileSync(file, 'utf8');
  const scenario = readScenario(text);
  it.skipIf(noBubblewrap !== undefined && needsBubblewrap(name))(
    scenario.title,
    { timeout: scenarioMs(scenario) },
    () => {
      const played = play(scenario);
      if (process.env['RECORD'] === '1') writeFileSync(file, writeScenario(text, played));
      else expect(played).toEqual(scenario.session);
      expect(scenario.session.length).toBeGreaterThan(0);
    },
  );
});
