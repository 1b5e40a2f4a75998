// @ts-check
/**
 * How often policy asks, and whether anything passes that must not. Nothing uses the network.
 * usage: npm run bench:policy [-- --corpus FILE] [-- --only questions,snippets,options,variables,hostile] [-- --reasons 30]
 * A corpus is a file with one JSON object a line: {"command", "source"}; /w/project is the workspace.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { bypassesByOptions, bypassesBySnippets, bypassesByVariables } from './bypasses.mjs';
import { hostileRuns } from './hostile.mjs';
import { countQuestions } from './questions.mjs';
import { makeScratch } from './scratch.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const argument = (/** @type {string} */ name) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const only = argument('--only')?.split(',');
const wanted = (/** @type {string} */ name) => only === undefined || only.includes(name);
const shown = Number(argument('--reasons') ?? 0);

/** Questions for 100 commands: without rules, with rules kept, with a sandbox for what no rule covers. */
const PROMISES = { fresh: 60, kept: 26, sandboxed: 8 };

const scratch = makeScratch();
let failed = 0;
try {
  const parts = await bundled();
  if (wanted('questions')) questions(parts);
  if (wanted('snippets')) bypasses('snippets', bypassesBySnippets(parts, scratch));
  if (wanted('options')) bypasses('generated options', bypassesByOptions(parts, scratch));
  if (wanted('variables')) bypasses('variables', bypassesByVariables(parts));
  if (wanted('hostile')) bypasses('hostile folders', hostileRuns(parts, scratch));
} finally {
  rmSync(scratch.root, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** @param {typeof import('./parts.ts')} parts */
function questions(parts) {
  const samples = readFileSync(argument('--corpus') ?? join(here, 'commands.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ .../** @type {import('./questions.mjs').Sample} */ (JSON.parse(line)) }));
  const start = performance.now();
  const { rules, ...figures } = countQuestions(parts, scratch, samples);
  const each = (performance.now() - start) / samples.length;
  console.log(`questions for 100 commands, of ${samples.length} (${each.toFixed(1)} ms each)`);
  for (const [name, promise] of Object.entries(PROMISES)) {
    const figure = figures[/** @type {keyof typeof PROMISES} */ (name)];
    const rate = (100 * figure.asked) / samples.length;
    const isKept = argument('--corpus') === undefined || rate <= promise;
    if (!isKept) failed++;
    console.log(
      `  ${name.padEnd(10)} ${rate.toFixed(1).padStart(5)}   promise ${promise}${isKept ? '' : '   NOT KEPT'}`,
    );
    const most = [...figure.reasons].sort(([, a], [, b]) => b.count - a.count).slice(0, shown);
    for (const [key, { count, examples }] of most)
      console.log(`    ${String(count).padStart(4)} ${key}\n         ${examples.join('\n         ')}`);
  }
  console.log(`  ${rules} rules kept`);
}

/** @param {string} name @param {{ tried: number, passed: readonly string[] }} result */
function bypasses(name, { tried, passed }) {
  failed += passed.length;
  console.log(`bypasses by ${name}: ${passed.length} of ${tried}`);
  for (const one of passed.slice(0, shown === 0 ? 20 : 2000)) console.log(`  ${one}`);
}

/** @returns {Promise<typeof import('./parts.ts')>} */
async function bundled() {
  const bundle = await rolldown({
    cwd: join(here, '..', '..'),
    input: { parts: join(here, 'parts.ts') },
    platform: 'node',
    external: ['vitest'],
    logLevel: 'silent',
  });
  const file = join(scratch.root, 'parts.mjs');
  await bundle.write({
    dir: scratch.root,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  return import(pathToFileURL(file).href);
}
