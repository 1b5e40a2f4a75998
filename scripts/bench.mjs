// @ts-check
/** `npm run bench:<area>`: from a bare clone to the figures of one area; what follows `--` goes to the benchmark. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';
import { ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [area = '', ...rest] = process.argv.slice(2);

if (rest.includes('--help')) {
  console.log(
    'npm run bench:<area> [-- --only <question>,… ] [-- --scale <n>]; bench/README.md has the questions and the last figures',
  );
  process.exit(0);
}
await ensurePackages(root);
const build = await run(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root });
if (build.code !== 0) throw new Error(`The build failed.\n${build.output.trimEnd()}`);
process.argv.splice(1, process.argv.length, join(root, 'bench', area, 'run.mjs'), ...rest);
await import(`../bench/${area}/run.mjs`);
