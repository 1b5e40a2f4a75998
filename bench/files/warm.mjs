// @ts-check
/**
 * usage: node warm.mjs MODULE WORKSPACE FOLDER LOOP FILE...
 * Applies a patch forth and back in one process, taking turns with the compiled loop; prints milliseconds as JSON.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [module = '', workspace = '', folder = '', loop = '', ...names] = process.argv.slice(2);
const { assembleTools } = await import(module);
const patches = ['many.patch', 'many.back.patch'].map((name) => readFileSync(join(folder, name), 'utf8'));

/** @param {boolean} durable */
function patcher(durable) {
  const toolbox = assembleTools({
    workspace,
    stateDir: join(folder, `state-${durable}`),
    durable,
    applyPatch: { byName: true },
  });
  /** @param {number} turn */
  return async (turn) => {
    const begin = process.hrtime.bigint();
    const result = await toolbox.call('apply_patch', { input: patches[turn & 1] });
    const took = Number(process.hrtime.bigint() - begin) / 1e6;
    if (result.isError) throw new Error(result.error);
    return took;
  };
}

const contestants = { ours: patcher(false), durable: patcher(true) };
/** @type {Record<string, number[]>} */
const times = { ours: [], durable: [], loop: [] };
for (let round = -3; round < 12; round++) {
  for (const [name, work] of Object.entries(contestants)) {
    const took = [await work(0), await work(1)];
    if (round >= 0) times[name]?.push(...took);
  }
  if (loop === '-') continue;
  for (let twice = 0; twice < 2; twice++) {
    const ran = spawnSync(loop, names, { cwd: workspace, encoding: 'utf8' });
    if (round >= 0) times['loop']?.push(Number(ran.stdout));
  }
}
const medians = Object.entries(times).map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 1]]);
console.log(JSON.stringify(Object.fromEntries(medians)));
