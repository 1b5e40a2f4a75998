// @ts-check
/** A reporter of vitest that writes the time of each test file to the file named by PINCER_TEST_TIMES, as JSON. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** @typedef {import('./times.mjs').Row} Row */

export default class TimesReporter {
  /** @type {Row[]} */
  #rows = [];

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
    this.#rows.push({
      name: relative(process.cwd(), module.moduleId),
      tests: [...module.children.allTests()].length,
      wall: (prepareDuration + setupDuration + collectDuration + duration) / 1000,
      processor: /** @type {{ processorSeconds?: number }} */ (module.meta()).processorSeconds,
    });
  }

  onTestRunEnd() {
    const file = process.env['PINCER_TEST_TIMES'];
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#rows));
  }
}
