// @ts-check
/** One line per check, and a summary. */

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ check: (name: string, work: () => unknown) => Promise<boolean>, skip: (name: string, why: string) => void, counts: Counts }} Checks
 */

/** @returns {Checks} */
export function makeChecks() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    counts,
    /** Says whether the work went well; what it throws is the reason why not. */
    async check(name, work) {
      const started = performance.now();
      const seconds = () => ((performance.now() - started) / 1000).toFixed(1).padStart(6);
      try {
        await work();
        counts.passed++;
        console.log(`ok  ${name.padEnd(66)}${seconds()} s`);
        return true;
      } catch (error) {
        counts.failed++;
        console.log(`BAD ${name.padEnd(66)}${seconds()} s`);
        console.log(indented(error instanceof Error ? error.message : String(error)));
        return false;
      }
    },
    skip(name, why) {
      counts.skipped++;
      console.log(`--  ${name} (${why})`);
    },
  };
}

/** Prints the summary and decides the exit code. @param {Counts} counts */
export function finish({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** @param {boolean} condition @param {string} message @returns {asserts condition} */
export function must(condition, message) {
  if (!condition) throw new Error(message);
}

/** @param {string} text */
function indented(text) {
  const lines = text.trimEnd().split('\n');
  const shown = lines.length > 40 ? [...lines.slice(0, 30), '…', ...lines.slice(-9)] : lines;
  return shown.map((line) => `      ${line}`).join('\n');
}
