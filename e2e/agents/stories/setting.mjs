// @ts-check
/** What stories share: a file of rules for the operator, and the command that a person is asked about. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../support/checks.mjs';

/** Commands are judged: one that is not on the allowlist needs a person. */
export const JUDGED = '{\n  tools: { exec: { host: "gateway" } },\n}\n';

/** Writes the operator's rules. @param {import('../../support/place.mjs').Place} place @param {string} rules */
export function setRules({ home }, rules) {
  const folder = join(home, '.config', 'pincer');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pincer.jsonc'), rules);
}

/**
 * Runs our program, which has to say that it went well.
 * @param {import('../../support/place.mjs').Place} place @param {readonly string[]} args
 */
export async function pincerSays(place, args) {
  const ended = await place.pincer(args);
  must(ended.code === 0, `pincer ${args.join(' ')} exits with ${ended.code}\n${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}
