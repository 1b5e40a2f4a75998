// @ts-check
/**
 * `npm run test:deep`: the property, fuzz, race and kill tests with the budget of the deep tier; it takes an hour or more.
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
const RACE_FOLDERS = ['tests/race/', 'tests/durability/'];

const isRace = process.argv[2] === 'race';
const given = process.argv.slice(isRace ? 3 : 2);
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

const suites = budgetedSuites(root, RACE_FOLDERS).filter((suite) => {
  return names.length === 0 || names.some((name) => suite.startsWith(name));
});
const races = suites.filter((suite) => RACE_FOLDERS.some((folder) => suite.startsWith(folder)));
const others = isRace ? [] : suites.filter((suite) => !races.includes(suite));
if (races.length + others.length === 0) throw new Error(`no suite with a budget matches ${names.join(' ')}`);
// A race needs both processors: the attacker and the victim have one each.
const results = [isGreen(others), isGreen(races, ['--no-file-parallelism'])];
process.exitCode = results.every(Boolean) ? 0 : 1;
