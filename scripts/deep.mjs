// @ts-check
/**
 * `npm run test:deep`: the property, fuzz, race and kill tests with the budget of the deep tier; it takes an hour or more.
 * `npm run test:soak`: only the soak: thousands of calls and sessions through one process, with gates on its growth.
 * `npm run test:race`: only the races, kills and full disks: 100,000 tries of each race, and 150 kills in the middle of a write.
 * `npm run test:deep -- tests/text` runs the suites of one folder. Other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { budgetedSuites } from './budgeted-suites.mjs';
import { run } from './run.mjs';
import { ensureDebianPackages, ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Suites that need the processors for themselves: a race one for each side, a soak for the times that it measures. */
const PARTS = { race: ['tests/race/', 'tests/durability/'], soak: ['tests/soak/'] };
const SERIAL_FOLDERS = Object.values(PARTS).flat();

const part = process.argv[2] === 'race' || process.argv[2] === 'soak' ? process.argv[2] : undefined;
const given = process.argv.slice(part === undefined ? 2 : 3);
const names = given.filter((argument) => argument.startsWith('tests/'));
const options = given.filter((argument) => !argument.startsWith('tests/'));

await ensurePackages(root);
const excluded = (await ensureDebianPackages()).flatMap(({ suites }) => suites.map((suite) => `--exclude=${suite}`));
const build = await run(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root });
if (build.code !== 0) throw new Error(`The build failed.\n${build.output.trimEnd()}`);

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

/** Runs these suites with the budget of the deep tier. @param {readonly string[]} suites @param {readonly string[]} more */
function isGreen(suites, more = []) {
  if (suites.length === 0) return true;
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...more, ...excluded, ...options, ...suites], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PINCER_TEST_TIER: 'deep' },
  });
  return status === 0;
}

/** @param {string} suite @param {readonly string[]} folders */
const isIn = (suite, folders) => folders.some((folder) => suite.startsWith(folder));
const suites = budgetedSuites(root, SERIAL_FOLDERS).filter(
  (suite) => (names.length === 0 || isIn(suite, names)) && (part === undefined || isIn(suite, PARTS[part])),
);
const serial = suites.filter((suite) => isIn(suite, SERIAL_FOLDERS));
const others = suites.filter((suite) => !serial.includes(suite));
if (suites.length === 0) throw new Error(`no suite with a budget matches ${names.join(' ')}`);
const results = [isGreen(others), isGreen(serial, ['--no-file-parallelism'])];
process.exitCode = results.every(Boolean) ? 0 : 1;
