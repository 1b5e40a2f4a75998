import { describe, expect, it } from 'vitest';
import { addCounts, countsLine, countTests, suitesNotRun } from '../../scripts/report.mjs';

const sound = {
  success: true,
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [{ status: 'passed', assertionResults: [{}, {}] }],
};
const unloadable = { status: 'failed', assertionResults: [] };

describe('countTests', () => {
  it.each([
    ['a sound run', sound, 0, { passed: 5, failed: 0, skipped: 2 }],
    ['failed tests', { ...sound, success: false, numFailedTests: 2 }, 1, { passed: 5, failed: 2, skipped: 2 }],
    [
      'a file that cannot be loaded',
      { ...sound, success: false, testResults: [unloadable] },
      1,
      { passed: 5, failed: 1, skipped: 2 },
    ],
    ['an error outside of any test', sound, 1, { passed: 5, failed: 1, skipped: 2 }],
    ['a run that left no report', undefined, 0, { passed: 0, failed: 1, skipped: 0 }],
  ])('counts %s', (_, report, exitCode, counts) => {
    expect(countTests(report, exitCode)).toEqual(counts);
  });
});

describe('suites that were not run', () => {
  it('are named once, with their reason', () => {
    const title = 'with a real engine (not run: there is none)';
    const assertionResults = [
      { ancestorTitles: ['other'] },
      { ancestorTitles: [title, 'a'] },
      { ancestorTitles: [title] },
    ];
    expect(suitesNotRun({ ...sound, testResults: [{ status: 'passed', assertionResults }] })).toEqual([title]);
    expect(suitesNotRun(undefined)).toEqual([]);
  });
});

describe('the last line', () => {
  it('adds steps and suites', () => {
    const sum = addCounts({ passed: 6, failed: 1, skipped: 0 }, { passed: 5, failed: 0, skipped: 2 });
    expect(countsLine(sum)).toBe('11 passed, 1 failed, 2 skipped');
  });
});
