// @ts-check
/** `npm start`: from a bare clone to the tour. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';
import { ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

try {
  await ensurePackages(root);
  console.log('Building dist/ …');
  const build = await run(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root });
  if (build.code !== 0) throw new Error(`The build failed.\n${build.output.trimEnd()}`);
  const { tour } = await import('./tour.mjs');
  console.log('');
  console.log(tour(root));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
