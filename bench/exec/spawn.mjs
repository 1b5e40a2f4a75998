// @ts-check
/**
 * usage: node spawn.mjs LAUNCHER_MODULE RUNNER FOLDER BALLAST_MB ROUNDS
 * `sh -c true` with its output read: through the launcher and through Node's own spawn, taking turns in one process that
 * has this much memory; prints milliseconds as JSON. `blocked` is how long the call itself kept everything else waiting.
 */
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';

const [module = '', runner = '', runtimeDir = '', megabytes = '0', rounds = '100'] = process.argv.slice(2);
const { createLauncher } = await import(module);
const launcher = createLauncher({ runtimeDir, runner });
const ballast = Array.from({ length: Number(megabytes) }, () => Buffer.alloc(1 << 20, 1));
const file = realpathSync('/bin/sh');
const env = { PATH: '/usr/bin:/bin' };
let count = 0;

/** @param {(from: number) => void} blockedUntil */
function ours(blockedUntil) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const launch = { session: `bench-${count++}`, stages: [{ file, argv: ['sh', '-c', 'true'] }], cwd: '/', env };
    launcher
      .launch({ ...launch, streams: 'merged', stdin: 'closed' }, { output: () => true, exited: resolve })
      .catch(reject);
    blockedUntil(begin);
  });
}

/** @param {(from: number) => void} blockedUntil */
function nodes(blockedUntil) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(file, ['-c', 'true'], {
      argv0: 'sh',
      cwd: '/',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', resolve);
    blockedUntil(begin);
  });
}

/** @type {Record<string, { total: number[], blocked: number[] }>} */
const times = {};
for (let round = -10; round < Number(rounds); round++) {
  for (const [name, work] of Object.entries({ ours, nodes })) {
    const list = (times[name] ??= { total: [], blocked: [] });
    let blocked = 0;
    const begin = performance.now();
    await work((from) => {
      blocked = performance.now() - from;
    });
    if (round < 0) continue;
    list.total.push(performance.now() - begin);
    list.blocked.push(blocked);
  }
}
await launcher.close();
/** @param {number[]} list */
const figures = (list) => {
  const sorted = list.sort((a, b) => a - b);
  return { min: sorted[0], median: sorted[sorted.length >> 1] };
};
const answer = Object.fromEntries(
  Object.entries(times).map(([name, { total, blocked }]) => [
    name,
    { ...figures(total), blocked: figures(blocked).median },
  ]),
);
console.log(JSON.stringify({ ...answer, ballast: ballast.length }));
