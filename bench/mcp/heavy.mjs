// @ts-check
/**
 * How soon `pincer serve` answers `/healthz` while clients read what is too heavy for one process. A bare server of Node is
 * asked in turn: its times show how busy the machine is.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** Starts the bare server. */
async function bareServer() {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'bare-http.mjs');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [port] = await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
  return { url: `http://127.0.0.1:${Number(port)}/`, stop: () => child.disconnect() };
}

/** @param {number[]} times */
function quantiles(times) {
  times.sort((a, b) => a - b);
  return { p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN, max: times.at(-1) ?? Number.NaN };
}

/**
 * The times of `/healthz` while both documents are read, and what became of the calls.
 * @param {{ url: string, token: string }} server @param {string} workspace @param {number} scale
 */
export async function healthDuringHeavyCalls({ url, token }, workspace, scale) {
  writeDocuments(workspace, scale);
  const base = url.replace(/\/mcp$/u, '');
  const bare = await bareServer();
  const health = async () => (await fetch(`${base}/healthz`)).text();
  const nothing = async () => (await fetch(bare.url)).text();
  await load(health, 50, 1); // what is loaded at the first request is not asked about
  await load(nothing, 50, 1);
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
  /** @type {number[]} */
  const bareTimes = [];
  while (!isDone) {
    for (const [ask, into] of /** @type {const} */ ([
      [health, times],
      [nothing, bareTimes],
    ])) {
      const begin = performance.now();
      await ask();
      into.push(performance.now() - begin);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  bare.stop();
  const outcomes = await calls;
  return { ...quantiles(times), bare: quantiles(bareTimes), answers: times.length, outcomes };
}
