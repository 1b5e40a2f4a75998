/** The built program under other versions of Node, where its compiled chunks do not fit and are compiled anew. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { play, readScenario } from './transcript.ts';

const installed = join(import.meta.dirname, '..', '..', 'e2e', 'node_modules');
const scenarios = ['path', 'tools', 'exec'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder))
    .sort()
    .map((file) => `${folder}/${file}`),
);

describe.each(['node22', 'node24', 'node26'])('under %s', (name) => {
  const node = join(installed, name, 'bin', 'node');
  // Only Linux on x64 has them, and only where the registry can be reached; `npm test` says so when it cannot.
  it.skipIf(!existsSync(node)).each(scenarios)('%s prints the same', { timeout: 300_000 }, (file) => {
    const scenario = readScenario(readFileSync(join(import.meta.dirname, file), 'utf8'));
    expect(play(scenario, node)).toEqual(scenario.session);
  });
});
