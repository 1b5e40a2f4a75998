/**
 * The built program under other versions of Node, where its compiled chunks do not fit and are compiled anew. The oldest
 * and the newest play all scenarios, those in between one of each area. `scenarios.test.ts` plays all with this Node.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allScenarios, needsSandbox, SMOKE } from './smoke.ts';
import { play, readScenario, scenarioMs } from './transcript.ts';

const installed = join(import.meta.dirname, '..', '..', 'e2e', 'node_modules');
const OTHERS = [22, 24, 26];
const versions = [Number.parseInt(process.versions.node, 10), ...OTHERS];

describe.each(OTHERS)('under Node %i', (version) => {
  const node = join(installed, `node${version}`, 'bin', 'node');
  const isOutermost = version === Math.min(...versions) || version === Math.max(...versions);
  const scenarios = (isOutermost ? allScenarios() : SMOKE).filter((scenario) => !needsSandbox(scenario));
  // Only Linux on x64 has them, and only where the registry can be reached; `npm test` says so when it cannot.
  describe.skipIf(!existsSync(node)).each(scenarios)('%s', (name) => {
    const scenario = readScenario(readFileSync(join(import.meta.dirname, name), 'utf8'));
    it('prints the same', { timeout: scenarioMs(scenario) }, () => {
      expect(play(scenario, node)).toEqual(scenario.session);
    });
  });
});
