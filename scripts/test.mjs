// @ts-check
/**
 * `npm test`: from a bare clone to one line `N passed, N failed, N skipped`. Each step counts as one check, and each
 * test of the suites as one more. A failed step does not hide the steps after it.
 *
 *   --quick   the quick tier (`npm run test:quick`): types, format, lint, the tests of pure rooms, one scenario per area
 *   --times   ends with a report of where the time went
 *   others    go to vitest: names of test files to run, for instance
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './built.mjs';
import { processorSeconds } from './processor-time.mjs';
import { addCounts, countsLine, countTests, suitesNotRun } from './report.mjs';
import { run, step } from './run.mjs';
import { ensureDebianPackages, ensureOtherNodes, ensurePackages } from './setup.mjs';
import { NOT_PURE, PURE_FOLDERS, SCENARIOS } from './suites.mjs';
import { timesReport } from './times.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FLAGS = ['--quick', '--times'];
const isQuick = process.argv.includes('--quick');
const vitestArguments = process.argv.slice(2).filter((argument) => !FLAGS.includes(argument));

/** @typedef {import('./run.mjs').RunResult} RunResult */
/** @typedef {import('./report.mjs').Counts} Counts */
/** @typedef {import('./times.mjs').Row} Row */

/** @type {Row[]} */
const stepTimes = [];
/** @type {Row[]} */
let fileTimes = [];

/** A program of an npm package, run by this Node. @param {string} file @param {string[]} args */
function tool(file, ...args) {
  return run(process.execPath, [join(root, file), ...args], { cwd: root });
}

/** @type {Record<string, () => Promise<RunResult>>} */
const STEPS = {
  build: () => tool('scripts/build.mjs'), // first: it makes the scanner that types and tests import
  types: () => tool('node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '-p', '.'),
  'types of the page': () => tool('node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '-p', 'src/page'),
  format: () => tool('node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off', '.'),
  lint: () => tool('node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--format=unix'),
  'dead code': () => tool('node_modules/knip/bin/knip.js', '--no-progress'),
  package: () => tool('node_modules/publint/src/cli.js', 'run', '--strict'),
};

/** A step whose time is kept. @param {string} name @param {() => Promise<RunResult>} work @returns {Promise<Counts>} */
async function timed(name, work) {
  const started = performance.now();
  const used = processorSeconds();
  const good = await step(name, work);
  stepTimes.push({
    name,
    wall: (performance.now() - started) / 1000,
    processor: used === undefined ? undefined : (processorSeconds() ?? 0) - used,
  });
  return { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 };
}

/** The static steps of a tier; the quick tier builds only what is out of date. */
function stepsOfTier() {
  if (!isQuick) return Object.keys(STEPS);
  return [...(isBuilt(root) ? [] : ['build']), 'types', 'types of the page', 'format', 'lint'];
}

/** @param {readonly string[]} excluded suites that cannot run here */
async function runSuites(excluded) {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-test-'));
  const file = join(folder, 'report.json');
  const times = join(folder, 'times.json');
  process.env['PINCER_TEST_TIMES'] = times;
  if (isQuick) process.env['PINCER_TEST_TIER'] = 'quick';
  const reporters = ['default', 'json', './scripts/times-reporter.mjs'].map((name) => `--reporter=${name}`);
  const args = ['--no-color', ...reporters, `--outputFile.json=${file}`];
  for (const suite of excluded) args.push(`--exclude=${suite}`);
  if (isQuick) args.push(...PURE_FOLDERS, SCENARIOS, ...NOT_PURE.map((suite) => `--exclude=${suite}`));
  let exitCode = 0;
  await timed('tests', async () => {
    const result = await tool('node_modules/vitest/vitest.mjs', 'run', ...args, ...vitestArguments);
    exitCode = result.code;
    return result;
  });
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (existsSync(times)) fileTimes = JSON.parse(readFileSync(times, 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  for (const title of suitesNotRun(report)) console.log(`Not run: ${title}`);
  return addCounts(countTests(report, exitCode), { passed: 0, failed: 0, skipped: excluded.length });
}

/** The built program against programs of others, which need a newer Node. */
function runOthers() {
  if (process.platform === 'linux' && process.arch === 'x64') return timed('e2e', () => tool('e2e/run.mjs'));
  console.log('Not run: e2e (its Node is for Linux on x64).');
  return { passed: 0, failed: 0, skipped: 1 };
}

/** Installs what this tier needs, and gives the suites that cannot run here. */
async function install() {
  await ensurePackages(root);
  if (isQuick) return [];
  await ensureOtherNodes(root);
  const missing = await ensureDebianPackages();
  return missing.flatMap((entry) => entry.suites);
}

async function main() {
  let counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    const excluded = await install();
    for (const name of stepsOfTier())
      counts = addCounts(counts, await timed(name, /** @type {() => Promise<RunResult>} */ (STEPS[name])));
    counts = addCounts(counts, await runSuites(excluded));
    if (!isQuick && vitestArguments.length === 0) counts = addCounts(counts, await runOthers());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
  }
  if (process.argv.includes('--times')) console.log(timesReport(stepTimes, fileTimes));
  console.log(countsLine(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

await main();
