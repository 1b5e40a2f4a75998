import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const built = new Map<string, Promise<string>>();

/** The spawner as a script that Node can run, built from the sources once for each file of tests. */
export function builtSpawner(): Promise<string> {
  return builtModule('spawner', 'src/hosts/process/spawner/main.ts');
}

/** The launcher as a script, for a program that is to be killed. */
export function builtLauncher(): Promise<string> {
  return builtModule('launcher', 'src/hosts/process/launcher.ts');
}

function builtModule(name: string, source: string): Promise<string> {
  const module = built.get(name) ?? build(name, source);
  built.set(name, module);
  return module;
}

/** Below `node_modules`, where the script finds the packages that it loads. */
async function build(name: string, source: string): Promise<string> {
  const shelf = join(root, 'node_modules', '.pincer-tests');
  const folder = join(shelf, `${process.pid}`);
  mkdirSync(folder, { recursive: true });
  for (const pid of readdirSync(shelf))
    if (!isAlive(Number(pid))) rmSync(join(shelf, pid), { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: root,
    input: { [name]: source },
    platform: 'node',
    external: ['@lydell/node-pty'],
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'cjs', entryFileNames: '[name].cjs', dynamicImportInCjs: false });
  await bundle.close();
  return join(folder, `${name}.cjs`);
}

/** The processes of tests are ended without a chance to clean up; the next one does it for them. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
