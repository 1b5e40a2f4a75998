// @ts-check
/**
 * `npm test`: from a bare clone to one line `N passed, N failed, N skipped`. Each step counts as one check, and each
 * test of the suites as one more. A failed step does not hide the steps after it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addCounts, countsLine, countTests, suitesNotRun } from './report.mjs';
import { run, step } from './run.mjs';
import { processorSeconds } from './processor-time.mjs';
import { ensureDebianPackages, ensureOtherNodes, ensurePackages } from './setup.mjs';
import { timesReport } from './times.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** With `--times` the run ends with a report of where its time went. Other arguments go to vitest. */
const showTimes = process.argv.includes('--times');
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== '--times');

/** @type {import('./times.mjs').Row[]} */
const stepTimes = [];
/** @type {import('./times.mjs').Row[]} */
let fileTimes = [];

/** A step whose time is kept. @param {string} name @param {() => Promise<import('./run.mjs').RunResult>} work */
async function timed(name, work) {
  const wall = performance.now();
  const processor = processorSeconds();
  const good = await step(name, work);
  stepTimes.push({
    name,
    wall: (performance.now() - wall) / 1000,
    processor: processor === undefined ? undefined : (processorSeconds() ?? 0) - processor,
  });
  return good;
}

/** A program of an npm package, run by this Node. @param {string} file @param {string[]} args */
function tool(file, ...args) {
  return run(process.execPath, [join(root, file), ...args], { cwd: root });
}

/** @type {readonly [string, () => Promise<import('./run.mjs').RunResult>][]} */
const STEPS = [
  ['build', () => tool('scripts/build.mjs')], // first: it makes the scanner that types and tests import
  ['types', () => tool('node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '-p', '.')],
  ['format', () => tool('node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off', '.')],
  ['lint', () => tool('node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--format=unix')],
  ['dead code', () => tool('node_modules/knip/bin/knip.js', '--no-progress')],
  ['package', () => tool('node_modules/publint/src/cli.js', 'run', '--strict')],
];

/** @param {readonly string[]} excluded suites that cannot run here */
async function runSuites(excluded) {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-test-'));
  const file = join(folder, 'report.json');
  const times = join(folder, 'times.json');
  process.env['PINCER_TEST_TIMES'] = times;
  const reporters = ['default', 'json', './scripts/times-reporter.mjs'].map((name) => `--reporter=${name}`);
  const args = ['--no-color', ...reporters, `--outputFile.json=${file}`];
  for (const suite of excluded) args.push(`--exclude=${suite}`);
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
async function runOthers() {
  if (vitestArguments.length > 0) return { passed: 0, failed: 0, skipped: 0 }; // somebody asked for some suites only
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log('Not run: e2e (its Node is for Linux on x64).');
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const good = await timed('e2e', () => tool('e2e/run.mjs'));
  return { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 };
}

async function main() {
  let counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    await ensurePackages(root);
    await ensureOtherNodes(root);
    const missing = await ensureDebianPackages();
    for (const [name, work] of STEPS) {
      const good = await timed(name, work);
      counts = addCounts(counts, { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 });
    }
    const suites = await runSuites(missing.flatMap((entry) => entry.suites));
    counts = addCounts(counts, suites);
    counts = addCounts(counts, await runOthers());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
  }
  if (showTimes) console.log(timesReport(stepTimes, fileTimes));
  console.log(countsLine(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

await main();
