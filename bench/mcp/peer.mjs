// @ts-check
/** The server that ours is measured against, fetched when a benchmark runs. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const NAME = '@modelcontextprotocol/server-filesystem';
const VERSION = '2026.8.31';

/** The program of the file server of the protocol's authors; undefined where it cannot be had. */
export function filesystemServer() {
  const folder = join(here, '..', '..', 'node_modules', '.cache', 'pincer-bench', `server-filesystem-${VERSION}`);
  const program = join(folder, 'node_modules', NAME, 'dist', 'index.js');
  if (existsSync(program)) return program;
  console.log(`fetching ${NAME}@${VERSION} into node_modules/.cache`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const args = ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', `${NAME}@${VERSION}`];
  spawnSync('npm', args, { cwd: folder, stdio: 'ignore', timeout: 300_000 });
  return existsSync(program) ? program : undefined;
}
