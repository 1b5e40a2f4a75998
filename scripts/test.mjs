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
import { ensureDebianPackages, ensureOtherNodes, ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

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
  const args = ['--no-color', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  for (const suite of excluded) args.push(`--exclude=${suite}`);
  let exitCode = 0;
  await step('tests', async () => {
    const result = await tool('node_modules/vitest/vitest.mjs', 'run', ...args, ...process.argv.slice(2));
    exitCode = result.code;
    return result;
  });
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  rmSync(folder, { recursive: true, force: true });
  for (const title of suitesNotRun(report)) console.log(`Not run: ${title}`);
  return addCounts(countTests(report, exitCode), { passed: 0, failed: 0, skipped: excluded.length });
}

/** The built program against programs of others, which need a newer Node. */
async function runOthers() {
  if (process.argv.length > 2) return { passed: 0, failed: 0, skipped: 0 }; // somebody asked for some suites only
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log('Not run: e2e (its Node is for Linux on x64).');
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const good = await step('e2e', () => tool('e2e/run.mjs'));
  return { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 };
}

async function main() {
  let counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    await ensurePackages(root);
    await ensureOtherNodes(root);
    const missing = await ensureDebianPackages();
    for (const [name, work] of STEPS) {
      const good = await step(name, work);
      counts = addCounts(counts, { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 });
    }
    const suites = await runSuites(missing.flatMap((entry) => entry.suites));
    counts = addCounts(counts, suites);
    counts = addCounts(counts, await runOthers());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
  }
  console.log(countsLine(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

await main();
