// @ts-check
/** The shape of a real agent under test. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {import('../../support/place.mjs').Place} Place
 * @typedef {{ command: string, args: string[], env: Record<string, string>, typed: string }} Start how it is started, and as what a user types that
 * @typedef {{
 *   name: string,
 *   title: string,
 *   package: string,
 *   init: string[],
 *   setUp: string[],
 *   entryFile: (place: Place) => string,
 *   prepare: (place: Place, modelUrl: string) => void,
 *   start: (place: Place, modelUrl: string) => Start,
 *   shown: (stdout: string) => string,
 * }} Client
 * @typedef {import('../model.mjs').Step} Step
 * @typedef {{
 *   hookFile: (place: Place) => string,
 *   shell: (command: string) => Step,
 *   write: (path: string, content: string) => Step,
 *   exec: (command: string) => Step,
 *   startWithHook: (place: Place, modelUrl: string) => Start,
 *   remarks: string[],
 * }} Hooked how a client works with our hook: its own tools, and how it is started
 */

/** Where the agents are installed. */
export const AGENTS = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');

/** What the user types in every agent. */
export const PROMPT = 'What is in the basket?';

/** The version of an installed agent. @param {string} name of its package @returns {string} */
export function packageVersion(name) {
  return JSON.parse(readFileSync(join(AGENTS, name, 'package.json'), 'utf8')).version;
}
