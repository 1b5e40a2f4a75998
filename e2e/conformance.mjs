// @ts-check
/** The official conformance suite against the fixtures, over the HTTP of the real tools. */
import { join } from 'node:path';
import { runChild } from './support/child.mjs';
import { must } from './support/checks.mjs';
import { NEWER_NODE, ROOT } from './support/place.mjs';

const SCRIPT = join(ROOT, 'e2e', 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

/** The revisions of the protocol whose requirements are met. */
export const REVISIONS = ['2025-11-25', '2026-07-28'];

/** What may fail: the extension for tasks, which the server package does not serve. @param {string} scenario */
const mayFail = (scenario) => scenario.startsWith('tasks-');

/**
 * Runs what a revision requires, and gives how many checks passed.
 * @param {string} url @param {string} revision @param {string} folder for its reports
 */
export async function runConformance(url, revision, folder) {
  must(NEWER_NODE !== undefined, 'the newer Node is not installed in e2e/');
  const expected = join(ROOT, 'e2e', `expected-failures-${revision}.yml`);
  const args = ['server', '--url', url, '--requirements', revision, '-o', folder, '--expected-failures', expected];
  const ended = await runChild(NEWER_NODE, [SCRIPT, ...args], { cwd: folder, env: {}, timeoutMs: 100_000 });
  const scenarios = [...ended.stdout.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gmu)];
  const failed = scenarios.filter(([, mark, name = '']) => mark === '✗' && !mayFail(name)).map(([line]) => line);
  must(!ended.late, `not done within 100 s\n${ended.stdout}`);
  must(failed.length === 0, `${failed.join('\n')}\n${ended.stdout}${ended.stderr}`);
  must(scenarios.length >= 33, `only ${scenarios.length} scenarios ran\n${ended.stdout}${ended.stderr}`);
  must(ended.code === 0, `exit code ${ended.code}\n${ended.stdout}${ended.stderr}`);
  return scenarios.reduce((sum, [, , , passed]) => sum + Number(passed), 0);
}
