import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { play, readScenario, scenarioMs, writeScenario } from '../../scenarios/transcript.ts';

const FOLDER = join(import.meta.dirname, 'scenarios');

/** `RECORD=1` writes what is printed into the files, to be read and committed by a person. */
describe.each(readdirSync(FOLDER).sort())('%s', (name) => {
  const file = join(FOLDER, name);
  const text = readFileSync(file, 'utf8');
  const scenario = readScenario(text);
  it(scenario.title, { timeout: scenarioMs(scenario) }, () => {
    // The schema stands in the package, wherever that is.
    const played = play(scenario).map(({ command, printed }) => ({
      command,
      printed: printed.replace(/file:\/\/\S*\/schema\//gu, 'file:///pincer/schema/'),
    }));
    if (process.env['RECORD'] === '1') writeFileSync(file, writeScenario(text, played));
    else expect(played).toEqual(scenario.session);
    expect(scenario.session.length).toBeGreaterThan(0);
  });
});
