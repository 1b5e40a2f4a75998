// @ts-check
/** How soon `pincer serve` answers `/healthz` while clients read what is too heavy for one process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from './figures.mjs';

const YAML_BYTES = 50e6;
const QUOTE_BYTES = 10e6;
/** Health is asked for this long after an answer. */
const PAUSE_MS = 10;

/** Writes a YAML file with one anchor, and a Markdown file of one line of `>`. @param {string} workspace @param {number} scale */
function writeDocuments(workspace, scale) {
  const lines = ['x: &anchor 1\n'];
  for (let size = 0, n = 0; size < YAML_BYTES * scale; n++) {
    const line = `key${n}: the value of key ${n}\n`;
    lines.push(line);
    size += line.length;
  }
  writeFileSync(join(workspace, 'anchored.yaml'), lines.join(''));
  writeFileSync(join(workspace, 'quotes.md'), `${'>'.repeat(QUOTE_BYTES * scale)}\n`);
}

/**
 * The times of `/healthz` while both documents are read, and what became of the calls.
 * @param {{ url: string, token: string }} server @param {string} workspace @param {number} scale
 */
export async function healthDuringHeavyCalls({ url, token }, workspace, scale) {
  writeDocuments(workspace, scale);
  const base = url.replace(/\/mcp$/u, '');
  const health = async () => (await fetch(`${base}/healthz`)).text();
  await load(health, 50, 1); // what is loaded at the first request is not asked about
  let isDone = false;
  const calls = Promise.all(
    ['oc://anchored.yaml/x', 'oc://quotes.md/x'].map(async (path) => {
      const answer = await fetch(`${base}/v1/tools/path`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ verb: 'resolve', path }),
      });
      const { details } = /** @type {{ details: { code?: string } }} */ (await answer.json());
      return details.code ?? 'answered';
    }),
  ).finally(() => (isDone = true));
  /** @type {number[]} */
  const times = [];
  while (!isDone) {
    const begin = performance.now();
    await health();
    times.push(performance.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  return { p99, max: times.at(-1) ?? Number.NaN, answers: times.length, outcomes: await calls };
}
