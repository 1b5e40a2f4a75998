// @ts-check
/** Counts what a test run said, for the one line that ends `npm test`. */

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{
 *   success: boolean,
 *   numPassedTests: number,
 *   numFailedTests: number,
 *   numPendingTests: number,
 *   numTodoTests: number,
 *   testResults: { status: string, assertionResults: { ancestorTitles?: string[] }[] }[],
 * }} VitestReport
 */

/**
 * The titles of suites that say themselves why they were not run here: "… (not run: the reason)".
 * @param {VitestReport | undefined} report
 * @returns {string[]}
 */
export function suitesNotRun(report) {
  const titles = (report?.testResults ?? []).flatMap((file) =>
    file.assertionResults.flatMap(({ ancestorTitles = [] }) => ancestorTitles),
  );
  return [...new Set(titles)].filter((title) => title.includes('(not run: '));
}

/**
 * The counts of vitest's JSON report. A file that could not be loaded has no tests to count, so it counts as one
 * failure; so does a run that failed without a failed test (an error outside of any test) or left no report.
 * @param {VitestReport | undefined} report @param {number} exitCode
 * @returns {Counts}
 */
export function countTests(report, exitCode) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failed = report.numFailedTests + broken.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && (exitCode !== 0 || !report.success) ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @param {Counts} a @param {Counts} b @returns {Counts} */
export function addCounts(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** @param {Counts} counts */
export function countsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
