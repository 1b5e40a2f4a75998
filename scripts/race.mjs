// @ts-check
/**
 * `npm run test:race`: the proofs that take minutes. 100,000 tries of every race, and 150 kills in the middle of a write,
 * where `npm test` makes a few. Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';
import { ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await ensurePackages(root);
const build = await run(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root });
if (build.code !== 0) throw new Error(`The build failed.\n${build.output.trimEnd()}`);
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const suites = ['tests/race', 'tests/durability'];
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--no-file-parallelism', ...suites, ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: { PINCER_RACE_TRIES: '100000', PINCER_KILLS: '150', ...process.env },
  },
);
process.exitCode = status ?? 1;
