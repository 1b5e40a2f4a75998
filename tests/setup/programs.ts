/** Vitest's global setup: builds, once per run, the programs that tests start. `tests/support/built.ts` names them. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown, type InputOptions, type OutputOptions } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { isAlive } from '../../src/hosts/files/locks/owner.ts';
import { SCRIPTS, type ScriptName } from '../support/built.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the programs that this run has built. */
    readonly builtPrograms: string;
  }
}

const ROOT = join(import.meta.dirname, '..', '..');
/** Below `node_modules`, where a script finds the packages that it loads. */
const SHELF = join(ROOT, 'node_modules', '.pincer-tests');
/** Packages that stay outside of a bundle, as in the real program. */
const EXTERNAL = ['@lydell/node-pty', 'sharp', 'libsql'];

interface Bundle {
  readonly source: string;
  readonly options?: InputOptions;
  /** ES modules in one file by default. */
  readonly output?: OutputOptions;
}

const SCRIPT: OutputOptions = { format: 'cjs', dynamicImportInCjs: false };

const BUNDLES: Readonly<Record<ScriptName, Bundle>> = {
  launcher: { source: 'src/hosts/process/launcher.ts', output: SCRIPT },
  runner: { source: 'src/runner/main.ts', output: { ...SCRIPT, chunkFileNames: '[name].cjs' } },
  'small-pincer': {
    source: 'tests/fixtures/bin/small-pincer.ts',
    output: { format: 'cjs', codeSplitting: false },
    // The daemon's gateway gives way to the small one of the tests.
    options: {
      plugins: [
        {
          name: 'small-gateway',
          resolveId: {
            filter: { id: /daemon\/compose\.ts$/u },
            handler: () => join(ROOT, 'tests/fixtures/bin/small-compose.ts'),
          },
        },
      ],
    },
  },
  'dying-gateway': { source: 'tests/contracts/sandbox-escape/dying-gateway.ts' },
  approvals: { source: 'tests/fixtures/bin/approvals.ts' },
  'change-recorder': { source: 'tests/fixtures/bin/change-recorder.ts' },
  'file-writer': { source: 'tests/fixtures/bin/file-writer.ts' },
  'workspace-editor': { source: 'tests/fixtures/bin/workspace-editor.ts' },
  'task-worker': { source: 'tests/fixtures/bin/task-worker.ts' },
};

/** Built where there is a compiler; the tests that need one say so where there is none. */
const COMPILED: readonly (readonly [name: string, source: string, ...flags: string[]])[] = [
  ['attempts', 'tests/contracts/sandbox-escape/attempts.c', '-O1', '-static'],
  ['implements', 'tests/contracts/sandbox-escape/implements.c', '-O1', '-static'],
  ['attacker', 'tests/race/fixtures/attacker.c', '-O2'],
];

export default async function setup(project: TestProject): Promise<() => void> {
  removeLeftovers();
  const folder = join(SHELF, `${process.pid}`);
  mkdirSync(join(folder, 'compiled'), { recursive: true });
  await Promise.all([
    ...(Object.keys(SCRIPTS) as ScriptName[]).map((name) => build(name, BUNDLES[name], folder)),
    ...COMPILED.map(([name, source, ...flags]) => compile(source, join(folder, 'compiled', name), flags)),
  ]);
  project.provide('builtPrograms', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

async function build(name: ScriptName, { source, options, output }: Bundle, folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: source,
    platform: 'node',
    external: EXTERNAL,
    logLevel: 'silent',
    ...options,
  });
  const place = { dir: join(folder, name), entryFileNames: SCRIPTS[name] };
  await bundle.write({ ...(output ?? { format: 'esm', codeSplitting: false }), ...place });
  await bundle.close();
}

/** Leaves nothing behind where there is no compiler. */
async function compile(source: string, out: string, flags: readonly string[]): Promise<void> {
  const compiler = spawn('cc', [...flags, '-o', out, join(ROOT, source)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  compiler.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const code = await new Promise((resolve, reject) => {
    compiler.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(0) : reject(error)));
    compiler.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${source} does not compile:\n${said}`);
}

/** A run that was killed leaves its folder, which is named after its process. */
function removeLeftovers(): void {
  mkdirSync(SHELF, { recursive: true });
  for (const pid of readdirSync(SHELF))
    if (!isAlive({ pid: Number(pid), start: '' })) rmSync(join(SHELF, pid), { recursive: true, force: true });
}
