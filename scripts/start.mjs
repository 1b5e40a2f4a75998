// @ts-check
/**
 * `npm start`: from a bare clone to a server that agents can reach. Words behind `--` go to `pincer serve`; the folder that
 * npm was called in is the workspace. `npm start -- --tour` shows the tour instead.
 */
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';
import { ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'dist', 'pincer.cjs');

/** The pid of the server of this state folder, which may run from dist/. @returns {number | undefined} */
function servingPid() {
  try {
    const { stdout } = spawnSync(process.execPath, [program, 'status', '--json'], { encoding: 'utf8' });
    return JSON.parse(stdout).serve?.pid;
  } catch {
    return undefined; // dist/ is not built, or cannot be used
  }
}

/** Runs the server in the foreground and gives its exit code. @param {string[]} args @returns {Promise<number>} */
function serve(args) {
  const cwd = process.env['INIT_CWD'] ?? process.cwd();
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    cwd,
    stdio: 'inherit',
  });
  // A key that interrupts reaches both of us: the server ends by itself, and this process waits for it.
  process.on('SIGINT', () => {});
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

try {
  const args = process.argv.slice(2);
  await ensurePackages(root);
  const pid = servingPid();
  // Standard output is for what the server says.
  if (pid !== undefined) console.error(`Not building dist/: a server runs (pid ${pid}).`);
  else {
    console.error('Building dist/ …');
    const build = await run(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root });
    if (build.code !== 0) throw new Error(`The build failed.\n${build.output.trimEnd()}`);
  }
  if (args.includes('--tour')) {
    const { tour } = await import('./tour.mjs');
    console.log(`\n${tour(root)}`);
  } else process.exitCode = await serve(args);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
