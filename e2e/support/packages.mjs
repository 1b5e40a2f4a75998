// @ts-check
/** Installs the packages of a folder when they are not there as its lock file says. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installIsCurrent } from '../../scripts/setup.mjs';
import { runChild } from './child.mjs';

/** No install script is run: what a program needs comes as a package for its platform. @param {string} folder */
export async function ensureInstalled(folder) {
  const wanted = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
  const file = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(file) && installIsCurrent(wanted, JSON.parse(readFileSync(file, 'utf8')).packages)) return;
  console.log('Installing the packages of others …');
  const self = process.env['npm_execpath'];
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...first] = self?.endsWith('.js') ? [process.execPath, self] : ['npm'];
  const options = { cwd: folder, env: process.env, timeoutMs: 600_000 };
  const ended = await runChild(command ?? 'npm', [...first, ...args], options);
  if (ended.code !== 0) throw new Error(`npm ci failed with exit code ${ended.code}\n${ended.stdout}${ended.stderr}`);
}
