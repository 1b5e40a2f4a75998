// @ts-check
/**
 * The speed of nodes against this machine, SSH, and bare WebSockets, in one run.
 * usage: npm run bench:nodes [-- --only roundtrip,output,idle,inbox,sessions] [-- --scale 0.1]
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleParts } from './parts.mjs';

const argument = (/** @type {string} */ name) => process.argv[process.argv.indexOf(name) + 1];
const only = process.argv.includes('--only') ? argument('--only')?.split(',') : undefined;
const scale = process.argv.includes('--scale') ? Number(argument('--scale')) : 1;
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-bench-')));
const QUESTIONS = ['roundtrip', 'output', 'idle', 'inbox', 'sessions'];

/** @type {[string, string, string][]} */
const summary = [];
try {
  const module = bundleParts(folder);
  const parts = await import(module);
  for (const name of QUESTIONS.filter((each) => only === undefined || only.includes(each))) {
    const { measure } = await import(`./${name}.mjs`);
    const own = join(folder, name);
    mkdirSync(own);
    summary.push(...(await measure({ parts, module, folder: own, scale })));
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
console.log('\n| work | promise | seen |\n|---|---|---|');
for (const row of summary) console.log(`| ${row.join(' | ')} |`);
