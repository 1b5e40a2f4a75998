import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { play, readScenario, writeScenario } from './transcript.ts';

const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const scenarios = folders.flatMap(({ name }) =>
  readdirSync(join(import.meta.dirname, name)).map((file) => `${name}/${file}`),
);

/** `RECORD=1` writes what is printed into the files, to be read and committed by a person. */
describe.each(scenarios.sort())('%s', (name) => {
  const file = join(import.meta.dirname, name);
  const text = readFileSync(file, 'utf8');
  const scenario = readScenario(text);
  it(scenario.title, () => {
    const played = play(scenario);
    if (process.env['RECORD'] === '1') writeFileSync(file, writeScenario(text, played));
    else expect(played).toEqual(scenario.session);
    expect(scenario.session.length).toBeGreaterThan(0);
  });
});
