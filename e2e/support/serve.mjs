// @ts-check
/** Starts `pincer serve` on a free port of this machine. */
import { readFileSync } from 'node:fs';
import { startChild } from './child.mjs';
import { PROGRAM } from './place.mjs';

/**
 * @param {import('./place.mjs').Place} place @param {readonly string[]} flags
 * @returns {Promise<{ url: string, token: string, stop: () => Promise<void> }>}
 */
export function startServe(place, flags) {
  return startServing(place, [PROGRAM, 'serve', '--port', '0', '--workspace', place.workspace, '--json', ...flags]);
}

/**
 * Starts a script that serves, and reads where.
 * @param {import('./place.mjs').Place} place @param {readonly string[]} args
 * @returns {Promise<{ url: string, token: string, stop: () => Promise<void> }>}
 */
export async function startServing(place, args) {
  const started = await startChild(process.execPath, args, { cwd: place.workspace, env: place.env });
  const { url, tokenFile } = JSON.parse(started.line);
  const mcp = url.endsWith('/mcp') ? url : new URL('/mcp', url).href;
  return { url: mcp, token: readFileSync(tokenFile, 'utf8').trim(), stop: started.stop };
}
