// @ts-check
/** The programs that ours are measured against: fetched or compiled when a benchmark runs, left out where that fails. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const kept = join(here, '..', '..', 'node_modules', '.cache', 'pincer-bench');
const CODEX = { version: '0.166.0-linux-x64', binary: 'package/vendor/x86_64-unknown-linux-musl/bin/codex' };

/** The path of Codex under the name by which it only applies patches; undefined where it cannot be had. */
export function codexApplyPatch() {
  const folder = join(kept, `codex-${CODEX.version}`);
  const program = join(folder, 'apply_patch');
  if (existsSync(program)) return program;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  console.log(`fetching @openai/codex@${CODEX.version} (170 MB) into node_modules/.cache`);
  mkdirSync(folder, { recursive: true });
  const script = `npm pack --silent @openai/codex@${CODEX.version} && tar xzf *.tgz ${CODEX.binary} && rm -f *.tgz`;
  const fetched = spawnSync('sh', ['-c', script], { cwd: folder, stdio: 'ignore', timeout: 600_000 });
  if (fetched.status !== 0 || !existsSync(join(folder, CODEX.binary))) return undefined;
  symlinkSync(join(folder, CODEX.binary), program);
  return program;
}

/** The compiled loop that reads, writes and renames files and does nothing else; undefined without a compiler. @param {string} folder */
export function compiledLoop(folder) {
  const program = join(folder, 'loop');
  const ran = spawnSync('cc', ['-O2', '-o', program, join(here, 'loop.c')], { stdio: 'ignore' });
  return ran.status === 0 ? program : undefined;
}
