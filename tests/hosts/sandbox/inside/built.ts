import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');

let built: Promise<string> | undefined;

/** The script that the agent starts from, with the others beside it, built from the sources once for each file of tests. */
export function builtInside(): Promise<string> {
  built ??= build();
  return built;
}

/** Below `node_modules`, where the script finds the packages that it loads. */
async function build(): Promise<string> {
  const shelf = join(root, 'node_modules', '.pincer-tests-inside');
  const folder = join(shelf, `${process.pid}`);
  mkdirSync(folder, { recursive: true });
  for (const pid of readdirSync(shelf))
    if (!isAlive(Number(pid))) rmSync(join(shelf, pid), { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: root,
    input: { agent: 'src/hosts/sandbox/inside/main.ts' },
    platform: 'node',
    external: ['@lydell/node-pty', 'sharp'],
    logLevel: 'silent',
  });
  await bundle.write({
    dir: folder,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    dynamicImportInCjs: false,
  });
  await bundle.close();
  return join(folder, 'agent.cjs');
}

/** The processes of tests are ended without a chance to clean up; the next one does it for them. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
