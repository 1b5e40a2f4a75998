// @ts-check
/** The example for OpenAI's agents with the real package, which wants a newer Node than the project's own tests have. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { must } from './support/checks.mjs';
import { runChild } from './support/child.mjs';
import { NEWER_NODE, ROOT } from './support/place.mjs';

/**
 * Runs the example's own check in a copy that has its packages, as `npm install` leaves them.
 * @param {import('./support/place.mjs').Place} place
 */
export async function checkOpenAiAgents(place) {
  must(NEWER_NODE !== undefined, 'the newer Node is not installed in e2e/');
  const folder = join(place.folder, 'openai-agents');
  cpSync(join(ROOT, 'examples', 'openai-agents'), folder, { recursive: true });
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  symlinkSync(ROOT, join(packages, 'pincer'));
  for (const name of ['@openai', 'openai', 'zod'])
    symlinkSync(join(ROOT, 'e2e', 'node_modules', name), join(packages, name));
  const ended = await runChild(NEWER_NODE, ['check.mjs'], { cwd: folder, env: place.env, timeoutMs: 100_000 });
  must(ended.code === 0, `exit code ${ended.code}\n${ended.stdout}${ended.stderr}`);
  must(/^ok: /mu.test(ended.stdout), `it checked nothing\n${ended.stdout}`);
}
